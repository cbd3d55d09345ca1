// SPDX-License-Identifier: BSD-3-Clause
//
// Client: one function for each request after the first. Each checks what it was sent and answers exactly once.
#include <algorithm>
#include <cerrno>
#include <cstring>

#include "emulator/driver/client.h"
#include "emulator/driver/driver_service.h"
#include "emulator/driver/patience.h"

namespace myri::emulator {
namespace {

std::vector<uint8_t> bytes_of(const auto& structure) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(&structure);
    return {bytes, bytes + sizeof structure};
}

} // namespace

// `bare`: no descriptors came along.
void Client::carry_out(Time now, uint32_t request, bool bare, std::vector<uint8_t> body) {
    if (!bare)
        return answer(now, request, EBADMSG, {});
    switch (request) { // what does not wait for a card that is being restarted
    case MYRI_WAIT: return wait_event(now, std::move(body));
    case MYRI_WAKE: return wake(now, std::move(body));
    case MYRI_INJECT: return inject(now, std::move(body));
    default:
        host_->when_settled(now, [weak = weak_from_this(), request, body = std::move(body)](Time when) {
            if (const auto self = weak.lock(); self && !self->ended_)
                self->carry_out_settled(when, request, body);
        });
    }
}

void Client::carry_out_settled(Time now, uint32_t request, std::vector<uint8_t> body) {
    if (host_->dead() && (request == MYRI_COUNTERS || request == MYRI_REGISTER || request == MYRI_DMABENCH ||
                          request == MYRI_SET_PEERS))
        return answer(now, request, ENODEV, std::move(body));
    switch (request) {
    case MYRI_BOARD_INFO: return board_info(now, std::move(body));
    case MYRI_PEERS: return peers(now, std::move(body));
    case MYRI_COUNTERS: return counters(now, std::move(body));
    case MYRI_ENDPOINT_OPEN: return open(now, std::move(body));
    case MYRI_ENDPOINT_CLOSE: return close(now, std::move(body));
    case MYRI_REGISTER: return register_memory(now, std::move(body));
    case MYRI_UNREGISTER: return unregister(now, std::move(body));
    case MYRI_ENDPOINT_RESUME: return resume(now, std::move(body));
    case MYRI_DMABENCH: return dmabench(now, std::move(body));
    case MYRI_SET_PEERS: return set_peers(now, std::move(body));
    default:
        say(describe() + ": unknown request " + std::to_string(request));
        return answer(now, request, EINVAL, {});
    }
}

void Client::board_info(Time now, std::vector<uint8_t> body) {
    myri_board_info info;
    if (!taken(now, MYRI_BOARD_INFO, body, info))
        return;
    const uint32_t board = info.board;
    info = {};
    info.board = board;
    host_->board_info(info);
    answer_with(now, MYRI_BOARD_INFO, 0, info);
}

void Client::peers(Time now, std::vector<uint8_t> body) {
    myri_peers request;
    if (!taken(now, MYRI_PEERS, body, request))
        return;
    const std::vector<myri_peer>& all = host_->peers();
    request.total = static_cast<uint32_t>(all.size());
    request.count = std::min(MYRI_PEERS_AT_ONCE, request.total - std::min(request.first, request.total));
    std::memset(request.peer, 0, sizeof request.peer);
    for (uint32_t n = 0; n < request.count; n++)
        request.peer[n] = all[request.first + n];
    answer_with(now, MYRI_PEERS, 0, request);
}

void Client::set_peers(Time now, std::vector<uint8_t> body) {
    myri_peers request;
    if (!taken(now, MYRI_SET_PEERS, body, request))
        return;
    if (!may_administer())
        return answer_with(now, MYRI_SET_PEERS, EPERM, request);
    if (request.first == 0)
        new_peers_.clear();
    bool good = request.count <= MYRI_PEERS_AT_ONCE && request.total <= FW_PEERS &&
                request.first == new_peers_.size() && request.count <= request.total - request.first;
    for (uint32_t n = 0; good && n < request.count; n++) {
        const myri_peer& peer = request.peer[n];
        good = std::memchr(peer.name, 0, sizeof peer.name) && peer.route_length <= FW_ROUTE_MAX;
        new_peers_.push_back(peer);
    }
    if (!good || (request.count == 0 && request.total != 0)) {
        new_peers_.clear();
        return answer_with(now, MYRI_SET_PEERS, EINVAL, request);
    }
    if (new_peers_.size() < request.total)
        return answer_with(now, MYRI_SET_PEERS, 0, request);
    host_->set_peers(now, std::exchange(new_peers_, {}), [weak = weak_from_this(), request](Time when, int status) {
        if (const auto self = weak.lock())
            self->answer_with(when, MYRI_SET_PEERS, -status, request);
    });
}

void Client::counters(Time now, std::vector<uint8_t> body) {
    myri_counters request;
    if (!taken(now, MYRI_COUNTERS, body, request))
        return;
    host_->counters(now, request);
    answer_with(now, MYRI_COUNTERS, 0, request);
}

