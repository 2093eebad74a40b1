/* tiered: timers that are due soon in exact order (tiered_near.h), all others unsorted in slots of
 * time (tiered_levels.h), with lazy stop and reset (lazy.h). Exact to the ns, or with a tick.
 *
 * What is added goes into the near part if its time is near, and else is one 8-byte append; most
 * are stopped or moved before their time, and have then cost nothing else. As time comes to a slot,
 * its entries go on:
 *
 *   a coarse slot           down to finer ones; a few straight into the near heap
 *   one of the main level   sorted into the next run of the near part. With a tick its timers fire,
 *                           from where they lie, in no order
 *   one that is crowded     is split first, so that a run is short
 *
 * The near part's head is the earliest of all while it is before the start of the first occupied
 * slot, the gate. So any key may be in the near heap, and a few timers are all in it: the levels
 * are made when there is room for more, and used when the heap has its few.
 *
 * With a tick it is the same structure: the deadlines are rounded up to ticks, and the main level's
 * slots are one tick wide.
 *
 * ns per stop + add, reset to later, and expiry, of a million (no lock): heap 46, 22 and 95,
 * wheel 37, 22 and 11, this one 40, 22 and 17, with a tick 40, 23 and 11. Of calls of pop_due 10
 * ms apart, with a million, the longest takes 0.1 ms. */
#include "backend/tiered.h"

#include <errno.h>

enum {
    FEW_SLOTS = 48,    /* so many are all in the near heap */
    FEW_ENTRIES = 24,  /* so many of a coarse slot go straight into the near heap */
    SOON = 256,        /* in slots of the main level: how far ahead `next` moves the horizon */
    CROWD = 8192       /* more entries of a slot than `next` moves in one call */
};

/* What may be done in one go. */
typedef struct tri_pace {
    size_t drops;
    size_t moves; /* drops included */
} tri_pace;

/* Where the entries of a slot go. */
typedef enum tri_way { DOWN, SPLIT, TO_HEAP, TO_RUN, FIRE } tri_way;

static inline tri_queue *queue_of(tri_tiered *tiered, const tri_place *place) {
    return &tiered->levels.slots[place->slot];
}

/* Let the slot's entry with its version wait at this level. False: there is no room. */
static bool append(tri_tiered *tiered, unsigned level, uint64_t tick, uint32_t number,
                   tri_slot *slot) {
    const uint64_t kept = tri_levels_append(&tiered->levels, level, tick, number,
                                            (uint16_t)slot->mark);
    if (kept == TRI_NO_TICK) return false;
    slot->key = tri_tick_first(tiered->levels.tick_ns, kept);
    ++tiered->base.entries;
    return true;
}

/* Give the slot a new entry where its deadline wants it. */
static __attribute__((noinline)) void requeue(tri_tiered *tiered, uint32_t number, tri_slot *slot) {
    tri_levels *levels = &tiered->levels;
    const uint64_t tick = tri_tick_up(levels->tick_ns, slot->deadline);
    slot->mark = (uint16_t)(slot->mark + 1);
    if (tiered->near.heap.end >= tiered->few && tri_levels_reach(levels, tick) &&
        append(tiered, tri_levels_of(levels, tick), tick, number, slot))
        return;
    tri_near_push(&tiered->near, &tiered->base, number, slot);
}

/* Give the slot a new entry, for add and move: all ways apart from the usual one, then that. */

static __attribute__((noinline)) bool sweep_and_note(tri_backend *base, int64_t deadline) {
    tri_tiered_sweep(base);
    return tri_lazy_note_earliest(base, deadline);
}

static __attribute__((noinline)) bool enter_unusually(tri_backend *base, uint32_t number,
                                                      tri_slot *slot) {
    const size_t before = base->entries;
    requeue(tri_tiered_of(base), number, slot);
    /* Unless the near heap had to clean up. */
    if (base->entries > before && tri_backend_is_crowded(base)) tri_tiered_sweep(base);
    return tri_lazy_note_earliest(base, slot->deadline);
}

