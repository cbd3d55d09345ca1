// SPDX-License-Identifier: BSD-3-Clause
//
// A card's end of its cable, both directions: the contract between emulator/nic/ and emulator/fabric/.
//
// The card sends one packet at a time and hears when its last byte has left. It hears of an arriving packet
// when its first and its last byte reach the card's port. It asks its peer to pause with set_stop(); bytes that
// are already under way still arrive and are the card's to keep (one round trip's worth: about 47 at 5 m, 680 at 200 m).
// All calls carry the virtual time at which they happen; times never go backwards on one port by more than the
// card's lookahead (a processor may have been run ahead).
#pragma once

#include "emulator/clock/scheduler.h"
#include "emulator/fabric/packet.h"

namespace myri::emulator {

class LinkPort {
public:
    class Client {
    public:
        virtual ~Client() = default;
        virtual void packet_sent(Time, const PacketPtr&) = 0; // its last byte has left; the port is free
        virtual void packet_head(Time, const PacketPtr&) = 0; // its first byte has arrived
        virtual void packet_tail(Time, const PacketPtr&) = 0; // its last byte has arrived
        virtual void stop_changed(Time, bool stopped) = 0;    // the peer's STOP or GO has arrived
        virtual void link_changed(Time, bool up) = 0;
    };
    virtual ~LinkPort() = default;
    virtual void attach(Client& client) = 0;
    // Begins to send; the previous packet's packet_sent() must have come.
    virtual void send(Time now, PacketPtr packet) = 0;
    // Tells the peer to stop or to go on.
    virtual void set_stop(Time now, bool stop) = 0;
    virtual bool up() const = 0;
    // The cable carries nothing from now on, in either direction; or works again. What has begun to arrive arrives.
    virtual void set_up(Time now, bool up) = 0;
    // Shortest time from send() to packet_head(), or from set_stop() to stop_changed(), at any other card.
    virtual Time lookahead() const = 0;
};

} // namespace myri::emulator
