#!/usr/bin/env bash
# Shows: import and replay answer with the right exit status and a message that says what is wrong;
# broken lines are skipped, counted and the first one shown; what cannot be written leaves nothing
# behind, and what was there before as it was; a replay whose check fails ends with 1.
# usage: trace_commands.sh TOOL [FAULTY_LIBRARY]
#   FAULTY_LIBRARY  is preloaded: a tarry that fires late
set -euo pipefail
export LC_ALL=C

tool=$1 faulty=${2-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0

# expect STATUS TEXT ARGUMENT...: that status, and that text on standard error (empty: none there)
expect() {
    local status=$1 text=$2 got=0
    shift 2
    "$tool" "$@" >out 2>err || got=$?
    if [[ $got != "$status" ]] || { [[ -n $text ]] && ! grep -qF -- "$text" err; } ||
        { [[ -z $text && -s err ]]; }; then
        failed=1
        echo "$*: status $got, expected $status and '$text', got:"
        sed 's/^/    /' err
    fi
}

# holds FILE TEXT
holds() {
    grep -qF -- "$2" "$1" && return
    failed=1
    echo "$1 does not hold '$2':"
    sed 's/^/    /' "$1"
}

# files NAME...: these are in the folder, beside out and err, and no other
files() {
    local have
    have=$(ls -A | grep -vx -e out -e err | tr '\n' ' ')
    [[ $have == "$* " ]] && return
    failed=1
    echo "in the folder: $have, expected: $*"
}

# same FILE TEXT
same() {
    [[ $(cat "$1") == "$2" ]] && return
    failed=1
    echo "$1 is not '$2'"
}

cat >access.log <<'END'
10.0.0.1 - - [17/May/2015:10:05:00 +0000] "GET / HTTP/1.1" 200 5
rubbish
10.0.0.1 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5
10.0.0.1 - - [17/May/2015:10:05:0
END
printf 'rubbish\nmore\n' >none.log
echo mine >mine.csv
inputs="access.log mine.csv none.log"

# --- import: usage, input, output ---
expect 2 "where to?" import access.log
expect 2 "missing: FILE" import --output new.csv
expect 2 "unexpected 'b'" import access.log b --output new.csv
expect 2 "unknown option '--tocsin'" import access.log --tocsin
expect 2 "--timeout: '75'" import access.log --output new.csv --timeout 75
expect 2 "--timeout: '0s'" import access.log --output new.csv --timeout 0s
expect 2 "unknown name 'pcap' (known: kernel, log, table)" import access.log --output new.csv \
    --format pcap
expect 3 "missing.log: No such file" import missing.log --output new.csv
expect 3 "Is a directory" import . --output new.csv
expect 3 "its format is none that is known" import none.log --output new.csv
expect 3 "nothing in it could be used" import none.log --output new.csv --format log
holds err "2 lines were skipped; the first is line 1 (not client, ident, user, [time]): rubbish"
expect 3 "its header names no time column" import none.log --output new.csv --format table
expect 3 "mine.csv: it is there already (--force replaces it)" import access.log --output mine.csv
expect 3 "no/new.csv: No such file" import access.log --output no/new.csv
expect 3 "/dev/full: No space left on device" import access.log --output /dev/full
# shellcheck disable=SC2086
files $inputs
same mine.csv mine

got=0
"$tool" import access.log --output - >/dev/full 2>err || got=$?
[[ $got == 3 ]] || { failed=1; echo "a full standard output: status $got"; }
holds err "No space left on device"

# A disk of 64 KB that fills while the trace is written: nothing of it stays.
small_disk() {
    mkdir disk && mount -t tmpfs -o size=64k tarry-test disk
}
if [[ $(id -u) == 0 ]] && unshare -m true 2>/dev/null; then
    for i in $(seq 20000); do
        echo "10.0.0.$i - - [17/May/2015:10:05:00 +0000] \"GET /\" 200 5"
    done >big.log
    export -f small_disk
    got=0
    unshare -m bash -c 'small_disk && "$1" import big.log --output disk/new.csv 2>err; status=$?
        ls -A disk >left; exit $status' - "$tool" >out || got=$?
    [[ $got == 3 ]] || { failed=1; echo "a disk that fills: status $got"; }
    holds err "disk/new.csv: No space left on device"
    [[ ! -s left ]] || { failed=1; echo "left on the full disk: $(cat left)"; }
    rm -rf big.log disk left
fi

# --- import: what it does ---
expect 0 "access.log: 2 lines were skipped; the first is line 2" import access.log \
    --output new.csv.gz
holds out "2 lines used, 2 skipped"
expect 0 "skipped" import access.log --output mine.csv --force --timeout 2s
holds mine.csv "3000000000,A,0,2000000000,idle"
zcat new.csv.gz >plain.csv
holds plain.csv "3000000000,R,0,75000000000,idle"
expect 0 "" import --help
expect 0 "" replay --help
expect 3 "it is a trace already" import new.csv.gz --output other.csv
"$tool" import access.log --output - 2>/dev/null | cmp - plain.csv ||
    { failed=1; echo "stdout differs"; }

# --- replay ---
expect 0 "" replay plain.csv new.csv.gz --replicate 3 --json results.json
holds out "wheel: 3 of 3 due timers fired"
holds results.json '"workload": "replay:plain"'
holds results.json '"replicate": 3'
# The last line is the verdict: over the copies asked for, and over more of them.
expect 0 "" replay plain.csv --backend heap --backend wheel --replicate 3
tail -n 1 out >last
holds last "replay:plain: at 3 timers "
holds last "; at 48 "
holds last "; the order "
expect 0 "heap: 1 of 1 due timers fired" replay plain.csv --csv - --speed 2
holds out 'replay:plain,heap,'
expect 0 "" replay plain.csv --backend tiered-tick-nolock --tick 5ms
holds out "tiered-tick-nolock: 1 of 1 due timers fired"
holds out "(tick 5 ms)"
expect 2 "missing: TRACE..." replay
expect 2 "--speed" replay plain.csv --speed 0
expect 2 "--tick: '0s'" replay plain.csv --tick 0s
expect 2 "--replicate: '0'" replay plain.csv --replicate 0
expect 2 "unknown name 'heaps' (known: heap, tiered, tiered-tick, wheel" replay plain.csv --backend heaps
expect 2 "so slow that time comes to its end" replay plain.csv --speed 0.0000000001
expect 3 "none.log: no line of it is an operation" replay none.log
holds err "none.log: 2 lines were skipped; the first is line 1 (fewer than 5 fields): rubbish"
expect 3 "No space left on device" replay plain.csv --json /dev/full
expect 3 "no/results.json: cannot be written" replay plain.csv --json no/results.json
rm results.json

# One trace that cannot be played does not lose what the other gave.
expect 3 "missing.csv: No such file" replay missing.csv plain.csv --json results.json
holds results.json '"workload": "replay:plain"'

# Broken lines: the rest is played.
{
    printf '0,A,1,5,x\0\n'
    cat plain.csv
    echo 1,A,9,9,x
    head -c 70000 /dev/zero | tr '\0' 9
    printf '\n9,A'
} >rough.csv
expect 0 "rough.csv: 4 lines were skipped; the first is line 1 (binary)" replay rough.csv
holds out "rough: 1 timers, 1 arms, 1 re-arms"
for i in $(seq 4000); do echo "$i,A,$((i * 7919 % 10007)),$((i * 104729 % 1000003)),x"; done |
    gzip >cut.csv.gz
truncate -s 20000 cut.csv.gz
expect 0 "the gzip data break off or are damaged here" replay cut.csv.gz

if [[ -n $faulty ]]; then
    export LD_PRELOAD=$faulty
    expect 1 "plain: the check failed, see above" replay plain.csv --json results.json
    unset LD_PRELOAD
    holds out "FAILED: 0 early, 1 more than a tick late"
    holds results.json '"workload": "replay:plain"'
fi

exit $failed
