// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/driver/client.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <fstream>

#include "emulator/driver/command_clock.h"
#include "emulator/driver/driver_service.h"
#include "emulator/driver/patience.h"

namespace myri::emulator {
namespace {

constexpr Time LATEST = Time{1} << 62; // no process's clock may be beyond: sums stay far from overflow

} // namespace

Client::Client(DriverService& service, FileDescriptor socket, const ucred& peer)
    : service_(service), socket_(std::move(socket)), pid_(peer.pid), uid_(peer.uid) {
    std::ifstream comm("/proc/" + std::to_string(pid_) + "/comm");
    if (!std::getline(comm, program_))
        program_ = "a process";
}

std::string Client::describe() const {
    return (host_ ? host_->host().name() + ": " : "") + program_ + " (pid " + std::to_string(pid_) + ")";
}

std::string Client::waits_for() const {
    switch (process_->state()) {
    case VirtualProcess::State::parked:
        return "has been parked at " + service_.show(process_->last()) + " until " +
               (process_->until() == NEVER ? "an event comes" : service_.show(process_->until()));
    case VirtualProcess::State::waiting:
        return "waits for the driver since " + service_.show(process_->last());
    default:
        return "stands at " + service_.show(process_->last());
    }
}

void Client::readable() {
    Frame frame;
    switch (receive_frame(socket_.get(), frame)) {
    case Received::nothing:
        return;
    case Received::closed:
        return service_.drop(*this);
    case Received::malformed:
        say(describe() + ": malformed message on the driver socket; connection closed");
        refuse(frame.head.request, EBADMSG);
        return service_.drop(*this);
    case Received::frame:
        return handle(frame);
    }
}

void Client::handle(Frame& frame) {
    service_.note_activity();
    const uint32_t request = frame.head.request;
    if (!attached()) {
        if (request != MYRI_ATTACH) {
            refuse(request, EINVAL);
            return service_.drop(*this);
        }
        return attach(frame);
    }
    if (guest_) {
        if (request == MYRI_INJECT && frame.descriptors.empty())
            return inject(service_.now(), std::move(frame.body));
        return answer(0, request, ENODEV, {});
    }
    if (!service_.options().virtual_time) {
        if (request == MYRI_CLOCK)
            return answer(0, request, EOPNOTSUPP, {});
        return carry_out(service_.now(), request, frame.descriptors.empty(), std::move(frame.body));
    }
    if (!running()) {
        say(describe() + ": a request while another one waits: in virtual time only one thread may use the library "
                         "(--free allows several); connection closed");
        refuse(request, EBUSY);
        return service_.drop(*this);
    }
    const Time before = process_->last();
    const Time now = frame.head.now + service_.options().base;
    const bool possible = frame.head.now <= LATEST && now >= before;
    if (!possible)
        say(describe() + ": clock " + std::to_string(frame.head.now) + " ps in a request, possible are " +
            std::to_string(before - service_.options().base) + " to " + std::to_string(LATEST));
    if (!take_stores(possible ? now : before))
        return service_.drop(*this);
    hand_over(possible ? now : before);
    if (!possible)
        return answer(before, request, EINVAL, {});
    if (request == MYRI_CLOCK && frame.descriptors.empty())
        return clock_request(frame.body, before, now);
    service_.scheduler().at(now, host_->rank(),
                            [weak = weak_from_this(), request, bare = frame.descriptors.empty(),
                             body = std::move(frame.body)](Time when) mutable {
                                if (const auto self = weak.lock(); self && !self->ended_)
                                    self->carry_out(when, request, bare, std::move(body));
                            });
}

void Client::hand_over(Time now) {
    process_->handed_over(now);
    service_.count_hand_over();
    command_->handed_over(now);
}

// Stores since the process got our last answer, up to `now`. False: they are nonsense, and it was told so.
bool Client::take_stores(Time now) {
    const Time base = service_.options().base;
    std::vector<Store> stores;
    std::string problem = page_->take(process_->last() - base, now - base, stores);
    for (const Store& store : stores)
        if (problem.empty() && !store.bytes.empty() && !host_->owns(owner(), store.endpoint))
            problem = "store into endpoint " + std::to_string(store.endpoint) + ", which it does not have open";
    if (!problem.empty()) {
        say(describe() + ": " + problem + "; connection closed");
        return false;
    }
    for (Store& burst : service_.store_order().bursts(stores)) {
        last_store_ = burst.when + base;
        host_->store(burst.when + base, burst.endpoint, burst.offset, std::move(burst.bytes));
    }
    return true;
}

void Client::clock_request(const std::vector<uint8_t>& body, Time before, Time now) {
    myri_clock request;
    answer_ = {};
    answer_.request = MYRI_CLOCK;
    answer_.body = body;
    if (!fits(body, request) || (request.kind != MYRI_CLOCK_YIELD && request.kind != MYRI_CLOCK_PARK))
        return answer(now, MYRI_CLOCK, EBADMSG, body);
    if (request.kind == MYRI_CLOCK_YIELD)
        return process_->ready(std::max(now, before + 1)); // a process that never advances may not stop the others
    const Time base = service_.options().base;
    process_->park(request.until > LATEST ? NEVER : request.until + base, std::min(request.poll_period, LATEST));
}

void Client::go(Time safe_until) {
    const Time base = service_.options().base;
    Answer out = std::move(answer_);
    answer_ = {};
    myri_frame head{};
    head.request = out.request;
    head.status = out.status;
    head.now = process_->last() - base;
    head.safe_until = safe_until == NEVER ? NEVER : safe_until - base;
    std::vector<int> descriptors;
    for (const FileDescriptor& fd : out.descriptors)
        descriptors.push_back(fd.get());
    process_->run();
    last_store_ = process_->last();
    if (!send_frame(socket_.get(), head, out.body, descriptors))
        service_.drop(*this);
}

void Client::answer(Time now, uint32_t request, int error, std::vector<uint8_t> body, int descriptor, int second) {
    if (ended_)
        return;
    Answer out;
    out.request = request;
    out.status = -error;
    out.body = std::move(body);
    for (const int fd : {descriptor, second})
        if (fd >= 0) {
            out.descriptors.emplace_back(fcntl(fd, F_DUPFD_CLOEXEC, 0)); // ours may be closed before it is sent
            if (!out.descriptors.back()) {
                out.status = -errno;
                out.descriptors.clear();
                break;
            }
        }
    if (process_) {
        answer_ = std::move(out);
        return process_->ready(now + (request == MYRI_ATTACH ? 0 : DriverService::CALL_DRIVER));
    }
    myri_frame head{};
    head.request = request;
    head.status = out.status;
    std::vector<int> descriptors;
    for (const FileDescriptor& fd : out.descriptors)
        descriptors.push_back(fd.get());
    if (!send_frame(socket_.get(), head, out.body, descriptors))
        service_.drop(*this);
}

void Client::refuse(uint32_t request, int error, std::vector<uint8_t> body) {
    myri_frame head{};
    head.request = request;
    head.status = -error;
    send_frame(socket_.get(), head, body); // if it cannot be told, it hears of the end all the same
}

void Client::end() {
    if (ended_)
        return;
    const bool was_running = process_ && running();
    ended_ = true;
    if (!host_)
        return;
    const bool last_of_process = !service_.known(pid_, *this);
    if (!process_) {
        if (last_of_process)
            host_->close_all(service_.now(), owner());
        return;
    }
    // What it stored before it died has left its CPU.
    if (was_running)
        take_stores(LATEST);
    const Time now = std::max({process_->last(), last_store_, service_.present()});
    service_.scheduler().at(now, host_->rank(),
                            [host = host_, owner = owner()](Time when) { host->close_all(when, owner); });
    command_->detach(*this, now);
}

std::optional<int64_t> Client::check_waits(int64_t now_us) {
    std::optional<int64_t> next;
    for (size_t n = 0; n < waits_.size();) {
        const Wait wait = waits_[n];
        const EndpointMemory* memory = host_->memory(wait.request.endpoint);
        const uint32_t seen = wait.request.events_seen;
        // A process whose last event is not in the ring speaks of the time before a restart: it must look again.
        const bool there = memory && (memory->has_event(seen) || host_->has_news(wait.request.endpoint) ||
                                      (seen > 0 && !memory->has_event(seen - 1)));
        const bool over = wait.until_us >= 0 && now_us >= wait.until_us;
        if (memory && !there && !over) {
            if (wait.until_us >= 0)
                next = next ? std::min(*next, wait.until_us - now_us) : wait.until_us - now_us;
            n++;
            continue;
        }
        waits_.erase(waits_.begin() + static_cast<std::ptrdiff_t>(n));
        answer_with(0, MYRI_WAIT, !memory ? ENODEV : there ? 0 : ETIMEDOUT, wait.request);
        if (ended_)
            return {};
    }
    return next;
}

} // namespace myri::emulator
