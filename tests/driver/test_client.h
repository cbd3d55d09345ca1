// SPDX-License-Identifier: BSD-3-Clause
//
// A client of the driver, written from abi/driver.h and abi/firmware.h alone: what the library does, in its plainest
// form, and what no library would do (wrong versions, cut-off frames, nonsense).
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "abi/driver.h"
#include "abi/firmware.h"

namespace myri::driver_test {

struct Endpoint {
    myri_endpoint_open info{};
    uint8_t* rings = nullptr;
    uint8_t* window = nullptr; // free running: the SRAM window
    uint32_t posted = 0, events = 0;
};

class TestClient {
public:
    // Connects to $MYRI_FABRIC. Throws std::runtime_error.
    TestClient();
    ~TestClient();
    TestClient(const TestClient&) = delete;
    TestClient& operator=(const TestClient&) = delete;

    // A whole request and its answer; the status. `fds` go along; those that come back are in `received`.
    int request(uint32_t which, void* structure, size_t length, const std::vector<int>& fds = {});
    template <typename T> int request(uint32_t which, T& structure) {
        return request(which, &structure, sizeof structure);
    }
    // Bytes as they are. False if the socket is closed.
    bool send_raw(const void* bytes, size_t length, const std::vector<int>& fds = {});
    // The next frame's status; 1 if the connection has been closed.
    int receive(void* structure, size_t length);

    // `memory`: goes along as /proc/self/mem; -1: none does; 0: the real one.
    int attach(uint32_t abi = MYRI_DRIVER_ABI, int memory = 0);
    int open(uint32_t endpoint, Endpoint& out);
    int close(const Endpoint& endpoint);

    // Virtual time. spend() only counts; yield() and park() hand over.
    uint64_t now() const { return now_; }
    uint64_t safe_until() const { return safe_until_; }
    void spend(uint64_t picoseconds) { now_ += picoseconds; }
    int yield();
    int park(uint64_t until, uint64_t period);

    // Stores into the endpoint's SRAM window, through the clock page or (free running) the mapping. 0 bytes: a barrier.
    void store(const Endpoint& endpoint, uint32_t offset, const void* bytes, uint32_t length);
    // Posts a CONNECT with this text to an endpoint of the peer with that index.
    void post(Endpoint& endpoint, uint32_t peer, uint32_t to, const std::string& text);
    // The next event's packet body, and whether there is one.
    bool poll(Endpoint& endpoint, std::string& body);

    myri_attach attached{};
    std::vector<int> received;
    myri_clock_page* page = nullptr;

private:
    int socket_ = -1;
    uint64_t now_ = 0, safe_until_ = 0;
};

} // namespace myri::driver_test
