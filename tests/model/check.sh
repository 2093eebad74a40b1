#!/bin/bash
# Check the models with spin: each must hold over its complete state space, and must fail with each
# of the switches that its first comment lists, which take away or misplace one step.
# usage: check.sh COMPILER
set -euo pipefail

compiler=${1:?usage: check.sh COMPILER}
folder=$(cd "$(dirname "$0")" && pwd)
if ! command -v spin >/dev/null; then
    echo "check.sh: spin was not found: install the package spin" >&2
    exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0

# search MODEL [SWITCH]: prints what the verifier says.
search() {
    spin ${2:+-D"$2"} -a "$folder/$1.pml" >spin.log || { cat spin.log; return 1; }
    "$compiler" -std=gnu11 -w -DSAFETY -o pan pan.c
    ./pan -m100000 -w20 2>&1
}

# A search that did not see every state has shown nothing.
holds() {
    local said states
    said=$(search "$1")
    states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored$/\1/p' <<<"$said")
    if grep -q 'errors: 0$' <<<"$said" && ! grep -Eq 'not completed|too small|truncated' <<<"$said"; then
        echo "$1: holds in all $states states"
    else
        echo "$1: DOES NOT HOLD"
        echo "$said"
        failed=1
    fi
}

fails() {
    local said
    said=$(search "$1" "$2")
    if grep -q 'errors: 1$' <<<"$said"; then
        echo "$1 with $2: fails, as it must ($(sed -n 's/^pan:1: \(.*\) (at depth.*/\1/p' <<<"$said"))"
    else
        echo "$1 with $2: NOTHING WAS FOUND"
        failed=1
    fi
}

for path in "$folder"/*.pml; do
    model=$(basename "$path" .pml)
    holds "$model"
    for switch in $(sed -n 's/^ \*   \([A-Z_]*\)  .*/\1/p' "$path"); do
        if ! grep -Eq "defined $switch|ifn?def $switch" "$path"; then
            echo "$model does not know $switch"
            failed=1
        fi
        fails "$model" "$switch"
    done
done
exit $failed
