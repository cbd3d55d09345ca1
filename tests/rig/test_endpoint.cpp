// SPDX-License-Identifier: BSD-3-Clause
#include "tests/rig/test_endpoint.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace myri::rig {
namespace {

constexpr emulator::Rank CLIENT_UNIT = 7;

std::string who(unsigned host, unsigned id) {
    return "endpoint " + std::to_string(id) + " of host " + std::to_string(host);
}

} // namespace

TestEndpoint::TestEndpoint(Rig& rig, unsigned host, unsigned id, RingSizes sizes,
                           std::optional<uint32_t> session)
    : writer([this](Time when, uint32_t offset, Bytes bytes) {
          return deliver(when, offset, std::move(bytes));
      }),
      rig_(rig), host_(host), id_(id), session_(session.value_or(0xabc00000u + host * 256 + id)),
      sizes_(sizes), events_(sizes.events * FW_EVENT_SIZE), receive_(sizes.receive), send_(sizes.send) {
    auto map = [&](Bytes& memory) {
        return rig.host(host).memory().add(memory.size(), std::make_shared<emulator::PlainRange>(memory));
    };
    event_bus_ = map(events_);
    receive_bus_ = map(receive_);
    send_bus_ = map(send_);
    const board_rings rings{event_bus_,    receive_bus_, send_bus_, sizes.events,
                            sizes.receive, sizes.send,   session_};
    if (board_endpoint_set(rig.board(host), id, &rings) != 0 || rig.command(host, FW_COMMAND_OPEN, {id}) != 0)
        throw std::runtime_error(who(host, id) + " cannot be opened");
    open_ = true;
    const be32 never[2] = {cpu_to_be32(FW_WAKE_NEVER), {}};
    writer.store(offsetof(fw_endpoint_window, wake_after_us), {reinterpret_cast<const uint8_t*>(never), 8});
    writer.flush(rig.now());
}

TestEndpoint::~TestEndpoint() {
    if (!open_)
        return;
    for (uint64_t bus : {event_bus_, receive_bus_, send_bus_})
        rig_.host(host_).memory().remove(bus);
}

void TestEndpoint::close() {
    if (board_endpoint_clear(rig_.board(host_), id_) != 0 ||
        rig_.command(host_, FW_COMMAND_CLOSE, {id_}) != 0)
        throw std::runtime_error(who(host_, id_) + " cannot be closed");
    for (uint64_t bus : {event_bus_, receive_bus_, send_bus_})
        rig_.host(host_).memory().remove(bus);
    open_ = false;
}

Time TestEndpoint::deliver(Time when, uint32_t offset, Bytes bytes) {
    EmulatedHost& host = rig_.host(host_);
    const Time there = host.bus().posted_write(when, static_cast<uint32_t>(bytes.size()));
    const uint32_t at = host.board().endpoint_windows + id_ * FW_ENDPOINT_WINDOW_SIZE + offset;
    rig_.scheduler().at(
        there, host_ * emulator::RANKS_PER_HOST + CLIENT_UNIT,
        [&host, at, bytes = std::move(bytes)](Time t) { host.card().sram_write(t, at, bytes); });
    return there;
}

SlotRequest TestEndpoint::request(const TestEndpoint& to, Bytes body) {
    SlotRequest r;
    r.peer = static_cast<uint16_t>(to.host_);
    r.endpoint = static_cast<uint8_t>(to.id_);
    r.session = to.session_;
    r.body = std::move(body);
    return r;
}

void TestEndpoint::post(const SlotRequest& request) {
    if (free_slots() == 0)
        throw std::logic_error(who(host_, id_) + " has no free slot");
    writer.post(rig_.now(), request);
}

void TestEndpoint::post_when_free(const SlotRequest& request) {
    auto room = [this] {
        while (free_slots() == 0)
            if (auto event = take())
                kept_.push_back(*event);
            else
                return false;
        return true;
    };
    if (!rig_.run_until(room, milliseconds(5)))
        throw std::runtime_error(who(host_, id_) + " gets no slot back");
    post(request);
}

std::optional<fw_event> TestEndpoint::take() {
    fw_event event;
    std::memcpy(&event, events_.data() + read_ % sizes_.events * FW_EVENT_SIZE, sizeof event);
    if (be16_to_cpu(event.generation) != FW_GENERATION(read_, sizes_.events))
        return std::nullopt;
    read_++;
    slots_done_ += static_cast<uint8_t>(event.slots_done - static_cast<uint8_t>(slots_done_));
    if (slots_done_ > writer.posted())
        throw std::runtime_error(who(host_, id_) + ": more slots done than were posted");
    if (auto_publish)
        publish();
    return event;
}

std::optional<fw_event> TestEndpoint::poll() {
    if (kept_.empty())
        return take();
    const fw_event event = kept_.front();
    kept_.pop_front();
    return event;
}

fw_event TestEndpoint::next(Time limit) {
    std::optional<fw_event> event;
    auto found = [&] {
        do
            event = poll();
        while (event && event->type == FW_EVENT_SLOTS);
        return event.has_value();
    };
    if (!rig_.run_until(found, limit))
        throw std::runtime_error(who(host_, id_) + " got no event; " + rig_.host(host_).card().trap_reason());
    return *event;
}

bool TestEndpoint::silent(Time duration) {
    return !rig_.run_until(
        [&] {
            while (auto event = poll())
                if (event->type != FW_EVENT_SLOTS)
                    return true;
            return false;
        },
        duration);
}

void TestEndpoint::publish(uint32_t events, uint32_t position) {
    const be32 counts[2] = {cpu_to_be32(events), cpu_to_be32(position)};
    writer.store(offsetof(fw_endpoint_window, events_consumed),
                 {reinterpret_cast<const uint8_t*>(counts), 8});
    writer.flush(rig_.now());
}

Bytes TestEndpoint::take_data(const fw_event& event) {
    const uint32_t length = be16_to_cpu(event.u.packet.header.length) - WIRE_BODY_DATA;
    const uint32_t position = be32_to_cpu(event.argument), at = position % sizes_.receive;
    if (length > WIRE_DATA_MAX || at % FW_RECEIVE_ALIGN != 0 || at + length > sizes_.receive)
        throw std::runtime_error(who(host_, id_) + ": data of " + std::to_string(length) + " bytes at " +
                                 std::to_string(at) + " of the receive ring");
    receive_read_ = position + (length + FW_RECEIVE_ALIGN - 1) / FW_RECEIVE_ALIGN * FW_RECEIVE_ALIGN;
    Bytes data(receive_.begin() + at, receive_.begin() + at + length);
    if (auto_publish)
        publish();
    return data;
}

Bytes inline_body(const fw_event& event) {
    const uint32_t length = std::min<uint32_t>(be16_to_cpu(event.u.packet.header.length), WIRE_BODY_INLINE);
    return {event.u.packet.body, event.u.packet.body + length};
}

wire_nack nack_of(const fw_event& event) {
    wire_nack nack;
    std::memcpy(&nack, event.u.packet.body, sizeof nack);
    return nack;
}

Bytes pattern(size_t n, uint32_t seed) {
    Bytes bytes(n);
    uint32_t state = seed * 2654435761u + 1;
    for (uint8_t& b : bytes) {
        state = state * 1664525u + 1013904223u;
        b = static_cast<uint8_t>(state >> 24);
    }
    return bytes;
}

} // namespace myri::rig