static bool enter(tri_backend *base, uint32_t number, tri_slot *slot) {
    tri_tiered *tiered = tri_tiered_of(base);
    tri_levels *levels = &tiered->levels;
    const uint64_t tick = tri_tick_up(levels->tick_ns, slot->deadline);
    if (tiered->near.heap.end < tiered->few || !tri_levels_reach(levels, tick))
        return enter_unusually(base, number, slot);
    const unsigned level = tri_levels_of(levels, tick);
    tri_queue *queue = tri_levels_queue(levels, level, tick);
    if (queue->spare == 0) return enter_unusually(base, number, slot);
    const uint16_t version = (uint16_t)(slot->mark + 1);
    const uint64_t kept = tri_levels_fill(levels, queue, level, tick, number, version);
    slot->mark = version;
    slot->key = tri_tick_first(levels->tick_ns, kept);
    ++base->entries;
    if (tri_backend_is_crowded(base)) return sweep_and_note(base, slot->deadline);
    return tri_lazy_note_earliest(base, slot->deadline);
}

/* Entries go on. */

/* Let an entry of a coarse slot wait in a finer one. False: there is no room. */
static inline bool descend(tri_levels *levels, const tri_place *place, tri_queue_entry entry) {
    const uint64_t tick = tri_levels_tick(levels, place, entry);
    return tri_levels_append(levels, tri_levels_of(levels, tick), tick, entry.slot,
                             tri_levels_version(entry)) != TRI_NO_TICK;
}

/* Let the timer of a crowded slot wait in a finer one, under its deadline. */
static bool split(tri_tiered *tiered, const tri_place *place, uint32_t number, tri_slot *slot) {
    const uint64_t tick = tri_tick_up(tiered->levels.tick_ns, slot->deadline);
    return append(tiered, place->level - 1, tick, number, slot);
}

/* An entry of a slot goes on, or is dropped. False: nobody needs it. end: the last deadline that
 * belongs into the slot. */
static inline bool bring(tri_tiered *tiered, const tri_place *place, int64_t end, tri_way way,
                         tri_queue_entry entry) {
    tri_slot *slot = tri_slot_at(tiered->base.slots, entry.slot);
    if (!tri_lazy_keep(slot, tri_levels_version(entry))) return false;
    if (slot->deadline > end)
        requeue(tiered, entry.slot, slot);
    else if (way == TO_RUN)
        tri_near_gather(&tiered->near, &tiered->base, entry.slot, slot);
    else if (way == DOWN && descend(&tiered->levels, place, entry))
        ++tiered->base.entries;
    else if (way != SPLIT || !split(tiered, place, entry.slot, slot))
        tri_near_push(&tiered->near, &tiered->base, entry.slot, slot);
    return true;
}

/* Empty a slot, with a look at each timer, as far as the pace allows. */
static void look_through(tri_tiered *tiered, const tri_place *place, tri_way way,
                         tri_pace *pace) {
    const int64_t end = tri_tick_start(tiered->levels.tick_ns, place->last);
    const tri_queue *queue = &tiered->levels.slots[place->slot];
    bool begun = false;
    while (queue->length != 0 && pace->drops != 0 && pace->moves != 0) {
        size_t count;
        const tri_queue_entry *entries =
            tri_lazy_front(tiered->base.slots, queue, &begun, &count);
        if (count > pace->moves) count = pace->moves;
        if (count > pace->drops) count = pace->drops;
        for (size_t i = 0; i < count; ++i)
            pace->drops -= !bring(tiered, place, end, way, entries[i]);
        tri_levels_skip(&tiered->levels, place->slot, count);
        tiered->base.entries -= count;
        pace->moves -= count;
    }
}

/* The same for a coarse slot without one: its entries know their ticks well enough. */
static void go_down(tri_tiered *tiered, const tri_place *place, tri_pace *pace) {
    tri_levels *levels = &tiered->levels;
    const int64_t end = tri_tick_start(levels->tick_ns, place->last);
    const tri_queue *queue = &levels->slots[place->slot];
    while (queue->length != 0 && pace->moves != 0) {
        size_t count;
        const tri_queue_entry *entries = tri_lazy_front_alone(queue, &count);
        if (count > pace->moves) count = pace->moves;
        for (size_t i = 0; i < count; ++i) {
            if (descend(levels, place, entries[i])) continue;
            --tiered->base.entries;
            bring(tiered, place, end, TO_HEAP, entries[i]);
        }
        tri_levels_skip(levels, place->slot, count);
        pace->moves -= count;
    }
}

