/* The slots of a bucket: which are in use, whose they are (the generation), and what each does when
 * it is due. A slot is never given back while the bucket lives, so that a stale handle can always
 * be recognised; its memory is reused by the next timer. */
#ifndef TRI_SLOT_H
#define TRI_SLOT_H

#include "backend/slots.h"
#include "bucket/state.h"
#include "system/memory.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct tri_waiter tri_waiter;

/* For a timer whose firing is a message: done at once, under the bucket's lock, the lock that stop
 * and reset take, so that after them no message from before can turn up. */
typedef struct tri_delivery {
    /* Leave the message, under the bucket's lock. Waiters to be woken after the lock is dropped are pushed onto *wakes.
     * Returns the next deadline, or TRI_NEVER. */
    int64_t (*deliver)(void *argument, int64_t deadline, int64_t now, tri_waiter **wakes);
    /* Take the message back; true: there was one that nobody had received. */
    bool (*take_back)(void *argument);
} tri_delivery;

typedef struct tri_action {
    union {
        void (*callback)(void *argument);
        const tri_delivery *delivery; /* TRI_DELIVERY */
    };
    void *argument;
} tri_action;

typedef struct tri_slot_table {
    tri_slots slots;      /* (b) what the backend sees */
    tri_action **actions; /* (b) a segment beside each of slots' */
    uint32_t segments;    /* (b) segments that exist */
    uint32_t directory;   /* (b) pointers that there is room for */
    uint32_t free;        /* (b) first of the free slots, the last used first; TRI_NO_SLOT: none */
    uint32_t used;        /* (b) slots in use, doomed ones included */
} tri_slot_table;

/* 0 or -ENOMEM. */
int tri_slot_table_init(tri_slot_table *table, tri_memory *memory);
void tri_slot_table_fini(tri_slot_table *table, tri_memory *memory);

/* Make sure that one more slot can be opened. 0, or -ENOMEM with nothing changed. *grown tells
 * whether a segment was added, which tri_slot_table_shrink takes back. */
int tri_slot_table_grow(tri_slot_table *table, tri_memory *memory, bool *grown);
void tri_slot_table_shrink(tri_slot_table *table, tri_memory *memory);

/* Take a free slot into use. Pre: tri_slot_table_grow succeeded. */
uint32_t tri_slot_open(tri_slot_table *table, uint32_t kind, const tri_action *action);
/* From now on no handle names it; it can still be LINKED or RUNNING. */
void tri_slot_retire(tri_slot_table *table, uint32_t slot);
/* Back to the free ones. Pre: retired, neither LINKED nor RUNNING, not in the backend. */
void tri_slot_release(tri_slot_table *table, uint32_t slot);

/* The slot that a handle names, or NULL: stale. */
static inline tri_slot *tri_slot_find(const tri_slot_table *table, uint32_t number,
                                      uint32_t generation) {
    if (number >= table->slots.made) return NULL;
    tri_slot *slot = tri_slot_at(&table->slots, number);
    return slot->generation == generation && (slot->state & TRI_USED) != 0 ? slot : NULL;
}

/* As tri_slot_find, but only a slot in the plainest state: TRI_USED and nothing else. */
static inline tri_slot *tri_slot_find_plain(const tri_slot_table *table, uint32_t number,
                                            uint32_t generation) {
    if (number >= table->slots.made) return NULL;
    tri_slot *slot = tri_slot_at(&table->slots, number);
    return ((slot->generation ^ generation) | (slot->state ^ TRI_USED)) == 0 ? slot : NULL;
}

static inline tri_action *tri_slot_action(const tri_slot_table *table, uint32_t slot) {
    return &table->actions[slot >> TRI_SEGMENT_BITS][slot & (TRI_SEGMENT_SLOTS - 1)];
}

#endif
