#!/usr/bin/env bash
# Shows: tarry-locks measures every lock in every situation, with the waits where threads meet, and
# refuses a usage that it does not know. usage: locks.sh TARRY_LOCKS
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
    "$tool" "$@" >out 2>err </dev/null || status=$?
    ((status == want)) || fail "$*: status $status, not $want: $(tail -n 3 err)"
    grep -qF -- "$text" out err || fail "$*: does not say '$text': $(tail -n 3 err)"
}

expect 2 "tarry-locks: unknown option '--nonsense'" --nonsense
expect 2 "'1' is not a number from 2 to 256" --threads 1
expect 2 "unexpected 'mutex'" mutex
expect 0 "Usage: tarry-locks [OPTION]..." --help
(($(wc -l <out) <= 50)) || fail "--help: longer than a screen"

expect 0 "tarry" --span 1 --repeats 2 --threads 2 --threads 3
number='[0-9][0-9.e+]*'
wait="$number us"
# row NAME THREADS WAITS: there is one of each lock.
row() {
    local lock
    for lock in mutex adaptive tarry; do
        grep -Eq "^$1 +$2 $lock +$number +$number +$3 +$3\$" out || fail "no row: $1, $2, $lock"
    done
}
row "uncontended" 1 -
for threads in 2 3; do
    row "own locks" $threads -
    row "one lock, short" $threads "$wait"
    row "one lock, 1 us" $threads "$wait"
    row "a holder sleeps, short" $threads "$wait"
done
row "4 threads a core, short" "[0-9]+" "$wait"
row "4 threads a core, 1 us" "[0-9]+" "$wait"
(($(wc -l <out) == 34)) || fail "not a heading and 11 times 3 rows: $(wc -l <out)"
[[ ! -s err ]] || fail "something on standard error: $(cat err)"

status=0
"$tool" --span 1 --repeats 1 --threads 2 >/dev/full 2>err || status=$?
((status == 3)) || fail "a full standard output: status $status"

((failures == 0)) || exit 1
echo "all as told"
