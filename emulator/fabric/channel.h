// SPDX-License-Identifier: BSD-3-Clause
//
// One direction of a cable: a transmitter, the wire, and the STOP/GO symbols that the receiver sends back.
//
// Bytes flow at one fixed rate or not at all, so only changes are events: the head, a pause, a resume, the
// tail. The transmitter runs unless its receiver has stopped it or its source has run dry (a crossbar passes
// bytes on while they come in). A pause takes effect behind the byte that is being sent. Symbols take no wire
// time.
#pragma once

#include <cstdint>

#include "emulator/clock/scheduler.h"
#include "emulator/fabric/fabric_parameters.h"
#include "emulator/fabric/flight.h"

namespace myri::emulator {

// Order of the fabric's events at one time: what arrives comes before what it could influence.
enum class FabricPhase : Rank { arrival, symbol, crossbar, transmitter, host_send };
constexpr Rank fabric_rank(FabricPhase phase, unsigned number) {
    return FABRIC_RANK + (static_cast<Rank>(phase) << 16) + number;
}

class Channel {
public:
    static constexpr uint32_t ALL = ~0u;

    class Source {
    public:
        virtual ~Source() = default;
        virtual void flight_sent(Time, const FlightPtr&) = 0; // its last byte has left; the channel is idle
        virtual void rate_changed(Time) {}                    // paused or resumed by itself
        virtual void stop_arrived(Time, bool) {}
    };
    class Sink {
    public:
        virtual ~Sink() = default;
        // The first byte comes out of the deserialiser; `length` bytes will come on this hop.
        virtual void flight_head(Time, const FlightPtr&, uint32_t length) = 0;
        virtual void flight_paused(Time, uint32_t bytes) = 0; // `bytes` of it have come
        virtual void flight_resumed(Time) = 0;
        virtual void flight_tail(Time, const FlightPtr&, uint32_t length) = 0; // the last byte has come
    };

    // `number` is unique in the fabric and orders events at the same time.
    Channel(Scheduler& scheduler, const FabricParameters& parameters, double metres, unsigned number);
    Channel(const Channel&) = delete;
    void connect(Source& source, Sink& sink);
    Time latency() const { return latency_; }

    // For the source. start() needs an idle channel; only `available` bytes may be sent until set_available()
    // says otherwise, and that number may not be below what has been sent.
    bool idle() const { return !flight_; }
    bool running() const { return running_; }
    void start(Time now, FlightPtr flight, uint32_t available = ALL);
    void set_available(Time now, uint32_t bytes);
    // Whole bytes of the present flight that have left, and when (if nothing changes) `bytes` will have left.
    uint32_t sent(Time now) const;
    Time sent_at(uint32_t bytes) const { return run_start_ + (bytes - base_) * byte_time_; }
    // How long the receiver has been holding the transmitter stopped, in all.
    Time stopped_time(Time now) const { return stopped_total_ + (stopped_ ? now - stopped_since_ : 0); }

    // For the sink: the symbol reaches the transmitter one latency later.
    void set_stop(Time now, bool stop);

private:
    void run_if_possible(Time now);
    void plan_run_end();
    void run_ended(Time now);
    void symbol_arrived(Time now, bool stop);
    void announce_pause(Time when);
    uint32_t limit() const;

    Scheduler& scheduler_;
    const Time byte_time_, latency_;
    const unsigned number_;
    Source* source_ = nullptr;
    Sink* sink_ = nullptr;

    FlightPtr flight_;
    uint32_t length_ = 0;    // of the flight on this hop
    uint32_t available_ = 0; // what the source has or will have without a pause
    uint32_t base_ = 0;      // bytes that had left when the present run began
    uint32_t run_end_ = 0;   // bytes that will have left at the planned end of the run
    Time run_start_ = 0;
    Time free_at_ = 0; // end of the byte behind which the last run paused
    bool running_ = false, announced_ = false;
    bool stopped_ = false;
    Time stopped_since_ = 0, stopped_total_ = 0;
    Scheduler::EventId end_event_;
};

} // namespace myri::emulator
