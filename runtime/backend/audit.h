/* The part of `check` that is the same for every lazy backend (lazy.h): the entries are counted one
 * by one, and held against a dumb scan of all slots. */
#ifndef TRI_AUDIT_H
#define TRI_AUDIT_H

#include "backend/backend.h"

typedef struct tri_audit {
    const tri_backend *backend;
    FILE *why;
    unsigned char *seen; /* for each slot: its current entry was met. NULL: there was no memory */
    size_t entries;
    bool come_round; /* versions do: two entries of one point may look alike, and one is dropped when
                      * it is looked at after the other */
    bool good;
} tri_audit;

void tri_audit_begin(tri_audit *audit, const tri_backend *backend, FILE *why);
/* Note an entry. True: it is its slot's current one. */
bool tri_audit_entry(tri_audit *audit, uint32_t slot, uint32_t version);
/* The same where versions come round again, and a key tells those apart that look alike. */
bool tri_audit_keyed(tri_audit *audit, uint32_t slot, uint32_t version, int64_t key);
/* Report a broken invariant if it does not hold. */
void tri_audit_expect(tri_audit *audit, bool holds, const char *what, uint64_t where);
/* Compare with the slots. True: all was well from begin to end. */
bool tri_audit_end(tri_audit *audit);

#endif
