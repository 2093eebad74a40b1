#!/usr/bin/env bash
# Shows: each public header compiles alone, and included twice, as C11, C17 and C++17, and so does a
# program that uses them, without a warning. usage: headers.sh SOURCE_FOLDER C_COMPILER C++_COMPILER
set -euo pipefail

source_dir=$1 cc=$2 cxx=$3
warnings=(-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)
failed=0

# compiles NAME COMPILER LANGUAGE STANDARD: the program on the standard input.
compiles() {
    "$2" -x "$3" -std="$4" "${warnings[@]}" -I "$source_dir/include" -fsyntax-only - || {
        echo "$1 does not compile as $4"
        failed=1
    }
}

# in_each_language NAME PROGRAM
in_each_language() {
    compiles "$1" "$cc" c c11 <<<"$2"
    compiles "$1" "$cc" c c17 <<<"$2"
    compiles "$1" "$cxx" c++ c++17 <<<"$2"
}

for path in "$source_dir"/include/tarry/*.h; do
    header=${path##*/}
    in_each_language "$header" "$(printf '#include <tarry/%s>\n' "$header" "$header")"
    grep -q "<tarry/$header>" "$source_dir/include/tarry/tarry.h" || [[ $header == tarry.h ]] || {
        echo "tarry.h does not include $header"
        failed=1
    }
done
in_each_language "a program" "$(<"$source_dir/tests/cases/consumer/main.c")"
exit "$failed"