void Client::open(Time now, std::vector<uint8_t> body) {
    myri_endpoint_open request;
    if (!taken(now, MYRI_ENDPOINT_OPEN, body, request))
        return;
    request.bounce_bytes = memory_ ? 0 : BounceArea::BYTES;
    service_.drop_ended();
    const auto changed = [weak = weak_from_this()](Time when) {
        if (const auto self = weak.lock(); self && self->process_)
            self->process_->ring_changed(when);
    };
    host_->open(now, owner(), request, changed,
                [this, weak = weak_from_this(), host = host_, owner = owner()](
                    Time when, int status, const myri_endpoint_open& opened, int rings) {
                    const auto self = weak.lock();
                    if (!self || ended_) {
                        if (status == 0) // it went while its open was on the way
                            host->close(when, owner, opened.endpoint, {});
                        return;
                    }
                    const bool map_sram = status == 0 && !process_;
                    answer(when, MYRI_ENDPOINT_OPEN, -status, bytes_of(opened), rings,
                           map_sram ? host->host().card().sram_fd() : -1);
                });
}

void Client::close(Time now, std::vector<uint8_t> body) {
    myri_endpoint_ref request;
    if (!taken(now, MYRI_ENDPOINT_CLOSE, body, request))
        return;
    host_->close(now, owner(), request.endpoint, [weak = weak_from_this(), request](Time when, int status) {
        if (const auto self = weak.lock())
            self->answer_with(when, MYRI_ENDPOINT_CLOSE, -status, request);
    });
}

void Client::register_memory(Time now, std::vector<uint8_t> body) {
    constexpr size_t FIXED = offsetof(myri_register, segment);
    myri_register request{};
    if (body.size() >= FIXED && body.size() <= sizeof request)
        std::memcpy(&request, body.data(), body.size());
    // The whole structure, or as many segments as it has.
    const size_t wanted = FIXED + size_t{request.count} * sizeof(myri_segment);
    if (body.size() < FIXED || (body.size() != wanted && body.size() != sizeof request))
        return answer(now, MYRI_REGISTER, EBADMSG, std::move(body));
    int status = 0;
    if (request.board != 0)
        status = -ENODEV;
    else if (request.count < 1 || request.count > MYRI_SEGMENTS_MAX ||
             request.flags & ~(MYRI_REGISTER_WRITABLE | MYRI_REGISTER_BOUNCE))
        status = -EINVAL;
    else
        status = host_->add_window(now, owner(), memory_.get(), request);
    if (status == -EPERM)
        say(describe() + ": its /proc/" + std::to_string(pid_) + "/maps cannot be read: memory is not registered");
    std::memcpy(body.data(), &request, FIXED);
    answer(now, MYRI_REGISTER, -status, std::move(body));
}

void Client::unregister(Time now, std::vector<uint8_t> body) {
    myri_unregister request;
    if (!taken(now, MYRI_UNREGISTER, body, request))
        return;
    host_->remove_window(now, owner(), request, [weak = weak_from_this(), request](Time when, int status) {
        if (const auto self = weak.lock())
            self->answer_with(when, MYRI_UNREGISTER, -status, request);
    });
}

void Client::wait_event(Time now, std::vector<uint8_t> body) {
    myri_wait request;
    if (!taken(now, MYRI_WAIT, body, request))
        return;
    if (process_ || host_->dead() || !host_->owns(owner(), request.endpoint))
        return answer_with(now, MYRI_WAIT, process_ ? EOPNOTSUPP : host_->dead() ? ENODEV : EINVAL, request);
    const int64_t now_us = wall_us();
    waits_.push_back({request, request.timeout_us == MYRI_ANY ? -1 : now_us + request.timeout_us});
    check_waits(now_us);
}

// Reading the request has woken the fabric.
void Client::wake(Time now, std::vector<uint8_t> body) {
    myri_endpoint_ref request;
    if (!taken(now, MYRI_WAKE, body, request))
        return;
    answer_with(now, MYRI_WAKE, process_ ? EOPNOTSUPP : 0, request);
}

void Client::resume(Time now, std::vector<uint8_t> body) {
    myri_endpoint_ref request;
    if (!taken(now, MYRI_ENDPOINT_RESUME, body, request))
        return;
    host_->resume(now, owner(), request.endpoint, [weak = weak_from_this(), request](Time when, int status) {
        if (const auto self = weak.lock())
            self->answer_with(when, MYRI_ENDPOINT_RESUME, -status, request);
    });
}

void Client::inject(Time now, std::vector<uint8_t> body) {
    myri_inject request;
    if (!taken(now, MYRI_INJECT, body, request))
        return;
    if (!may_administer())
        return answer_with(now, MYRI_INJECT, EPERM, request);
    const int status = guest_ ? inject_fault(now, *guest_->card, *guest_->link, request.fault, request.value)
                              : host_->inject(now, request.fault, request.value);
    answer_with(now, MYRI_INJECT, -status, request);
}

void Client::dmabench(Time now, std::vector<uint8_t> body) {
    myri_dmabench request;
    if (!taken(now, MYRI_DMABENCH, body, request))
        return;
    host_->dmabench(now, request, [weak = weak_from_this()](Time when, int status, const myri_dmabench& result) {
        if (const auto self = weak.lock())
            self->answer_with(when, MYRI_DMABENCH, -status, result);
    });
}

} // namespace myri::emulator
