#!/usr/bin/env bash
# Shows: tarry-compare record writes what a program did with its timers, call by call, for libuv,
# libevent and libev, also of a plug-in, of forked processes, daemons, threads and a program that is
# killed; the program behaves as without it; it says so where nothing could be recorded, and ends
# with the command's status.
# usage: record.sh TOOL PROGRAMS_FOLDER
set -euo pipefail
export LC_ALL=C
unset LD_PRELOAD

tool=$1 programs=$2
work=$(mktemp -d)
started=
finish() {
    [[ -z $started ]] || kill -KILL "$started" 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT
chmod 755 "$work"
cd "$work"
failed=0

fault() {
    failed=1
    echo "$*"
    sed 's/^/    /' err
}

# record STATUS TEXT ARGUMENT...: that status, and that text on standard error
record() {
    local status=$1 text=$2 got=0
    shift 2
    "$tool" record "$@" >out 2>err || got=$?
    [[ $got == "$status" ]] || fault "$*: status $got, expected $status:"
    grep -qF -- "$text" err || fault "$*: expected '$text', got:"
}

# files NAME...: these are in the folder, beside out and err, and no other
files() {
    local have
    have=$(ls -A | { grep -vx -e out -e err || true; } | tr '\n' ' ')
    [[ $have == "${*:+$* }" ]] || fault "in the folder: $have, expected: $*"
    rm -rf ./*.csv ./*.gz
}

# lines TRACE: op, id, delay (long: 1000 s, less what the loop was behind; short: at most 1 ms, far:
# as good as never), class; what is the library's own by its library alone
lines() {
    awk -F, '/^#/ { next }
        {
            delay = $4 == "" ? "-" : $4 > 1e18 ? "far" : $4 <= 1e6 ? "short" : "?"
            if ($4 > 900e9 && $4 <= 1000e9) delay = "long"
            sub(/:lib.*\+0x.*/, ":own", $5)
            if ($1 < last) print "time goes back"
            last = $1
            print $2, $3, delay, $5
        }' "$1"
}

# holds TRACE: those lines on standard input
holds() {
    local expected
    expected=$(sed 's/^ *//' | tr '/' '\n')
    lines "$1" | diff - <(echo "$expected") >diff ||
        { fault "$1: too much (<) or missing (>):"; sed 's/^/    /' diff; }
    rm -f diff
}

# count TRACE LINES
count() {
    local have
    have=$(grep -vc '^#' "$1")
    [[ $have == "$2" ]] || fault "$1: $have lines, expected $2"
}

# signalled STATUS SIGNAL WHOM: the scenario "wait", and the signal to the tool or to the program
signalled() {
    local got=0 recorder pid
    "$tool" record --output wait.csv -- "$programs/libuv" wait >pid 2>err &
    recorder=$!
    started=$recorder
    until [[ -s pid ]]; do sleep 0.05; done
    pid=$recorder
    [[ $3 == tool ]] || pid=$(<pid)
    kill "-$2" "$pid"
    wait "$recorder" || got=$?
    started=
    rm pid
    [[ $got == "$1" ]] || fault "$2 to the $3: status $got, expected $1"
    count wait.csv 40000
    files wait.csv
}

calls='A 0 long libuv:on_once/R 0 long libuv:on_once/C 0 - libuv:on_once
    A 0 long libuv:on_once/R 0 long libuv:on_once
    A 1 short libuv:on_once/F 1 - libuv:on_once
    A 1 short libuv:on_repeat/F 1 - libuv:on_repeat
    A 1 short libuv:on_repeat/F 1 - libuv:on_repeat
    A 1 short libuv:on_repeat/F 1 - libuv:on_repeat
    A 1 short libuv:on_repeat/C 1 - libuv:on_repeat
    C 0 - libuv:on_once
    A 2 far libuv:on_once/C 2 - libuv:on_once'

