#include "peers/asio/timers.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <new>

using boost::asio::steady_timer;

namespace {

/* Memory for handlers: what was given back is taken again. All that it keeps has the size of the
 * first that was asked for; others, if there ever are, come from the heap and go back to it. */
class pool {
public:
    pool() = default;
    pool(const pool &) = delete;
    pool &operator=(const pool &) = delete;
    ~pool() {
        while (free_ != nullptr) ::operator delete(take(size_));
    }
    void *take(std::size_t size) {
        if (size_ == 0) size_ = size;
        if (free_ == nullptr || size != size_) return ::operator new(size);
        block *taken = free_;
        free_ = taken->next;
        return taken;
    }
    void give(void *memory, std::size_t size) {
        if (size != size_) ::operator delete(memory);
        else free_ = new (memory) block{ free_ };
    }

private:
    struct block {
        block *next;
    };
    block *free_ = nullptr;
    std::size_t size_ = 0;
};

template <typename T> struct pool_allocator {
    using value_type = T;
    pool *memory;
    explicit pool_allocator(pool *of) : memory(of) {}
    template <typename U> pool_allocator(const pool_allocator<U> &other) : memory(other.memory) {}
    T *allocate(std::size_t count) { return static_cast<T *>(memory->take(count * sizeof(T))); }
    void deallocate(T *given, std::size_t count) { memory->give(given, count * sizeof(T)); }
    template <typename U> bool operator==(const pool_allocator<U> &other) const {
        return memory == other.memory;
    }
    template <typename U> bool operator!=(const pool_allocator<U> &other) const {
        return memory != other.memory;
    }
};

} /* namespace */

struct asio_timers {
    asio_timers_options options;
    pool handlers; /* before the context, whose end gives back what is left */
    boost::asio::io_context context{ BOOST_ASIO_CONCURRENCY_HINT_UNSAFE };
    steady_timer::time_point now = steady_timer::clock_type::now();

    steady_timer &at(uint32_t i) {
        char *memory = static_cast<char *>(options.memory);
        return *reinterpret_cast<steady_timer *>(memory + size_t{ i } * options.stride);
    }
};

static_assert(sizeof(steady_timer) <= ASIO_TIMER_BYTES, "more room for a steady_timer");

namespace {

struct handler {
    using allocator_type = pool_allocator<handler>;
    asio_timers *timers;
    uint32_t i;
    allocator_type get_allocator() const noexcept { return allocator_type(&timers->handlers); }
    void operator()(const boost::system::error_code &error) const {
        if (!error) timers->options.fired(timers->options.argument, i);
    }
};

} /* namespace */

extern "C" {

asio_timers *asio_timers_new(const asio_timers_options *options) {
    asio_timers *a = nullptr;
    try {
        a = new asio_timers{ *options, {} };
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
    timer.async_wait(handler{ a, i });
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
