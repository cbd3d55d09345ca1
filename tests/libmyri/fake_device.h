// SPDX-License-Identifier: BSD-3-Clause
//
// The kernel's side of /dev/myriN for tests of the library alone: the system calls of libmyri/driver_device.h, carried
// out on memory files. It is written from abi/driver.h and shares no code with the module.
//
// An open file is a memfd: what the library maps at an offset is found there by the test too. poll() waits for an
// eventfd of the same file. There is one fake machine at a time.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "abi/firmware.h"
#include "libmyri/driver_device.h"

namespace myri::test {

struct FakeFile {
    uint32_t number = 0; // of /dev/myriN
    int news = -1;       // eventfd: readable when poll() is to report
    bool open = false;   // an endpoint
    myri_endpoint_open endpoint{};
    uint32_t events_seen = 0; // of the last MYRI_WAIT
};

class FakeMachine {
public:
    FakeMachine();
    ~FakeMachine();

    // What the test sets.
    std::map<uint32_t, int> nodes;     // number of /dev/myriN: 0, or the errno of open()
    uint32_t abi = MYRI_DRIVER_ABI;
    int attach_error = 0;              // of MYRI_ATTACH
    bool in_own_table = true;          // the peer table names the board itself
    int open_error = 0;                // of MYRI_ENDPOINT_OPEN
    int wait_answer = -ETIMEDOUT;      // of MYRI_WAIT
    int register_error = 0;
    unsigned register_good = ~0u;      // so many registrations before register_error
    uint32_t event_entries = 256, receive_bytes = 64 << 10, send_bytes = 128 << 10, bounce_bytes = 0;
    int failing_map = -1;              // number of the map call that fails
    short revents = 0;                 // what poll() reports for the device besides

    // What happened, in words: "open /dev/myri0", "ioctl MYRI_REGISTER board 1 endpoint 3", "map 4096 at 0x10000000",
    // "poll 2 files 1500 us", "close".
    std::vector<std::string> said();
    unsigned count(const std::string& beginning);
    size_t open_files();
    std::vector<myri_register> registered;
    std::vector<myri_unregister> unregistered;

    // Each MYRI_WAIT with what the card then knew of the process.
    struct Look {
        uint32_t events_seen, wake_after_us, events_consumed;
    };
    std::vector<Look> looks();

    // Of the only open endpoint.
    FakeFile endpoint_file();
    // Its memory as the card sees it, for as long as the test wants it.
    uint8_t* window();
    uint8_t* rings();
    // The card writes a brief event; sleepers wake if `interrupt`.
    void event(enum fw_event_type type, bool interrupt);

    static const DeviceCalls calls;

private:
    int open_node(const char* path);
    int close_file(int fd);
    int carry_out(int fd, unsigned long request, void* structure);
    int open_endpoint(FakeFile& file, myri_endpoint_open& o);
    void* map(void* at, size_t bytes, int protection, int flags, int fd, off_t offset);
    int poll_files(pollfd* files, nfds_t count, const timespec* timeout);
    uint8_t* window_here();
    void say(std::string what) { log_.push_back(std::move(what)); }
    int endpoint_fd();

    std::mutex lock_; // protects what follows
    std::map<int, FakeFile> files_;
    std::vector<std::string> log_;
    std::vector<Look> looks_;
    int maps_ = 0;
    uint32_t events_written_ = 0;
    uint16_t generations_ = 0;
    uint8_t* window_ = nullptr;
    uint8_t* rings_ = nullptr;
    size_t rings_bytes_ = 0;
};

} // namespace myri::test
