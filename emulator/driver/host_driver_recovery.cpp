// SPDX-License-Identifier: BSD-3-Clause
//
// HostDriver: what becomes of a card that has failed.
//
// A look every 500 ms finds it. The first time the card is reset and loaded anew while everybody else goes on; endpoints
// are put on hold, and each process finds the restart in its host page and asks for its endpoint back (resume). What
// the old firmware had not carried out was forgotten with it (-ECANCELED), and who asked for it decides what to do. A
// card that fails again within a minute, or cannot be started, is parked and dead: its endpoints end without it.
#include <cerrno>
#include <utility>

#include "emulator/driver/host_driver.h"
#include "emulator/driver/patience.h"

namespace myri::emulator {
namespace {

constexpr Time LOOK_EVERY = milliseconds(FW_HEARTBEAT_MS * 5);
constexpr Time SOON = milliseconds(60'000);

} // namespace

void HostDriver::watch(Time now, uint32_t limit_ms) {
    limit_ms_ = limit_ms;
    scheduler_.at(now + LOOK_EVERY, WATCH_RANK, [this](Time when) { look(when); });
}

void HostDriver::look(Time now) {
    if (card_ == Card::dead)
        return;
    watch(now, limit_ms_);
    if (card_ == Card::boots)
        return;
    host_.set_now(now);
    if (const int failure = board_watch(&host_.board(), &watch_, now / milliseconds(1), limit_ms_))
        failed(now, failure);
}

void HostDriver::failed(Time now, int failure) {
    const bool again = failed_at_ != NEVER && now - failed_at_ < SOON;
    failed_at_ = now;
    card_ = Card::boots;
    watch_ = {};
    for (EmulatedHost::CommandDone& done : host_.suspend())
        given_up_.push_back(std::move(done));
    say(host_.name() + ": the card has failed: " + host_.last_words());
    host_.in_background(now, [this, failure, again] { recover(failure, again); });
}

void HostDriver::recover(int failure, bool again) {
    int status = again ? failure : failure == -EBADMSG ? board_parity_judge(&host_.board()) : 0;
    if (status == 0)
        status = host_.reload();
    if (host_.abandoned())
        return;
    if (status == 0)
        return hold_endpoints();
    if (!again)
        say(host_.name() + ": the card cannot be restarted: " + host_.last_words());
    board_park(&host_.board());
    if (host_.abandoned())
        return;
    dead_ = static_cast<uint32_t>(-failure);
    card_ = Card::dead;
    say(host_.name() + ": the card is dead");
    settled(host_.now());
}

// Before it has its peer table the card answers nobody.
void HostDriver::hold_endpoints() {
    for (uint32_t n = 0; n < FW_ENDPOINTS; n++)
        if (endpoints_[n].state == Endpoint::State::open) {
            board_endpoint_hold(&host_.board(), n);
            endpoints_[n].held = true;
        }
    write_peers(); // they were good before
    card_ = Card::returns;
    host_.command(host_.now(), FW_COMMAND_PEERS, {host_.board().peer_count},
                  [this](Time when, int result, uint32_t) {
                      if (result == -ECANCELED || result == -ENODEV)
                          return; // it has failed again
                      if (result != 0)
                          return failed(when, result);
                      card_ = Card::works;
                      say(host_.name() + ": the card has been restarted");
                      settled(when);
                  });
}

void HostDriver::settled(Time now) {
    tell_processes(now);
    for (const EmulatedHost::CommandDone& done : std::exchange(given_up_, {}))
        if (done)
            done(now, dead_ ? -ENODEV : -ECANCELED, 0);
    for (const auto& action : std::exchange(waiting_, {}))
        action(now);
}

void HostDriver::tell_processes(Time now) {
    for (Endpoint& endpoint : endpoints_) {
        if (endpoint.state != Endpoint::State::open)
            continue;
        if (dead_)
            endpoint.memory->set_dead(EIO);
        else
            endpoint.memory->count_restart();
        if (endpoint.changed)
            endpoint.changed(now);
    }
    if (news_)
        news_();
}

bool HostDriver::has_news(uint32_t endpoint) const { return on_hold(endpoints_[endpoint]); }

void HostDriver::when_settled(Time now, std::function<void(Time)> action) {
    if (card_ == Card::works || card_ == Card::dead)
        action(now);
    else
        waiting_.push_back(std::move(action));
}

void HostDriver::resume(Time now, Owner owner, uint32_t number, Done done) {
    after_stores(now, [this, owner, number, done = std::move(done)](Time when) {
        when_settled(when, [this, owner, number, done](Time then) {
            Endpoint* endpoint = owned(owner, number);
            if (dead_ || !endpoint || !endpoint->held)
                return done(then, dead_ ? -ENODEV : -EINVAL);
            endpoint->memory->clear_events();
            ::board& board = host_.board();
            host_.set_now(then);
            int status = board_endpoint_set(&board, number, &endpoint->rings);
            for (const WindowTable::Added& w : endpoint->windows->used())
                status = status ? status : board_window_set(&board, number, w.window, w.generation, w.list, w.length,
                                                            w.writable);
            if (status)
                return done(then, status);
            host_.command(then, FW_COMMAND_OPEN, {number}, [this, number, done](Time end, int result, uint32_t) {
                if (result == 0)
                    endpoints_[number].held = false;
                done(end, result == -ECANCELED ? 0 : result); // it is on hold once more, and its page says so
            });
        });
    });
}

} // namespace myri::emulator
