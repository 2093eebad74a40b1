#include "peers/asio/timers.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <new>

using boost::asio::steady_timer;

struct asio_timers {
    asio_timers_options options;
    boost::asio::io_context context{ BOOST_ASIO_CONCURRENCY_HINT_UNSAFE };
    steady_timer::time_point now = steady_timer::clock_type::now();

    steady_timer &at(uint32_t i) {
        char *memory = static_cast<char *>(options.memory);
        return *reinterpret_cast<steady_timer *>(memory + size_t{ i } * options.stride);
    }
};

static_assert(sizeof(steady_timer) <= ASIO_TIMER_BYTES, "more room for a steady_timer");

extern "C" {

asio_timers *asio_timers_new(const asio_timers_options *options) {
    asio_timers *a = nullptr;
    try {
        a = new asio_timers{ *options };
        for (uint32_t i = 0; i < options->count; ++i) new (&a->at(i)) steady_timer(a->context);
    } catch (const std::exception &) {
        delete a;
        return nullptr;
    }
    return a;
}

void asio_timers_free(asio_timers *a) {
    for (uint32_t i = 0; i < a->options.count; ++i) a->at(i).~steady_timer();
    delete a;
}

void asio_timers_update(asio_timers *a) {
    a->now = steady_timer::clock_type::now();
}

void asio_timers_arm(asio_timers *a, uint32_t i, int64_t span_ns) {
    steady_timer &timer = a->at(i);
    timer.expires_at(a->now + std::chrono::nanoseconds(span_ns));
    timer.async_wait([a, i](const boost::system::error_code &error) {
        if (!error) a->options.fired(a->options.argument, i);
    });
}

void asio_timers_stop(asio_timers *a, uint32_t i) {
    a->at(i).cancel();
}

void asio_timers_turn(asio_timers *a, bool wait) {
    a->context.restart();
    if (wait) a->context.run_one();
    else a->context.poll();
}

} /* extern "C" */