/* Where the entries of the first slot go. */
static tri_way way_of(const tri_tiered *tiered, const tri_place *place) {
    const tri_levels *levels = &tiered->levels;
    const uint32_t length = levels->slots[place->slot].length;
    if (place->level > levels->main) return length <= FEW_ENTRIES ? TO_HEAP : DOWN;
    if (!tiered->exact) return FIRE;
    /* The horizon moves to the end of a slot that becomes the run, past all finer slots in it. */
    const bool over_finer = (levels->in_use & ((1u << place->level) - 1)) != 0;
    if (length + tiered->near.count <= TRI_RUN_MOST && !over_finer) return TO_RUN;
    return place->level != 0 && length > TRI_RUN_MOST ? SPLIT : TO_HEAP;
}

/* To look at timers on the way down is for the dead ones' sake. It pays where there are many, but
 * takes twice as long: in a crowd that is not worth the pause. */
static bool goes_down_alone(const tri_tiered *tiered, const tri_place *place) {
    const tri_backend *base = &tiered->base;
    return base->entries <= base->live + base->live / 8 ||
           tiered->levels.slots[place->slot].length > CROWD;
}

/* Empty the first slot, in a way that is not FIRE, as far as the pace allows. */
static void empty(tri_tiered *tiered, const tri_place *place, tri_way way, tri_pace *pace) {
    if (way != TO_RUN && tiered->near.count != 0) tri_near_scatter(&tiered->near, &tiered->base);
    if (way == DOWN && goes_down_alone(tiered, place))
        go_down(tiered, place, pace);
    else
        look_through(tiered, place, way, pace);
    if (way == TO_RUN && queue_of(tiered, place)->length == 0) {
        tri_near_sort(&tiered->near, tri_tick_start(1, place->start),
                      tri_levels_shift(&tiered->levels, place->level));
        tri_levels_advance(&tiered->levels, place->last);
    }
}

/* Take due timers out of a slot that is one tick wide. What was moved to later is put there. */
static size_t fire_slot(tri_tiered *tiered, const tri_place *place, tri_due *due, size_t max) {
    const int64_t end = tri_tick_start(tiered->levels.tick_ns, place->start);
    const tri_queue *queue = queue_of(tiered, place);
    bool begun = false;
    size_t fired = 0;
    while (fired < max && queue->length != 0) {
        size_t count;
        const tri_queue_entry *entries =
            tri_lazy_front(tiered->base.slots, queue, &begun, &count);
        if (count > max - fired) count = max - fired;
        for (size_t i = 0; i < count; ++i) {
            tri_slot *slot = tri_slot_at(tiered->base.slots, entries[i].slot);
            if (!tri_lazy_keep(slot, tri_levels_version(entries[i]))) continue;
            if (slot->deadline > end)
                requeue(tiered, entries[i].slot, slot);
            else
                due[fired++] = tri_lazy_fire(&tiered->base, slot, entries[i].slot);
        }
        tri_levels_skip(&tiered->levels, place->slot, count);
        tiered->base.entries -= count;
    }
    return fired;
}

/* The near part's head, where it is the earliest of all and tells its slot's deadline. If not, it
 * has been dropped or put where it belongs, and the answer is NULL. Pre: it is before the gate. */
static inline tri_slot *true_head(tri_tiered *tiered, tri_quad_entry *head) {
    tri_slot *slot = tri_slot_at(tiered->base.slots, head->slot);
    const bool keeps = tri_near_keep(slot, head);
    if (keeps && slot->deadline == head->key) return slot;
    const uint32_t number = head->slot;
    tri_near_drop(&tiered->near, &tiered->base, head);
    if (keeps) requeue(tiered, number, slot);
    return NULL;
}

/* Take due timers out of the near part, up to a point. */
static size_t fire_near(tri_tiered *tiered, int64_t until, tri_due *due, size_t max) {
    size_t fired = 0;
    while (fired < max) {
        tri_quad_entry *head = tri_near_head(&tiered->near);
        /* The gate moves when something is put back, so it is read each time. */
        if (head == NULL || head->key > until || head->key >= tiered->levels.gate) break;
        tri_slot *slot = true_head(tiered, head);
        if (slot == NULL) continue;
        due[fired++] = tri_lazy_fire(&tiered->base, slot, head->slot);
        tri_near_drop(&tiered->near, &tiered->base, head);
    }
    return fired;
}

