// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/driver/event_loop.h"

#include <poll.h>
#include <sys/epoll.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace myri::emulator {
namespace {

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

} // namespace

EventLoop::EventLoop() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    if (!epoll_)
        fail("epoll_create1");
}

void EventLoop::watch(int fd, Handler handler, bool first) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = next_;
    if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0)
        fail("epoll_ctl");
    watches_.emplace(next_, Watch{fd, std::make_shared<Handler>(std::move(handler)), first});
    numbers_[fd] = next_++;
}

void EventLoop::forget(int fd) {
    const auto number = numbers_.find(fd);
    if (number == numbers_.end())
        return;
    epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
    watches_.erase(number->second);
    numbers_.erase(number);
}

void EventLoop::want_room(int fd, bool on) {
    epoll_event event{};
    event.events = on ? EPOLLIN | EPOLLOUT : EPOLLIN;
    event.data.u64 = numbers_.at(fd);
    if (epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event) != 0)
        fail("epoll_ctl");
}

// epoll_wait counts in milliseconds.
bool EventLoop::once_us(int64_t timeout_us) {
    pollfd any{epoll_.get(), POLLIN, 0};
    const timespec timeout{timeout_us / 1'000'000, timeout_us % 1'000'000 * 1000};
    if (ppoll(&any, 1, &timeout, nullptr) < 0 && errno != EINTR)
        fail("ppoll");
    return once(0);
}

bool EventLoop::once(int timeout_ms) {
    std::array<epoll_event, 256> events; // more than there can be, so that one look sees all that is ready
    const int count = epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), timeout_ms);
    if (count < 0 && errno != EINTR)
        fail("epoll_wait");
    for (const bool first : {true, false})
        for (int n = 0; n < count; n++) {
            const uint64_t number = events[static_cast<size_t>(n)].data.u64; // a copy: epoll_event is packed
            const auto watch = watches_.find(number);
            if (watch == watches_.end() || watch->second.first != first)
                continue; // another round's, or an earlier handler has forgotten it
            const auto handler = watch->second.handler; // stays alive if it forgets itself
            (*handler)();
        }
    return count > 0;
}

} // namespace myri::emulator
