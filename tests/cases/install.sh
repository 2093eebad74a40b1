#!/usr/bin/env bash
# Shows: a stranger's program builds and runs with the shared and with the static library, through
# the CMake package of a staged install and of the build tree, by add_subdirectory, through
# pkg-config, and with nothing but the compiler.
# usage: install.sh SOURCE_FOLDER BUILD_FOLDER C_COMPILER JEMALLOC(ON|OFF)
set -euo pipefail

source_dir=$1 build=$2 cc=$3 jemalloc=$4
consumer=$source_dir/tests/cases/consumer
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# The log of what failed goes to the output, of the rest to nowhere.
attempt() {
    local what=$1
    shift
    if "$@" >"$scratch/log" 2>&1; then
        echo "ok    $what"
    else
        echo "FAIL  $what (status $?)"
        cat "$scratch/log"
        failed=1
    fi
}

DESTDIR=$scratch/stage cmake --install "$build" --prefix /usr >"$scratch/log" || {
    cat "$scratch/log"
    exit 1
}
pc=$(find "$scratch/stage" -name tarry.pc)
lib=${pc%/pkgconfig/tarry.pc}
include=$scratch/stage/usr/include
export PKG_CONFIG_PATH=$lib/pkgconfig

# with_cmake NAME ARGUMENT...: both programs are built and run.
with_cmake() {
    local name=$1
    shift
    cmake -S "$consumer" -B "$scratch/$name" -DCMAKE_C_COMPILER="$cc" "$@" &&
        cmake --build "$scratch/$name" && "$scratch/$name/with_tarry" && "$scratch/$name/with_static"
}

refused() {
    ! "$@"
}

with_pkg_config() {
    # shellcheck disable=SC2046
    "$cc" "$consumer/main.c" -o "$scratch/pc" $(pkg-config --cflags --libs tarry) &&
        LD_LIBRARY_PATH=$lib "$scratch/pc"
}

without_help() {
    local extra=(-pthread)
    [[ $jemalloc == OFF ]] || extra+=(-ljemalloc)
    "$cc" -I "$include" "$consumer/main.c" -o "$scratch/plain" "$lib/libtarry.a" "${extra[@]}" &&
        "$scratch/plain"
}

# What pkg-config --static adds is what the static library needs.
with_pkg_config_static() {
    # shellcheck disable=SC2046
    "$cc" $(pkg-config --cflags tarry) "$consumer/main.c" -o "$scratch/pc_static" \
        $(pkg-config --static --libs tarry | sed 's/-ltarry/-l:libtarry.a/') && "$scratch/pc_static"
}

attempt "CMake package, installed" with_cmake installed -DCMAKE_PREFIX_PATH="$scratch/stage/usr"
attempt "CMake package, build tree" with_cmake build_tree -Dtarry_DIR="$build"
attempt "CMake package, older minor version asked for" \
    refused with_cmake version -Dtarry_DIR="$build" -DWANTED=0.0.1
attempt "add_subdirectory" with_cmake subdirectory -DSUBDIRECTORY="$source_dir" \
    -DTARRY_JEMALLOC="$jemalloc"
attempt "pkg-config, shared" with_pkg_config
attempt "pkg-config, static" with_pkg_config_static
attempt "compiler alone, static" without_help
exit "$failed"
