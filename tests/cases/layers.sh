#!/usr/bin/env bash
# Shows: tests/layers accepts a tree that keeps the layers, and reports each breach planted in it
# with the place. usage: layers.sh SOURCE_FOLDER
set -euo pipefail

source_dir=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# A small tree in order: includes of its own layer and of one or several layers down.
plant_clean() {
    rm -rf "$scratch/runtime"
    mkdir -p "$scratch"/runtime/{system,backend,bucket,dispatch,proc,api}
    cd "$scratch/runtime"
    echo 'pthread_mutex_t mutex;' >system/lock.h
    printf '#include "system/lock.h"\n' >backend/heap.c
    printf '#include "backend/backend.h"\nb->ops->add(b, slot);\n' >bucket/bucket.c
    printf '#include "bucket/bucket.h"\n' >dispatch/mailbox.c
    printf '#include "dispatch/mailbox.h"\n' >proc/timerproc.c
    printf '#include <tarry/core.h>\n#include "bucket/bucket.h"\nif (ops->tick != 0) return;\n' >api/core.c
    cd - >/dev/null
}

fail() {
    echo "$*"
    failed=1
}

# expect_breach FILE LINE TEXT: with that line added, the check fails and names its place and TEXT.
expect_breach() {
    plant_clean
    printf '%s\n' "$2" >>"$scratch/runtime/$1"
    local said place
    place=runtime/$1:$(wc -l <"$scratch/runtime/$1"):
    if said=$("$source_dir/tests/layers" "$scratch/runtime"); then
        fail "accepted in $1: $2"
    elif [[ $said != "$place "*"$3"* ]]; then
        fail "in $1: $2: expected '$place ...$3', got '$said'"
    fi
}

plant_clean
"$source_dir/tests/layers" "$scratch/runtime" || fail "a tree that keeps the layers was refused"

expect_breach system/clock.c '#include "backend/backend.h"' 'system lies below backend'
expect_breach backend/heap.c '#include "bucket/slot.h"' 'backend lies below bucket'
expect_breach bucket/bucket.c '#include "dispatch/mailbox.h"' 'bucket lies below dispatch'
expect_breach dispatch/executor.c '#  include "proc/worker.h"' 'dispatch lies below proc'
expect_breach proc/drive.c ' #include "api/runtime.h"' 'proc lies below api'
expect_breach backend/heap.c '#include "api/runtime.h"' 'backend lies below api'
expect_breach api/core.c '#include "object.h"' 'names no layer'
expect_breach extra.c 'int x;' 'lies in no layer'
expect_breach api/registry.c 'static pthread_mutex_t lock;' 'pthread_mutex'
expect_breach proc/drive.c 'at = backend->ops->next(backend);' 'calls a backend'

mkdir "$scratch/empty"
"$source_dir/tests/layers" "$scratch/empty" 2>/dev/null && fail "a folder without source was accepted"
exit "$failed"