/* The near part and the slots that have begun, by turns. */
static size_t advance(tri_tiered *tiered, uint64_t tick, tri_due *due, size_t max) {
    tri_levels *levels = &tiered->levels;
    const int64_t until = tri_tick_start(levels->tick_ns, tick);
    size_t fired = 0;
    for (;;) {
        if (levels->first <= tick) tri_levels_find(levels);
        fired += fire_near(tiered, until, due + fired, max - fired);
        if (fired == max) return fired;
        if (levels->first > tick) break;
        /* What was put back may lie before the slot that was found. */
        if (!levels->known) continue;
        const tri_place place = levels->place;
        const tri_way way = way_of(tiered, &place);
        tri_levels_advance(levels, place.start - 1);
        if (way == FIRE)
            fired += fire_slot(tiered, &place, due + fired, max - fired);
        else
            empty(tiered, &place, way, &(tri_pace){ SIZE_MAX, SIZE_MAX });
    }
    tri_levels_advance(levels, tick);
    return fired;
}

static size_t tiered_pop_due(tri_backend *base, int64_t now, tri_due *due, size_t max) {
    tri_tiered *tiered = tri_tiered_of(base);
    tiered->reached = tri_tick_down(tiered->levels.tick_ns, now);
    const size_t fired = advance(tiered, tiered->reached, due, max);
    for (size_t i = 0; i < fired && tri_backend_is_crowded(base); ++i) tri_tiered_sweep(base);
    return fired;
}

static bool tiered_add(tri_backend *base, uint32_t number, int64_t deadline) {
    return tri_lazy_add(base, number, deadline, enter);
}

static bool tiered_move(tri_backend *base, uint32_t number, int64_t deadline) {
    return tri_lazy_move(base, number, deadline, enter);
}

static void tiered_remove(tri_backend *base, uint32_t number) {
    tri_lazy_remove(base, number, tri_tiered_sweep);
}

/* Whether a timer fires from this slot, going by its first entry. If not, that has been dropped, or
 * put where it belongs. */
static bool is_true_slot(tri_tiered *tiered, const tri_place *place) {
    size_t count;
    const tri_queue_entry entry = *tri_queue_front(queue_of(tiered, place), &count);
    tri_slot *slot = tri_slot_at(tiered->base.slots, entry.slot);
    const bool keeps = tri_lazy_keep(slot, tri_levels_version(entry));
    if (keeps && slot->deadline <= tiered->levels.gate) {
        tiered->base.earliest = slot->deadline;
        return true;
    }
    tri_levels_skip(&tiered->levels, place->slot, 1);
    --tiered->base.entries;
    if (keeps) requeue(tiered, entry.slot, slot);
    return false;
}

/* Bring the earliest of the levels nearer to the near part. Only a slot whose time is near moves
 * the horizon: all that is added before that would have to go into the near heap. Of others,
 * entries go there alone, unless there are too many of them.
 *
 * TRI_NO_TICK: there may be more to do. Else it is to go on at that tick: a crowd goes on its way
 * ahead of its time, a bounded piece with each call, since all at once a million took 20 ms. */
static uint64_t approach(tri_tiered *tiered, tri_place place, tri_pace *pace) {
    const uint64_t soon = (uint64_t)SOON << tiered->levels.main_shift;
    const bool has_begun = place.start <= tiered->reached;
    tri_way way = way_of(tiered, &place);
    if (!has_begun && place.start - tiered->reached <= soon)
        tri_levels_advance(&tiered->levels, place.start - 1);
    else if (queue_of(tiered, &place)->length <= CROWD)
        way = TO_HEAP;
    else
        return has_begun ? place.start : place.start - soon;
    empty(tiered, &place, way, pace);
    return pace->moves != 0 ? TRI_NO_TICK : tiered->reached + 1;
}

/* The tick that the point lies in ends. */
static int64_t end_of_tick(const tri_tiered *tiered, int64_t point) {
    const int64_t tick_ns = tiered->levels.tick_ns;
    return tri_tick_start(tick_ns, tri_tick_up(tick_ns, point));
}

