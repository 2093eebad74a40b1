#!/usr/bin/env bash
# Shows: each C program in README.md compiles as it stands there, without a warning, against the
# static library, and runs to a good end. usage: readme.sh SOURCE_FOLDER STATIC_LIBRARY C_COMPILER
# LINK_OPTION...
set -euo pipefail

source_dir=$1 static=$2 cc=$3
shift 3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

awk -v folder="$scratch" '
/^```/ { inside = !inside && $0 == "```c"; if (inside) file = folder "/" ++count ".c"; next }
inside { print > file }
' "$source_dir/README.md"

programs=0
for program in "$scratch"/*.c; do
    grep -q 'int main(' "$program" || continue
    programs=$((programs + 1))
    "$cc" -std=c11 -Wall -Wextra -Wpedantic -Werror -I "$source_dir/include" "$program" -o "$scratch/program" \
        "$static" "$@"
    timeout 30 "$scratch/program" </dev/null
done
if ((programs == 0)); then
    echo "README.md shows no C program"
    exit 1
fi
echo "$programs compiled and run"