if [[ -x $programs/libuv ]]; then
    record 0 "calls.csv: libuv: 8 arms, 2 re-arms, 4 cancels, 4 firings" --output calls.csv -- \
        "$programs/libuv" calls
    holds calls.csv <<<"$calls"
    grep -q '^# tick_ns=1000000$' calls.csv || fault "no tick"
    grep -q '^next: tarry-compare replay calls.csv$' err || fault "no next step:"
    "$tool" replay calls.csv >out 2>err || fault "it cannot be replayed:"
    files calls.csv
    record 0 "" --output calls.csv.gz -- "$programs/libuv" calls
    zcat calls.csv.gz >calls.csv
    holds calls.csv <<<"$calls"
    files calls.csv calls.csv.gz

    # a library that only a plug-in has and sees
    record 0 "" --output plugin.csv -- "$programs/plugin" "$programs/plugin_libuv.so" calls
    sed -i 's/:plugin_libuv.so.*/:?/' plugin.csv
    holds plugin.csv <<<"$calls"
    files plugin.csv

    record 0 "fork.2.csv: libuv: 2 arms, 0 re-arms, 0 cancels, 1 firings" --output fork.csv -- \
        "$programs/libuv" fork
    holds fork.csv <<<'A 0 long libuv:on_once/C 0 - libuv:on_once'
    holds fork.2.csv <<<'A 1 short libuv:on_once/F 1 - libuv:on_once/A 0 long libuv:on_once'
    files fork.2.csv fork.csv

    # a part for whose trace there is no place is not lost
    echo mine >fork.2.csv
    record 3 "fork.2.csv: File exists; what was recorded is in" --output fork.csv -- \
        "$programs/libuv" fork
    [[ $(<fork.2.csv) == mine && $(ls -A fork.csv.??????) == 2 ]] || fault "the second part is lost"
    rm -r fork.csv.??????
    files fork.2.csv fork.csv

    record 0 "" --output daemon.csv -- "$programs/libuv" daemon
    count daemon.csv 40000
    files daemon.csv

    record 0 "threads.csv: libuv: 80000 arms, 0 re-arms, 80000 cancels" --output threads.csv -- \
        "$programs/libuv" threads
    lines threads.csv | awk '$1 != ($2 in armed ? "C" : "A") || /time/ { exit bad = 1 }
        { if ($1 == "A") armed[$2] = 1; else delete armed[$2]; ids[$2] = 1 }
        END { exit bad || length(ids) != 4 }' || fault "threads.csv: the calls are not in turn"
    count threads.csv 160000
    files threads.csv

    signalled 143 TERM tool
    signalled 129 HUP tool
    signalled 137 KILL program

    if [[ $(id -u) == 0 ]]; then
        mkdir root
        record 0 "" --output confined.csv -- "$programs/libuv" confined "$work/root"
        count confined.csv 40002
        rmdir root
        files confined.csv
    fi

    # where it cannot go on to write, the program does
    record 0 "a trace is not complete" --output short.csv -- \
        bash -c "ulimit -f 1500; exec '$programs/libuv' threads"
    files short.csv
fi

if [[ -x $programs/libev ]]; then
    record 0 "libev: 9 arms, 1 re-arms, 4 cancels, 5 firings" --output libev.csv -- \
        "$programs/libev"
    holds libev.csv <<'END'
        A 0 long libev:on_single/C 0 - libev:on_single
        A 0 long libev:on_single/R 0 long libev:on_single/C 0 - libev:on_single
        A 1 short libev:on_single/F 1 - libev:on_single
        A 1 short libev:on_repeat/F 1 - libev:on_repeat
        A 1 short libev:on_repeat/F 1 - libev:on_repeat
        A 1 short libev:on_repeat/F 1 - libev:on_repeat
        A 1 short libev:on_repeat/C 1 - libev:on_repeat
        A 2 short libev:own/F 2 - libev:own
        A 2 long libev:own/C 2 - libev:own
END
    files libev.csv
fi

if [[ -x $programs/libevent ]]; then
    record 0 "libevent: 15 arms, 4 re-arms, 10 cancels, 5 firings" --output libevent.csv -- \
        "$programs/libevent"
    holds libevent.csv <<'END'
        A 0 long libevent:on_single/R 0 long libevent:on_single/C 0 - libevent:on_single
        A 0 short libevent:on_single/F 0 - libevent:on_single
        A 0 long libevent:on_single/C 0 - libevent:on_single
        A 0 long libevent:on_single/C 0 - libevent:on_single
        A 0 long libevent:on_single/C 0 - libevent:on_single
        A 1 short libevent:on_repeat/F 1 - libevent:on_repeat
        A 1 short libevent:on_repeat/F 1 - libevent:on_repeat
        A 1 short libevent:on_repeat/F 1 - libevent:on_repeat
        A 1 short libevent:on_repeat/C 1 - libevent:on_repeat
        A 2 long libevent:on_data/C 2 - libevent:on_data
        A 3 long libevent:on_data/R 3 long libevent:on_data/R 3 long libevent:on_data
        C 3 - libevent:on_data
        A 4 long libevent:on_data/C 4 - libevent:on_data
        A 5 short libevent:on_single/F 5 - libevent:on_single
        A 6 long libevent:on_single/C 6 - libevent:on_single
        A 7 long libevent:own/R 7 long libevent:own/C 7 - libevent:own
END
    files libevent.csv
fi

# --- nothing to record, and what the command answers ---
record 7 "the program armed no timer of" --output no.csv -- bash -c 'echo heard; exit 7'
[[ $(<out) == heard ]] || fault "the command's output is lost"
record 5 "no process loaded the recorder" --output no.csv -- "$programs/none"
record 127 "missing-program: No such file" --output no.csv -- missing-program
record 126 "/etc/passwd: Permission denied" --output no.csv -- /etc/passwd
record 3 "no/no.csv: No such file" --output no/no.csv -- touch ran
record 3 "$work: it is there already" --output "$work" -- touch ran
record 2 "missing: -- COMMAND" --output no.csv
echo mine >mine.csv
record 3 "mine.csv: it is there already" --output mine.csv -- touch ran
[[ $(<mine.csv) == mine ]] || fault "mine.csv was changed"
files mine.csv

# what was to be preloaded still is (into the tool too, which a sanitizer would complain of)
ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=libm.so.6 record 0 "" --output no.csv -- bash -c 'echo "$LD_PRELOAD"'
[[ $(<out) == *tarry-record.so:libm.so.6 ]] || fault "LD_PRELOAD was: $(<out)"
files

exit $failed
