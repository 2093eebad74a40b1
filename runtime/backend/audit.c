#include "backend/audit.h"

#include <inttypes.h>
#include <stdlib.h>

/* From libc and not from the worker's table, so that a test whose n-th allocation fails does not
 * have its count disturbed. */
void tri_audit_begin(tri_audit *audit, const tri_backend *backend, FILE *why) {
    *audit = (tri_audit){ .backend = backend, .why = why, .good = true };
    audit->seen = calloc((size_t)backend->slots->made + 1, 1);
}

void tri_audit_expect(tri_audit *audit, bool holds, const char *what, uint64_t where) {
    if (holds) return;
    audit->good = false;
    fprintf(audit->why, "%s: %s (at %" PRIu64 ")\n", audit->backend->ops->name, what, where);
}

/* Its slot, where there is one that has a current entry. */
static const tri_slot *slot_of(tri_audit *audit, uint32_t number) {
    const tri_slots *slots = audit->backend->slots;
    ++audit->entries;
    tri_audit_expect(audit, number < slots->made, "an entry names no slot", number);
    if (number >= slots->made) return NULL;
    const tri_slot *slot = tri_slot_at(slots, number);
    return slot->key != TRI_NEVER ? slot : NULL;
}

static bool note_current(tri_audit *audit, uint32_t number) {
    if (audit->seen == NULL) return true;
    tri_audit_expect(audit, audit->come_round || !audit->seen[number],
                     "a slot has two current entries", number);
    audit->seen[number] = 1;
    return true;
}

bool tri_audit_entry(tri_audit *audit, uint32_t number, uint32_t version) {
    const tri_slot *slot = slot_of(audit, number);
    return slot != NULL && slot->mark == version && note_current(audit, number);
}

bool tri_audit_keyed(tri_audit *audit, uint32_t number, uint32_t version, int64_t key) {
    const tri_slot *slot = slot_of(audit, number);
    return slot != NULL && slot->mark == version && slot->key == key && note_current(audit, number);
}

bool tri_audit_end(tri_audit *audit) {
    const tri_backend *backend = audit->backend;
    size_t live = 0;
    bool earliest_met = backend->earliest == TRI_NEVER;
    for (uint32_t i = 0; i < backend->slots->made; ++i) {
        const tri_slot *slot = tri_slot_at(backend->slots, i);
        if (slot->key != TRI_NEVER && audit->seen != NULL)
            tri_audit_expect(audit, audit->seen[i], "a slot has a key and no current entry", i);
        if (slot->deadline == TRI_NEVER) continue;
        ++live;
        if (slot->deadline == backend->earliest) earliest_met = true;
        tri_audit_expect(audit, slot->key <= slot->deadline, "a slot is looked at too late", i);
    }
    tri_audit_expect(audit, earliest_met, "the earliest deadline is nobody's", live);
    tri_audit_expect(audit, live == backend->live, "live slots are miscounted", live);
    tri_audit_expect(audit, audit->entries == backend->entries, "entries are miscounted",
                     audit->entries);
    free(audit->seen);
    return audit->good;
}
