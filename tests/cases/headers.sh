#!/usr/bin/env bash
# Shows: each public header compiles alone, and included twice, as C11, C17 and C++17, without a
# warning. usage: headers.sh SOURCE_FOLDER C_COMPILER C++_COMPILER
set -euo pipefail

source_dir=$1 cc=$2 cxx=$3
warnings=(-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)
failed=0

# compiles HEADER COMPILER LANGUAGE STANDARD
compiles() {
    printf '#include <tarry/%s>\n' "$1" "$1" |
        "$2" -x "$3" -std="$4" "${warnings[@]}" -I "$source_dir/include" -fsyntax-only - ||
        {
            echo "$1 does not compile as $4"
            failed=1
        }
}

for path in "$source_dir"/include/tarry/*.h; do
    header=${path##*/}
    compiles "$header" "$cc" c c11
    compiles "$header" "$cc" c c17
    compiles "$header" "$cxx" c++ c++17
    grep -q "<tarry/$header>" "$source_dir/include/tarry/tarry.h" || [[ $header == tarry.h ]] || {
        echo "tarry.h does not include $header"
        failed=1
    }
done
exit "$failed"
