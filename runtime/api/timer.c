/* One-shot timers. */
#include <tarry/timer.h>

#include "api/object.h"

struct tarry_timer {
    tri_object object;
};

static int make_timed(tarry_timer **out, tarry_runtime *rt, int64_t deadline) {
    return tri_object_new_timed((tri_object **)out, rt, deadline, 0);
}

static int make_callback(tarry_timer **out, tarry_runtime *rt, int64_t deadline,
                         tarry_function *function, void *argument) {
    tri_object *object;
    const int error = tri_object_new(&object, rt, function, argument);
    if (error != 0) return error;
    /* Written first: the callback may begin at once, and use it, or free what it lies in. */
    *out = (tarry_timer *)object;
    tri_bucket_arm(object->ref, deadline);
    return 0;
}

int tarry_timer_new_at(tarry_timer **out, tarry_runtime *rt, int64_t deadline) {
    const int error = out == NULL ? -EINVAL : tri_runtime_usable(rt);
    return error != 0 ? error : make_timed(out, rt, tri_time_deadline(deadline));
}

int tarry_timer_new(tarry_timer **out, tarry_runtime *rt, int64_t delay) {
    const int error = out == NULL ? -EINVAL : tri_runtime_usable(rt);
    return error != 0 ? error
                      : tarry_timer_new_at(out, rt, tri_time_after(tri_runtime_now(rt), delay));
}

int tarry_after_func_at(tarry_timer **out, tarry_runtime *rt, int64_t deadline,
                        tarry_function *function, void *argument) {
    const int error = out == NULL || function == NULL ? -EINVAL : tri_runtime_usable(rt);
    return error != 0 ? error : make_callback(out, rt, tri_time_deadline(deadline), function,
                                              argument);
}

int tarry_after_func(tarry_timer **out, tarry_runtime *rt, int64_t delay,
                     tarry_function *function, void *argument) {
    const int error = tri_runtime_usable(rt);
    return error != 0 ? error
                      : tarry_after_func_at(out, rt, tri_time_after(tri_runtime_now(rt), delay),
                                            function, argument);
}

static int usable(const tarry_timer *timer) {
    return tri_object_usable(timer != NULL ? &timer->object : NULL);
}

/* What a bucket found, as Go tells it. */
static int stopped(int found) {
    return found < 0 ? found : found == TRI_STOPPED;
}

static int stop(tarry_timer *timer, uint32_t also) {
    const int error = usable(timer);
    if (error != 0) return error;
    tri_object *object = &timer->object;
    return stopped(object->has_mailbox ? tri_timed_stop(&object->timed, also)
                                       : tri_bucket_stop(object->ref, also));
}

int tarry_timer_stop(tarry_timer *timer) {
    return stop(timer, 0);
}

int tarry_timer_stop_wait(tarry_timer *timer) {
    const int error = usable(timer);
    if (error != 0) return error;
    /* There is nothing to wait for where no callback runs. */
    if (timer->object.has_mailbox) return stop(timer, 0);
    return stopped(tri_bucket_stop_wait(timer->object.ref));
}

int tarry_timer_shutdown(tarry_timer *timer) {
    return stop(timer, TRI_SHUT);
}

int tarry_timer_reset_at(tarry_timer *timer, int64_t deadline) {
    const int error = usable(timer);
    if (error != 0) return error;
    tri_object *object = &timer->object;
    deadline = tri_time_deadline(deadline);
    return stopped(object->has_mailbox ? tri_timed_arm(&object->timed, deadline, 0)
                                       : tri_bucket_arm(object->ref, deadline));
}

int tarry_timer_reset(tarry_timer *timer, int64_t delay) {
    const int error = usable(timer);
    if (error != 0) return error;
    return tarry_timer_reset_at(timer, tri_time_after(tri_object_now(&timer->object), delay));
}

int tarry_timer_remaining(int64_t *out, tarry_timer *timer) {
    int error = out == NULL ? -EINVAL : usable(timer);
    if (error != 0) return error;
    int64_t deadline;
    tri_object *object = &timer->object;
    error = object->has_mailbox ? tri_timed_deadline(&deadline, &object->timed)
                                : tri_bucket_deadline(&deadline, object->ref);
    if (error != 0) return error;
    *out = deadline >= TRI_TIME_END ? TARRY_FOREVER
                                    : tri_time_until(deadline, tri_object_now(&timer->object));
    return 0;
}

tarry_mailbox *tarry_timer_mailbox(tarry_timer *timer) {
    return tri_object_mailbox(timer != NULL ? &timer->object : NULL);
}

int tarry_timer_free(tarry_timer *timer) {
    return tri_object_free(timer != NULL ? &timer->object : NULL);
}
