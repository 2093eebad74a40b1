#!/usr/bin/env bash
# Shows: tarry-compare tells a mistake in its usage (2) from a thing that it cannot do (3) and from a
# check that failed (1), says what is known or wrong, refuses a bad output before it measures, and
# never leaves half a file; and each peer plays its workloads. usage: compare_tool.sh TARRY_COMPARE
set -euo pipefail

tool=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# expect STATUS TEXT ARGUMENT...: the tool ends so, and says so (on either stream).
expect() {
    local want=$1 text=$2 status=0
    shift 2
    timeout 60 "$tool" "$@" >out 2>err </dev/null || status=$?
    ((status == want)) || fail "$*: status $status, not $want: $(tail -n 3 err)"
    grep -qF -- "$text" out err || fail "$*: does not say '$text': $(tail -n 3 err)"
}

# A run of no time.
micro=(micro --timers 100 --ops 1000 --repeats 1 --workload fifo --peers none)

# --- usage ---
expect 2 "no command"
expect 2 "known: micro, replay, import, record, lateness, report" measure
expect 2 "unknown option '--nonsense'" --nonsense
expect 2 "known: heap, tiered, tiered-tick, wheel, heap-nolock" micro --backend tree
expect 2 "unknown name 'heap-nolock'" lateness --backend heap-nolock
expect 2 "known: stop+add, reset-later, reset-earlier, expire, fifo, mixed, worst, churn, mailbox" micro --workload all
expect 2 "'0' is not a number from 10 to 100000000" micro --timers 0
expect 2 "'many' is not a number" micro --timers many
expect 2 "--timers: a value is missing" micro --timers
expect 2 "unexpected 'heap'" micro heap
expect 2 "expire is for one thread" micro --threads 2 --workload expire
expect 2 "mailbox is for one thread" micro --threads 2 --workload mailbox
expect 2 "exclude each other" "${micro[@]}" --json - --csv -
expect 2 "'0' is not a number" lateness --idle 0
expect 2 "missing: RESULTS.json" report
expect 2 "--output DIR is missing" report results.json

# --- help ---
expect 0 "tarry-compare micro" --help
expect 0 "tarry-compare 0." --version
for command in micro replay import lateness report; do
    expect 0 "Examples:" "$command" --help
    (($(wc -l <out) <= 50)) || fail "$command --help: longer than a screen"
    [[ ! -s err ]] || fail "$command --help: writes to standard error"
done

# --- outputs that cannot be written: told before anything is measured ---
endless=(micro --timers 1000000 --ops 100000000 --workload fifo --peers none)
mkdir folder
: >file
for target in missing/r.json folder file/r.json; do
    expect 3 "$target: cannot be written" "${endless[@]}" --json "$target"
    expect 3 "$target: cannot be written" "${endless[@]}" --csv "$target"
done
expect 3 "file/page: cannot be written" "${endless[@]}" --html file/page
expect 3 "missing/page: cannot be written" "${endless[@]}" --html missing/page

# --- outputs that turn out to be full ---
expect 3 "/dev/full: cannot be written: No space left on device" "${micro[@]}" --json /dev/full
expect 3 "/dev/full: cannot be written: No space left on device" "${micro[@]}" --csv /dev/full
for option in --json --csv; do
    status=0
    "$tool" "${micro[@]}" "$option" - >/dev/full 2>err || status=$?
    ((status == 3)) || fail "$option - to a full standard output: status $status"
    grep -q "No space left" err || fail "$option - to a full standard output: not told"
done
status=0
"$tool" "${micro[@]}" >/dev/full 2>err || status=$?
((status == 3)) || fail "a table to a full standard output: status $status"

# --- a report, and one that runs into the end of the disk: the older one stays as it was ---
expect 0 "fifo" "${micro[@]}" --json one.json
expect 0 "page/index.html" report one.json --output page
for name in index.html results.json results.csv; do
    [[ -s page/$name ]] || fail "report: no $name"
done
cp -r page before
status=0
(
    trap '' XFSZ
    ulimit -f 1
    exec "$tool" report one.json one.json one.json --output page
) >out 2>err || status=$?
((status == 3)) || fail "report on a full disk: status $status"
grep -q "cannot be written: File too large" err || fail "report on a full disk: not told: $(cat err)"
diff -r before page || fail "report on a full disk: changed the older report"

# --- what report reads ---
expect 0 "fifo" "${micro[@]}" --json - --seed 9
cp out two.json
expect 0 "both/index.html" report one.json two.json --output both
grep -q '"seed": 9' both/results.json || fail "report: the second run is missing"
(($(wc -l <both/results.csv) == 9)) || fail "report: not every row is in results.csv"
head -c 200 one.json >cut.json
expect 3 "cut.json: line" report one.json cut.json --output never
expect 3 "none.json: " report none.json --output never
echo '{"schema":1}' >other.json
expect 3 "other.json: not a results file" report other.json --output never
[[ ! -e never ]] || fail "report: made a folder for nothing"

