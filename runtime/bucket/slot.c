#include "bucket/slot.h"

#include "system/lock.h"

#include <errno.h>
#include <string.h>

#define SLOTS_SIZE (TRI_SEGMENT_SLOTS * sizeof(tri_slot))
#define ACTIONS_SIZE (TRI_SEGMENT_SLOTS * sizeof(tri_action))
#define FIRST_DIRECTORY 8u

void tri_slot_table_fini(tri_slot_table *table, tri_memory *memory) {
    for (uint32_t i = 0; i < table->segments; ++i) {
        tri_memory_give(memory, table->slots.segments[i], SLOTS_SIZE);
        tri_memory_give(memory, table->actions[i], ACTIONS_SIZE);
    }
    tri_memory_give(memory, table->slots.segments, table->directory * sizeof(void *));
    tri_memory_give(memory, table->actions, table->directory * sizeof(void *));
    memset(table, 0, sizeof *table);
}

static int grow_directory(tri_slot_table *table, tri_memory *memory) {
    const uint32_t room = table->directory == 0 ? FIRST_DIRECTORY : table->directory * 2;
    void *slots = tri_memory_take(memory, room * sizeof(void *));
    void *actions = tri_memory_take(memory, room * sizeof(void *));
    if (slots == NULL || actions == NULL) {
        tri_memory_give(memory, slots, room * sizeof(void *));
        tri_memory_give(memory, actions, room * sizeof(void *));
        return -ENOMEM;
    }
    if (table->directory != 0) {
        memcpy(slots, table->slots.segments, table->segments * sizeof(void *));
        memcpy(actions, table->actions, table->segments * sizeof(void *));
    }
    tri_memory_give(memory, table->slots.segments, table->directory * sizeof(void *));
    tri_memory_give(memory, table->actions, table->directory * sizeof(void *));
    table->slots.segments = slots;
    table->actions = actions;
    table->directory = room;
    return 0;
}

int tri_slot_table_init(tri_slot_table *table, tri_memory *memory) {
    memset(table, 0, sizeof *table);
    table->free = TRI_NO_SLOT;
    return grow_directory(table, memory);
}

int tri_slot_table_grow(tri_slot_table *table, tri_memory *memory, bool *grown) {
    *grown = false;
    if (table->free != TRI_NO_SLOT || table->slots.made < table->slots.room) return 0;
    if (table->slots.room > TRI_NO_SLOT - TRI_SEGMENT_SLOTS) return -ENOMEM;
    tri_slot *slots = tri_memory_take(memory, SLOTS_SIZE);
    tri_action *actions = tri_memory_take(memory, ACTIONS_SIZE);
    if (slots == NULL || actions == NULL ||
        (table->segments == table->directory && grow_directory(table, memory) != 0)) {
        tri_memory_give(memory, slots, SLOTS_SIZE);
        tri_memory_give(memory, actions, ACTIONS_SIZE);
        return -ENOMEM;
    }
    table->slots.segments[table->segments] = slots;
    table->actions[table->segments] = actions;
    ++table->segments;
    table->slots.room += TRI_SEGMENT_SLOTS;
    *grown = true;
    return 0;
}

void tri_slot_table_shrink(tri_slot_table *table, tri_memory *memory) {
    --table->segments;
    table->slots.room -= TRI_SEGMENT_SLOTS;
    tri_memory_give(memory, table->slots.segments[table->segments], SLOTS_SIZE);
    tri_memory_give(memory, table->actions[table->segments], ACTIONS_SIZE);
}

uint32_t tri_slot_open(tri_slot_table *table, uint32_t kind, const tri_action *action) {
    uint32_t number = table->free;
    tri_slot *slot;
    if (number != TRI_NO_SLOT) {
        slot = tri_slot_at(&table->slots, number);
        table->free = slot->link;
    } else {
        /* Initialised here and not by the segment, so that memory not yet used is not touched. */
        number = table->slots.made++;
        slot = tri_slot_at(&table->slots, number);
        *slot = (tri_slot){ .deadline = TRI_NEVER, .key = TRI_NEVER, .generation = 1 };
    }
    slot->state = TRI_USED | kind;
    slot->link = TRI_NO_SLOT;
    *tri_slot_action(table, number) = *action;
    ++table->used;
    return number;
}

void tri_slot_retire(tri_slot_table *table, uint32_t number) {
    tri_slot *slot = tri_slot_at(&table->slots, number);
    ++slot->generation;
    slot->state &= ~(uint32_t)(TRI_USED | TRI_DUE);
}

void tri_slot_release(tri_slot_table *table, uint32_t number) {
    tri_slot *slot = tri_slot_at(&table->slots, number);
    tri_assert((slot->state & (TRI_LINKED | TRI_RUNNING | TRI_USED)) == 0);
    tri_assert(slot->deadline == TRI_NEVER);
    slot->state = 0;
    --table->used;
    /* Its generations are used up after 2^32 timers: it stays empty for good, so that no handle,
     * however old, ever names another timer. */
    if (slot->generation == 0) return;
    slot->link = table->free;
    table->free = number;
}

