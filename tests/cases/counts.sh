#!/usr/bin/env bash
# Shows: bench/counts gives a row for each backend, workload and size that was asked for, counts the
# same in every run, and a mistake in its usage changes nothing. usage: counts.sh COUNTS TARRY_COMPARE.
# Skipped (77) where there is no valgrind.
set -euo pipefail

counts=$1 tool=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() {
    echo "FAILED: $*"
    exit 1
}

expect() {
    local want=$1 text=$2 status=0
    shift 2
    "$counts" --tool "$tool" "$@" >out 2>err || status=$?
    ((status == want)) || fail "$*: status $status, not $want: $(tail -n 3 err)"
    grep -qF -- "$text" out err || fail "$*: does not say '$text': $(tail -n 3 err)"
}

expect 2 "unknown option '--nonsense'" --nonsense
expect 2 "--ops: a value is missing" --ops
expect 2 "'10' is not a number from 1000" --ops 10
expect 2 "'many' is not a number" --timers many
expect 0 "usage: bench/counts" --help

command -v valgrind >/dev/null || exit 77
expect 3 "not there" --tool ./none
few=(--ops 1000 --timers 1000 --workload reset-later --workload expire --backend heap --backend wheel)
expect 1 "unknown name 'tree'" "${few[@]}" --backend tree
expect 0 "wheel" "${few[@]}"
cp out first
# Each asked for once, and at least a lock's worth of instructions.
awk 'NR > 1 { ++rows[$1 " " $3]; if ($4 < 10) exit bad = 1 }
     END { exit bad || NR != 5 || length(rows) != 4 }' first || fail "rows: $(cat first)"
expect 0 "wheel" "${few[@]}"
diff <(awk '{ print $1, $2, $3, $4 }' first) <(awk '{ print $1, $2, $3, $4 }' out) ||
    fail "two runs count differently"
echo "all as told"
