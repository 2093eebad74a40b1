#!/usr/bin/env bash
# Shows: the shared library exports what runtime/tarry.map lists, which is what the public headers
# declare, and nothing else; the static library defines no name that could clash with a program's.
# usage: exports.sh SOURCE_FOLDER SHARED_LIBRARY STATIC_LIBRARY
set -euo pipefail
export LC_ALL=C

source_dir=$1 shared=$2 static=$3
failed=0

declared=$(cat "$source_dir"/include/tarry/*.h | tr '\n' ' ' |
    grep -oE 'TARRY_API [^;]*;' | grep -oE 'tarry_[a-z0-9_]+\(' | tr -d '(' | sort -u)
listed=$(grep -oE '^ +[a-z0-9_]+;' "$source_dir/runtime/tarry.map" | tr -d ' ;' | sort)
exported=$(nm -D --defined-only "$shared" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort)

# same NAME LIST NAME LIST
same() {
    [[ -n $2 && $2 == "$4" ]] && return
    failed=1
    echo "$1 (<) and $3 (>) differ:"
    diff <(echo "$2") <(echo "$4") || true
}
same "the headers" "$declared" "runtime/tarry.map" "$listed"
same "runtime/tarry.map" "$listed" "${shared##*/}" "$exported"

strangers=$(nm -g --defined-only "$static" | awk 'NF == 3 { print $3 }' |
    grep -vE '^(tarry_|tri_|__odr_asan)' || true)
if [[ -n $strangers ]]; then
    echo "${static##*/} defines names without its prefix:" $strangers
    failed=1
fi
exit "$failed"
