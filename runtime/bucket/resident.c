/* Objects of users (timers, tickers, mailboxes) live in a bucket's memory and may be freed after
 * the runtime was destroyed. The list of them keeps lock and memory table alive until then. */
#include "bucket/bucket.h"

#include <errno.h>

int tri_resident_take_locked(void **out, tri_bucket *bucket, size_t size) {
    tri_assert_held(&bucket->lock);
    if (bucket->closing) return -ESHUTDOWN;
    *out = tri_memory_take(&bucket->memory, size);
    return *out != NULL ? 0 : -ENOMEM;
}

void tri_resident_enter_locked(tri_bucket *bucket, tri_resident *resident) {
    tri_assert_held(&bucket->lock);
    tri_list_add(&bucket->residents, &resident->listed);
}

bool tri_resident_leave_locked(tri_bucket *bucket, tri_resident *resident, size_t size) {
    tri_assert_held(&bucket->lock);
    tri_list_remove(&resident->listed);
    if (size != 0) tri_memory_give(&bucket->memory, resident, size);
    return bucket->closing && bucket->residents == NULL;
}
