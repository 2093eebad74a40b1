/* Objects of users (timers, tickers, mailboxes) live in a bucket's memory and may be freed after the
 * runtime was destroyed. The list of them keeps lock and memory table alive until then. */
#include "bucket/bucket.h"

#include <errno.h>

static void enlist_locked(tri_bucket *bucket, tri_resident *resident) {
    tri_assert_held(&bucket->lock);
    resident->next = bucket->residents;
    resident->link = &bucket->residents;
    if (resident->next != NULL) resident->next->link = &resident->next;
    bucket->residents = resident;
}

void *tri_resident_new(tri_bucket *bucket, size_t size, int *error) {
    tri_lock_take(&bucket->lock);
    tri_resident *resident = NULL;
    *error = bucket->closing ? -ESHUTDOWN : -ENOMEM;
    if (!bucket->closing) resident = tri_memory_take(&bucket->memory, size);
    if (resident != NULL) {
        resident->close = NULL;
        enlist_locked(bucket, resident);
        *error = 0;
    }
    tri_lock_drop(&bucket->lock);
    return resident;
}

bool tri_resident_enter(tri_bucket *bucket, tri_resident *resident) {
    tri_lock_take(&bucket->lock);
    const bool open = !bucket->closing;
    if (open) enlist_locked(bucket, resident);
    tri_lock_drop(&bucket->lock);
    return open;
}

bool tri_resident_leave(tri_bucket *bucket, tri_resident *resident, size_t size) {
    tri_shared *shared = bucket->shared;
    tri_lock_take(&bucket->lock);
    *resident->link = resident->next;
    if (resident->next != NULL) resident->next->link = resident->link;
    if (size != 0) tri_memory_give(&bucket->memory, resident, size);
    const bool last = bucket->closing && bucket->residents == NULL;
    tri_lock_drop(&bucket->lock);
    return last && tri_shared_let_go(shared);
}
