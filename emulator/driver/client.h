// SPDX-License-Identifier: BSD-3-Clause
//
// One connection of a process to the driver: its frames, and who stands behind them.
//
// Whatever it sends can at worst end this connection. In virtual time a request is carried out as an event at the
// process's own clock, and its answer is kept until the process's turn; free running it is carried out at once.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/driver/clock_page.h"
#include "emulator/driver/host_driver.h"
#include "emulator/driver/socket_frames.h"
#include "emulator/driver/virtual_process.h"

namespace myri::emulator {

class CommandClock;
class DriverService;

class Client : public std::enable_shared_from_this<Client> {
public:
    // `peer`: the process at the other end, as the kernel says.
    Client(DriverService& service, FileDescriptor socket, const ucred& peer);

    int socket() const { return socket_.get(); }
    int pidfd() const { return pidfd_.get(); } // -1 before it has attached
    bool attached() const { return host_ || guest_; }
    pid_t pid() const { return pid_; }
    // "n0: program (pid 123)"
    std::string describe() const;
    std::string waits_for() const;

    // Its socket is readable.
    void readable();
    // The connection ends: what it owned is closed, its last stores still count.
    void end();

    // Virtual time.
    const VirtualProcess& process() const { return *process_; }
    CommandClock* command() const { return command_; }
    bool running() const { return !ended_ && process_->state() == VirtualProcess::State::running; }
    unsigned host_number() const { return host_->host().number(); }
    // Its turn: sends the answer that it waits for. Nothing that it can see changes before `safe_until`.
    void go(Time safe_until);

    // Free running: answers MYRI_WAITs whose event is there or whose time is over. The time when the next is over.
    std::optional<int64_t> check_waits(int64_t now_us);

private:
    struct Answer {
        uint32_t request = 0;
        int32_t status = 0;
        std::vector<uint8_t> body;
        std::vector<FileDescriptor> descriptors;
    };
    struct Wait {
        myri_wait request;
        int64_t until_us; // -1: for ever
    };
    void handle(Frame& frame);
    void attach(Frame& frame);
    void take_memory(FileDescriptor mem);
    int attach_checks(Frame& frame, myri_attach& request);
    // Endpoints belong to the process, whichever of its connections it uses.
    HostDriver::Owner owner() const { return static_cast<HostDriver::Owner>(pid_); }
    void hand_over(Time now);
    bool take_stores(Time now);
    void clock_request(const std::vector<uint8_t>& body, Time before, Time now);
    void carry_out(Time now, uint32_t request, bool bare, std::vector<uint8_t> body);
    void carry_out_settled(Time now, uint32_t request, std::vector<uint8_t> body);

    template <typename T> static bool fits(const std::vector<uint8_t>& body, T& request) {
        if (body.size() != sizeof request)
            return false;
        std::memcpy(&request, body.data(), sizeof request);
        return true;
    }
    // Takes a structure that begins with a board's number. If it does not fit: answers, and false.
    template <typename T> bool taken(Time now, uint32_t which, std::vector<uint8_t>& body, T& request) {
        const bool fitting = fits(body, request);
        if (fitting && request.board == 0)
            return true;
        answer(now, which, fitting ? ENODEV : EBADMSG, std::move(body));
        return false;
    }

    void board_info(Time now, std::vector<uint8_t> body);
    void peers(Time now, std::vector<uint8_t> body);
    void set_peers(Time now, std::vector<uint8_t> body);
    void counters(Time now, std::vector<uint8_t> body);
    void open(Time now, std::vector<uint8_t> body);
    void close(Time now, std::vector<uint8_t> body);
    void register_memory(Time now, std::vector<uint8_t> body);
    void unregister(Time now, std::vector<uint8_t> body);
    void wait_event(Time now, std::vector<uint8_t> body);
    void wake(Time now, std::vector<uint8_t> body);
    void resume(Time now, std::vector<uint8_t> body);
    void inject(Time now, std::vector<uint8_t> body);
    bool may_administer() const { return uid_ == 0 || uid_ == geteuid(); }
    void dmabench(Time now, std::vector<uint8_t> body);

    // The answer to `request`, ready at `now`. `error`: 0 or an errno.
    void answer(Time now, uint32_t request, int error, std::vector<uint8_t> body, int descriptor = -1,
                int second = -1);
    template <typename T> void answer_with(Time now, uint32_t request, int error, const T& structure) {
        const auto* bytes = reinterpret_cast<const uint8_t*>(&structure);
        answer(now, request, error, {bytes, bytes + sizeof structure});
    }
    // Sends an error at once, before the connection ends.
    void refuse(uint32_t request, int error, std::vector<uint8_t> body = {});

    DriverService& service_;
    FileDescriptor socket_, pidfd_;
    const pid_t pid_;
    const uid_t uid_;
    std::string program_;
    HostDriver* host_ = nullptr;
    const CardOnCable* guest_ = nullptr; // instead of it: nothing but faults can be asked for
    std::shared_ptr<UserMemory> memory_; // null: its endpoints have a bounce area
    std::vector<myri_peer> new_peers_;   // parts of a table that is being set
    std::vector<Wait> waits_;
    bool ended_ = false;

    CommandClock* command_ = nullptr;
    std::unique_ptr<VirtualProcess> process_;
    std::unique_ptr<ClockPage> page_;
    Answer answer_;
    Time last_store_ = 0; // when its latest store left, or it went on
};

} // namespace myri::emulator
