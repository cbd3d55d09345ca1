// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/fabric/channel.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace myri::emulator {

Channel::Channel(Scheduler& scheduler, const FabricParameters& parameters, double metres, unsigned number)
    : scheduler_(scheduler), byte_time_(parameters.byte_time()), latency_(parameters.link_latency(metres)),
      number_(number) {}

void Channel::connect(Source& source, Sink& sink) {
    source_ = &source;
    sink_ = &sink;
}

uint32_t Channel::limit() const {
    return std::min(length_, available_);
}

uint32_t Channel::sent(Time now) const {
    if (!running_ || now <= run_start_)
        return base_;
    return static_cast<uint32_t>(std::min<Time>(run_end_, base_ + (now - run_start_) / byte_time_));
}

void Channel::start(Time now, FlightPtr flight, uint32_t available) {
    if (flight_)
        throw std::logic_error("a packet is started on a link that still sends another one");
    flight_ = std::move(flight);
    length_ = flight_->packet->wire_length();
    available_ = available;
    base_ = 0;
    announced_ = false;
    run_if_possible(now);
}

void Channel::set_available(Time now, uint32_t bytes) {
    if (!flight_)
        return;
    available_ = bytes;
    if (running_ && !stopped_)
        plan_run_end();
    else
        run_if_possible(now);
}

void Channel::run_if_possible(Time now) {
    if (!flight_ || running_ || stopped_ || base_ >= limit())
        return;
    running_ = true;
    run_start_ = std::max(now, free_at_);
    plan_run_end();
    if (!flight_->vanishes)
        scheduler_.at(run_start_ + latency_, fabric_rank(FabricPhase::arrival, number_),
                      [this, first = !announced_, flight = flight_, length = length_](Time t) {
                          if (first)
                              sink_->flight_head(t, flight, length);
                          else
                              sink_->flight_resumed(t);
                      });
    announced_ = true;
}

void Channel::plan_run_end() {
    scheduler_.cancel(end_event_);
    run_end_ = limit();
    end_event_ = scheduler_.at(sent_at(run_end_), fabric_rank(FabricPhase::transmitter, number_),
                               [this](Time t) { run_ended(t); });
}

void Channel::run_ended(Time now) {
    running_ = false;
    base_ = run_end_;
    free_at_ = now;
    if (base_ < length_) { // the source has run dry
        announce_pause(now);
        run_if_possible(now);
        source_->rate_changed(now);
        return;
    }
    FlightPtr flight = std::exchange(flight_, nullptr);
    if (!flight->vanishes)
        scheduler_.at(now + latency_, fabric_rank(FabricPhase::arrival, number_),
                      [this, flight, length = length_](Time t) { sink_->flight_tail(t, flight, length); });
    source_->flight_sent(now, flight);
}

void Channel::announce_pause(Time when) {
    if (!flight_->vanishes)
        scheduler_.at(when + latency_, fabric_rank(FabricPhase::arrival, number_),
                      [this, bytes = base_](Time t) { sink_->flight_paused(t, bytes); });
}

void Channel::set_stop(Time now, bool stop) {
    scheduler_.at(now + latency_, fabric_rank(FabricPhase::symbol, number_),
                  [this, stop](Time t) { symbol_arrived(t, stop); });
}

void Channel::symbol_arrived(Time now, bool stop) {
    if (stop == stopped_)
        return;
    if (stop)
        stopped_since_ = now;
    else
        stopped_total_ += now - stopped_since_;
    stopped_ = stop;
    if (stop && running_) {
        // At least one byte a run, so that an announced head has a first byte.
        Time running = now > run_start_ ? now - run_start_ : 0;
        Time bytes = std::max<Time>(1, (running + byte_time_ - 1) / byte_time_);
        if (base_ + bytes < run_end_) { // otherwise the run ends with the byte that is being sent anyway
            scheduler_.cancel(end_event_);
            running_ = false;
            free_at_ = run_start_ + bytes * byte_time_;
            base_ += static_cast<uint32_t>(bytes);
            announce_pause(free_at_);
        }
    } else if (!stop) {
        run_if_possible(now);
    }
    if (flight_)
        source_->rate_changed(now);
    source_->stop_arrived(now, stop);
}

} // namespace myri::emulator
