#include "trace/dense.h"

#include <stdlib.h>
#include <string.h>

/* Without memory uthash leaves the table as it was, and tells. */
#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(entry) (no_memory = true)
#include <uthash.h>

struct dense_entry {
    UT_hash_handle hh;
    uint64_t number;
    size_t length;
    char key[];
};

static dense_entry *add(dense *d, const void *key, size_t length) {
    bool no_memory = false;
    if (d->count == d->room) {
        const uint64_t room = d->room == 0 ? 64 : 2 * d->room;
        dense_entry **entries = realloc(d->entries, room * sizeof *entries);
        if (entries == NULL) return NULL;
        d->entries = entries;
        d->room = room;
    }
    dense_entry *entry = malloc(sizeof *entry + length);
    if (entry == NULL) return NULL;
    memcpy(entry->key, key, length);
    entry->length = length;
    entry->number = d->count;
    HASH_ADD_KEYPTR(hh, d->table, entry->key, length, entry);
    if (no_memory) {
        free(entry);
        return NULL;
    }
    return d->entries[d->count++] = entry;
}

bool dense_number(uint64_t *out, dense *d, const void *key, size_t length) {
    dense_entry *entry;
    HASH_FIND(hh, d->table, key, length, entry);
    if (entry == NULL) entry = add(d, key, length);
    if (entry == NULL) return false;
    *out = entry->number;
    return true;
}

slice dense_key(const dense *d, uint64_t number) {
    return (slice){ d->entries[number]->key, d->entries[number]->length };
}

void dense_free(dense *d) {
    HASH_CLEAR(hh, d->table);
    for (uint64_t i = 0; i < d->count; ++i) free(d->entries[i]);
    free(d->entries);
    *d = (dense){ 0 };
}
