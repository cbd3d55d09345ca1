// SPDX-License-Identifier: BSD-3-Clause
//
// One emulated host: its bus, its card, and the card logic (board/) that drives it. The driver service and the
// tests' rig build on this; neither knows how a card is reset or commanded.
//
// Control-plane accesses (board/) happen in no virtual time of their own, except the delays that board code asks for:
// in boot() the timeline runs on for so long; code in the background is left and entered again when they are over.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "board/board.h"
#include "emulator/clock/timeline.h"
#include "emulator/host/bus_map.h"
#include "emulator/host/coroutine.h"
#include "emulator/host/host_profile.h"
#include "emulator/host/pci_bus.h"
#include "emulator/nic/card.h"

namespace myri::emulator {

class EmulatedHost {
public:
    // `number` is the host's place on the network; it gives the ranks and, with the seed, the MAC address.
    EmulatedHost(Scheduler& scheduler, Timeline& timeline, unsigned number, std::string name,
                 const CardProfile& card, const HostProfile& host, LinkPort& link, const Card::Identity& identity);
    ~EmulatedHost();

    // Resets the card and starts the firmware image. Throws std::runtime_error with the board's own words.
    void boot(std::span<const uint8_t> image);

    // Runs board code that waits, beginning now; time goes on for everybody else while it does. One at a time.
    // abandon() ends it, and for good: it waits no more, and the card answers nothing.
    void in_background(Time now, std::function<void()> code);
    void abandon();
    bool abandoned() const { return abandoned_; }
    // Nothing is expected of the card any more, not even interrupts. The commands that are not carried out.
    using CommandDone = std::function<void(Time, int result, uint32_t value)>;
    std::vector<CommandDone> suspend();
    // In the background: the image again. 0, or a negative errno with last_words(); board() still knows the card then.
    int reload();

    // Carries out a firmware command, after those asked before it, and then calls `done` (0 or -errno, result1).
    // Never waits.
    void command(Time now, uint32_t opcode, std::vector<uint32_t> arguments, CommandDone done);

    // Called when the firmware has raised its interrupt for an endpoint that has unread events.
    void set_wake_handler(std::function<void(Time, unsigned endpoint)> handler) { wake_ = std::move(handler); }

    // Why the firmware has stopped by itself, as it told with its last interrupt; empty while it runs.
    const std::string& stop_reason() const { return stop_reason_; }

    // Time at which board/ accesses happen: set before each call of a board_ function below.
    void set_now(Time now) { now_ = now; }
    Time now() const { return now_; }
    ::board& board() { return board_; }
    Card& card() { return *card_; }
    PciBus& bus() { return *bus_; }
    BusMap& memory() { return memory_; }
    const HostProfile& profile() const { return profile_; }
    const std::string& name() const { return name_; }
    unsigned number() const { return number_; }
    // Where in SRAM the endpoints' windows begin; of the same image at all times.
    uint32_t endpoint_windows() const { return endpoint_windows_; }
    // What board/ logged, last line last; for error messages.
    const std::vector<std::string>& log() const { return log_; }
    std::string last_words() const;

private:
    struct Ops; // the board_ops of this host
    struct Command {
        uint32_t opcode;
        std::vector<uint32_t> arguments;
        CommandDone done;
    };
    Rank rank(unsigned unit) const { return number_ * RANKS_PER_HOST + unit; }
    void interrupt(Time now, bool level);
    void serve_interrupt(Time now);
    void finish_command(Time now, int result, uint32_t value);
    void start_next(Time now);
    int start();
    void go_on(Time now);

    Scheduler& scheduler_;
    Timeline& timeline_;
    unsigned number_;
    std::string name_;
    HostProfile profile_;
    BusMap memory_;
    std::unique_ptr<PciBus> bus_;
    std::unique_ptr<Card> card_;
    ::board board_{};
    std::vector<uint8_t> image_;
    uint32_t endpoint_windows_ = 0;
    std::unique_ptr<Coroutine> background_;
    bool abandoned_ = false;
    Time now_ = 0;
    std::deque<Command> commands_;
    bool command_running_ = false;
    std::vector<uint32_t> wake_counts_;
    std::function<void(Time, unsigned)> wake_;
    std::vector<std::string> log_;
    std::string stop_reason_;
};

} // namespace myri::emulator
