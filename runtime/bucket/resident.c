/* Objects of users (timers, tickers, mailboxes) live in a bucket's memory and may be freed after
 * the runtime was destroyed. The list of them keeps lock and memory table alive until then. */
#include "bucket/bucket.h"

#include <errno.h>

void *tri_resident_take(tri_bucket *bucket, size_t size) {
    tri_lock_take(&bucket->lock);
    void *block = tri_memory_take(&bucket->memory, size);
    tri_lock_drop(&bucket->lock);
    return block;
}

int tri_resident_enter(tri_bucket *bucket, tri_resident *resident, size_t size) {
    tri_lock_take(&bucket->lock);
    const bool closing = bucket->closing;
    if (!closing) {
        tri_list_add(&bucket->residents, &resident->listed);
    } else if (size != 0) {
        tri_memory_give(&bucket->memory, resident, size);
    }
    tri_lock_drop(&bucket->lock);
    return closing ? -ESHUTDOWN : 0;
}

bool tri_resident_leave(tri_bucket *bucket, tri_resident *resident, size_t size) {
    tri_shared *shared = bucket->shared;
    tri_lock_take(&bucket->lock);
    tri_list_remove(&resident->listed);
    if (size != 0) tri_memory_give(&bucket->memory, resident, size);
    const bool last = bucket->closing && bucket->residents == NULL;
    tri_lock_drop(&bucket->lock);
    return last && tri_shared_let_go(shared);
}
