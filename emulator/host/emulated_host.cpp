// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/host/emulated_host.h"

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <utility>

namespace myri::emulator {
namespace {

// Units of a host, in the order in which their events at one time run.
enum Unit : unsigned { UNIT_BUS = 0, UNIT_CARD = 1, UNIT_INTERRUPT = 6 };

constexpr size_t LOG_LINES = 100;

} // namespace

// board/ reaches the card at the host's now_.
struct EmulatedHost::Ops {
    static EmulatedHost& host(void* context) { return *static_cast<EmulatedHost*>(context); }
    static uint32_t read32(void* context, uint32_t offset) {
        return host(context).abandoned_ ? ~0u : host(context).card_->bar_read32(host(context).now_, offset);
    }
    static void write32(void* context, uint32_t offset, uint32_t value) {
        host(context).card_->bar_write32(host(context).now_, offset, value);
    }
    static void copy_to_sram(void* context, uint32_t offset, const void* bytes, uint32_t length) {
        host(context).card_->sram_write(host(context).now_, offset,
                                        {static_cast<const uint8_t*>(bytes), length});
    }
    static void zero_sram(void* context, uint32_t offset, uint32_t length) {
        const std::vector<uint8_t> zeros(length);
        host(context).card_->sram_write(host(context).now_, offset, zeros);
    }
    static void delay_ms(void* context, uint32_t ms) {
        EmulatedHost& h = host(context);
        const Time end = h.now_ + milliseconds(ms);
        if (!h.background_ || !h.background_->inside()) {
            h.timeline_.run_until(end);
        } else if (!h.abandoned_) {
            h.scheduler_.at(end, h.rank(UNIT_INTERRUPT), [&h](Time now) { h.go_on(now); });
            h.background_->pause();
        }
        h.now_ = end; // others in between have moved it
    }
    static void bus_master(void* context, bool on) { host(context).memory_.set_bus_master(on); }
    static void log(void* context, const char* text) {
        std::vector<std::string>& log = host(context).log_;
        if (log.size() == LOG_LINES)
            log.erase(log.begin());
        log.emplace_back(text);
    }
    static constexpr board_ops table{read32, write32, copy_to_sram, zero_sram, delay_ms, bus_master, log};
};

EmulatedHost::EmulatedHost(Scheduler& scheduler, Timeline& timeline, unsigned number, std::string name,
                           const CardProfile& card, const HostProfile& host, LinkPort& link,
                           const Card::Identity& identity)
    : scheduler_(scheduler), timeline_(timeline), number_(number), name_(std::move(name)), profile_(host),
      bus_(std::make_unique<PciBus>(scheduler, rank(UNIT_BUS), profile_, memory_)),
      card_(std::make_unique<Card>(scheduler, rank(UNIT_CARD), card, identity, *bus_, link)) {
    timeline_.add(*card_);
    card_->set_interrupt_handler([this](Time now, bool level) { interrupt(now, level); });
}

EmulatedHost::~EmulatedHost() {
    abandon();
    timeline_.remove(*card_);
}

std::string EmulatedHost::last_words() const {
    return log_.empty() ? "no reason given" : log_.back();
}

void EmulatedHost::boot(std::span<const uint8_t> image) {
    now_ = std::max(now_, scheduler_.now());
    image_.assign(image.begin(), image.end());
    for (const CommandDone& done : suspend())
        if (done)
            done(now_, -ECANCELED, 0);
    if (start() != 0)
        throw std::runtime_error("host " + name_ + ": " + last_words());
}

int EmulatedHost::start() {
    const int status = board_boot(&board_, &Ops::table, this, card_->profile().lanai_khz, image_.data(),
                                  static_cast<uint32_t>(std::min<size_t>(image_.size(), UINT32_MAX)));
    if (status)
        return status;
    endpoint_windows_ = board_.endpoint_windows;
    card_->watch_idle(board_.idle_loop);
    wake_counts_.resize(FW_ENDPOINTS);
    for (uint32_t n = 0; n < FW_ENDPOINTS; n++)
        wake_counts_[n] = board_endpoint_wake_count(&board_, n);
    return 0;
}

int EmulatedHost::reload() {
    const ::board before = board_;
    const int status = start();
    if (status)
        board_ = before;
    return status;
}

std::vector<EmulatedHost::CommandDone> EmulatedHost::suspend() {
    wake_counts_.clear(); // until new firmware runs, interrupts mean nothing
    card_->watch_idle(0);
    stop_reason_.clear();
    command_running_ = false;
    std::vector<CommandDone> left;
    for (Command& command : std::exchange(commands_, {}))
        left.push_back(std::move(command.done));
    return left;
}

void EmulatedHost::in_background(Time now, std::function<void()> code) {
    background_ = std::make_unique<Coroutine>(std::move(code));
    go_on(now);
}

void EmulatedHost::go_on(Time now) {
    now_ = now;
    background_->resume();
    if (background_->over())
        background_.reset();
}

void EmulatedHost::abandon() {
    abandoned_ = true;
    if (background_)
        go_on(now_);
}

void EmulatedHost::command(Time now, uint32_t opcode, std::vector<uint32_t> arguments, CommandDone done) {
    commands_.push_back({opcode, std::move(arguments), std::move(done)});
    start_next(now);
}

void EmulatedHost::start_next(Time now) {
    while (!command_running_ && !commands_.empty()) {
        const Command& next = commands_.front();
        now_ = now;
        const int status = board_command_start(&board_, next.opcode, next.arguments.data(),
                                               static_cast<unsigned>(next.arguments.size()));
        command_running_ = status == 0;
        if (!command_running_)
            finish_command(now, status, 0);
    }
}

void EmulatedHost::finish_command(Time now, int result, uint32_t value) {
    const CommandDone done = std::move(commands_.front().done);
    commands_.pop_front();
    if (done)
        done(now, result, value);
}

// The card calls this from within its processor, which must not be run again from here: hence the event.
void EmulatedHost::interrupt(Time now, bool level) {
    if (level)
        scheduler_.at(std::max(now, scheduler_.now()), rank(UNIT_INTERRUPT),
                      [this](Time when) { serve_interrupt(when); });
}

void EmulatedHost::serve_interrupt(Time now) {
    if (wake_counts_.empty())
        return;
    now_ = now;
    if (!board_interrupt_acknowledge(&board_))
        return;
    if (const char* reason = board_stopped(&board_))
        stop_reason_ = reason;
    int result = 0;
    uint32_t value = 0;
    if (board_command_finished(&board_, &result, &value)) {
        command_running_ = false;
        finish_command(now, result, value);
    }
    start_next(now);
    for (uint32_t n = 0; n < wake_counts_.size(); n++) {
        now_ = now;
        const uint32_t count = board_endpoint_wake_count(&board_, n);
        if (std::exchange(wake_counts_[n], count) != count && wake_)
            wake_(now, n);
    }
}

} // namespace myri::emulator