static int64_t tiered_next(tri_backend *base) {
    tri_tiered *tiered = tri_tiered_of(base);
    tri_levels *levels = &tiered->levels;
    if (base->live == 0) return TRI_NEVER;
    uint64_t again = TRI_NO_TICK;
    tri_pace pace = { .drops = TRI_NEXT_LOOKS, .moves = CROWD };
    while (pace.drops != 0 && again == TRI_NO_TICK) {
        tri_quad_entry *head = tri_near_head(&tiered->near);
        if (head != NULL && head->key < levels->gate) {
            if (true_head(tiered, head) != NULL)
                return end_of_tick(tiered, base->earliest = head->key);
            --pace.drops;
        } else if (!levels->known) {
            tri_levels_find(levels);
        } else if (!tiered->exact && levels->place.level == 0) {
            if (is_true_slot(tiered, &levels->place)) return levels->gate;
            --pace.drops;
        } else {
            again = approach(tiered, levels->place, &pace);
        }
    }
    const tri_quad_entry *head = tri_near_head(&tiered->near);
    const int64_t first = head != NULL && head->key < levels->gate ? head->key : levels->gate;
    const int64_t next = end_of_tick(tiered, first);
    if (again == TRI_NO_TICK) return next;
    const int64_t earlier = tri_tick_start(levels->tick_ns, again);
    return earlier < next ? earlier : next;
}

/* More slots than few: the levels, and the arrays of a run. */
static int reserve_far(tri_tiered *tiered, uint32_t slots) {
    tri_quad_entry *run = NULL;
    if (tiered->near.run == NULL) {
        run = tri_memory_take(tiered->base.memory, tri_near_run_size());
        if (run == NULL) return -ENOMEM;
    }
    const int error = tri_levels_reserve(&tiered->levels, tri_lazy_room(slots));
    if (error != 0)
        tri_memory_give(tiered->base.memory, run, tri_near_run_size());
    else if (run != NULL)
        tri_near_adopt_run(&tiered->near, run);
    return error;
}

static int tiered_reserve(tri_backend *base, uint32_t slots) {
    tri_tiered *tiered = tri_tiered_of(base);
    if (slots <= tiered->reserved) return 0;
    if (slots > UINT32_MAX / 4) return -ENOMEM; /* a queue's length has 32 bits */
    const size_t room = tri_near_room(slots), size = tri_quad_size(room);
    tri_quad_entry *at = NULL;
    if (room > tiered->near.heap.room) {
        at = tri_memory_take(base->memory, size);
        if (at == NULL) return -ENOMEM;
    }
    const int error = slots > FEW_SLOTS ? reserve_far(tiered, slots) : 0;
    if (error != 0) {
        tri_memory_give(base->memory, at, size);
        return error;
    }
    if (at != NULL) tri_quad_move(&tiered->near.heap, base->memory, at, size);
    tiered->near.brim = tri_near_brim(slots);
    if (slots > FEW_SLOTS) tiered->few = TRI_QUAD_ROOT + FEW_SLOTS;
    tiered->reserved = slots;
    return 0;
}

static int tiered_init(tri_backend **out, const tri_backend_config *config) {
    tri_tiered *tiered = tri_memory_take(config->memory, sizeof *tiered);
    if (tiered == NULL) return -ENOMEM;
    *tiered = (tri_tiered){
        .base = tri_lazy_base(&tri_backend_tiered, config),
        .few = SIZE_MAX,
        .near = TRI_NEAR_INIT,
        .exact = config->tick_ns == 0,
    };
    tri_levels_init(&tiered->levels, config->tick_ns, config->now, config->memory);
    tiered->reached = tiered->levels.horizon;
    *out = &tiered->base;
    return 0;
}

static void tiered_fini(tri_backend *base) {
    tri_tiered *tiered = tri_tiered_of(base);
    tri_levels_fini(&tiered->levels);
    tri_near_fini(&tiered->near, base->memory);
    tri_memory_give(base->memory, tiered, sizeof *tiered);
}

static bool tiered_check(const tri_backend *base, FILE *why) {
    const tri_tiered *tiered = (const tri_tiered *)base;
    tri_audit audit;
    tri_audit_begin(&audit, base, why);
    audit.come_round = true;
    tri_near_audit(&audit, &tiered->near);
    tri_levels_audit(&audit, &tiered->levels);
    return tri_audit_end(&audit);
}

const tri_backend_ops tri_backend_tiered = {
    .name = "tiered",
    .tick = TRI_TICK_OPTIONAL,
    .init = tiered_init,
    .fini = tiered_fini,
    .reserve = tiered_reserve,
    .add = tiered_add,
    .remove = tiered_remove,
    .move = tiered_move,
    .next = tiered_next,
    .pop_due = tiered_pop_due,
    .check = tiered_check,
};