# --- plots are optional: the page says that they are missing ---
status=0
PATH=/nonexistent "$tool" report one.json --output bare >out 2>err || status=$?
((status == 0)) || fail "report without gnuplot: status $status"
grep -q "gnuplot is not installed" bare/index.html || fail "report without gnuplot: not told"
grep -q "<table>" bare/index.html || fail "report without gnuplot: no tables"

# --- contenders: every name plays every workload; who takes no lock has a floor without one ---
names=(heap tiered tiered-tick wheel heap-nolock tiered-nolock tiered-tick-nolock wheel-nolock)
for workload in stop+add expire worst mailbox; do
    expect 0 "$workload" micro --timers 1000 --ops 20000 --repeats 3 --peers none --csv - \
        --workload $workload "${names[@]/#/--backend=}"
    for name in "${names[@]}"; do
        grep -q "^$workload[^,]*,$name," out || fail "$workload: no row of $name"
    done
    [[ $workload == worst ]] || awk -F, '
        NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
        { lockless = $at["backend"] ~ /-nolock$/; floor = $at["floor_ns"] }
        floor <= 0 || (lockless in floors && floors[lockless] != floor) { exit bad = 1 }
        { floors[lockless] = floor }
        END { exit bad || floors[0] == floors[1] }' out ||
        fail "$workload: not one floor for all with a lock and another for all without"
done

# --- peers that are broken or missing ---
mkdir peers
for name in libuv libev libevent; do
    printf '#!/bin/sh\necho\nread line\necho nonsense\n' >"peers/tarry-peer-$name"
    chmod +x "peers/tarry-peer-$name"
done
expect 1 "libuv: an answer that is no row" "${micro[@]}" --peers peers
grep -q "^  heap " out || fail "a broken peer: tarry's own rows are missing"
printf '#!/bin/sh\nexit 0\n' >peers/tarry-peer-libev
expect 3 "libev: its program ended" "${micro[@]}" --peers peers
expect 0 "libuv: left out" "${micro[@]}" --peers folder

# --- every peer that was built plays every workload that is for it: a figure, as many operations or
# firings as there are to be, and what it cannot do beside it; and lateness ---
built=()
for program in "${tool%/*}"/tarry-peer-*; do
    [[ ! -x $program ]] || built+=("${program##*/tarry-peer-}")
done

# has_figure PEER WORKLOAD OPS: each of its rows in out.
has_figure() {
    awk -F, -v name="$1" -v workload="$2" -v ops="$3" '
        NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
        $at["peer"] != name || index($1, workload) != 1 { next }
        { ++rows }
        $at["timers"] != 1000 || $at["ns_per_op"] <= 0 || $at["note"] == "" { bad = 1 }
        workload != "worst" && $at["ops"] != ops { bad = 1 }
        END { exit bad || rows < 1 || workload != "worst" && rows > 1 }' out ||
        fail "$2: not one figure of $1, of $3 operations and with a note: $(grep ",$1," out)"
}

common=(reset-later fifo mixed) # what a common timeout is for
for workload in stop+add reset-later reset-earlier expire fifo mixed worst; do
    ((${#built[@]} > 0)) || continue
    ops=2000
    [[ $workload != expire ]] || ops=1000
    expect 0 "$workload" micro --timers 1000 --ops 2000 --repeats 3 --csv - --backend heap \
        --workload $workload --json "$workload.json" --html "$workload"
    for name in "${built[@]}"; do
        has_figure "$name" "$workload" $ops
        [[ $name != libevent || " ${common[*]} " != *" $workload "* ]] ||
            has_figure libevent-common "$workload" $ops
    done
    for form in "$workload.json" "$workload/index.html" "$workload/results.json"; do
        grep -q "no caller's time" "$form" || fail "$workload: $form does not tell the notes"
    done
done
expect 0 "lateness" lateness --timers 5 --repeats 2 --backend heap --csv -
for name in "${built[@]}"; do
    grep -q "^lateness/callback,,$name,5,1,,,10," out ||
        fail "lateness: not ten firings of $name: $(grep ",$name," out)"
done

# --- one that cannot hold so many timers says so beside its name, and no figure is made up ---
if [[ -x ${tool%/*}/tarry-peer-timerfd ]]; then
    status=0
    (
        ulimit -n 512
        exec "$tool" micro --timers 1000 --ops 1000 --repeats 1 --workload fifo --workload worst \
            --backend heap --csv -
    ) >out 2>err || status=$?
    ((status == 0)) || fail "too many timers for timerfd: status $status: $(tail -n 3 err)"
    for workload in fifo worst; do
        grep -Eq "^$workload,,timerfd,1000,1,,*\"?not played: a file descriptor a timer" out ||
            fail "$workload: nothing of timerfd, which has too few files: $(grep timerfd out)"
    done
fi

# --- lines on standard error only where that is a terminal ---
expect 0 "fifo" "${micro[@]}"
[[ ! -s err ]] || fail "micro: progress on what is no terminal"

((failures == 0)) || exit 1
echo "all as told"
