// SPDX-License-Identifier: BSD-3-Clause
//
// A tool's hold on the library: initialised, an endpoint open, peers connected, requests completed.
//
// All waiting happens here, so that every benchmark polls or blocks, reacts to SIGINT and finds out that its peer
// has gone in the same way. Time is the program's clock (virtual in an emulated fabric). One thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <myriexpress.h>

#include "tools/options.h"
#include "tools/page_buffer.h"

namespace myri::tools {

inline constexpr uint64_t PICOSECONDS_PER_SECOND = 1'000'000'000'000;

// Holds the library: mx_init with errors returned, mx_finalize at the end.
class Library {
public:
    Library();
    ~Library();
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;
};

struct Peer {
    mx_endpoint_addr_t address{};
    uint64_t nic_id = 0;
    uint32_t endpoint = 0;
    uint32_t session = 0;
    std::string name; // host:board
};

class Session {
public:
    explicit Session(const PeerOptions& options);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    mx_endpoint_t endpoint() const { return endpoint_; }
    const Peer& self() const { return self_; }
    uint64_t now() const; // picoseconds

    // Connects to options.destination. A refused or missing peer is tried again for 10 s.
    Peer connect();
    Peer peer_of(const mx_status_t& status) const;

    // Pages that live as long as the endpoint, because the card may use them until it is closed. Asking for more
    // bytes under the same index replaces them: no request may be pending on it then.
    std::span<uint8_t> buffer(size_t index, uint32_t bytes);

    mx_request_t send(std::span<const uint8_t> bytes, const Peer& peer, uint64_t match, bool synchronous = false,
                      void* context = nullptr);
    mx_request_t receive(std::span<uint8_t> bytes, uint64_t match, uint64_t mask = MX_MATCH_MASK_NONE,
                         void* context = nullptr);
    // Until the request is complete. `peer` may be null: then nobody is expected to be there yet.
    mx_status_t complete(mx_request_t request, const Peer* peer, const char* doing);
    // Until any request is complete.
    mx_status_t complete_any(const Peer& peer, const char* doing);
    // Whether waiting ends with Interrupted at SIGINT (it does at first). Without: look at interrupted().
    void heed_interrupt(bool heed) { heed_interrupt_ = heed; }
    // Gives up a receive; the library does not touch its buffer any more.
    void withdraw(mx_request_t request);

private:
    template <typename Poll> mx_status_t wait_for(Poll poll, const Peer* peer, const char* doing);
    void check_alive(const Peer& peer, const char* doing);

    PeerOptions options_;
    Library library_;
    mx_endpoint_t endpoint_ = nullptr;
    Peer self_;
    bool heed_interrupt_ = true;
    std::vector<PageBuffer> buffers_;
};

// A receive that is withdrawn if an exception passes by before it is complete.
class PendingReceive {
public:
    explicit PendingReceive(Session& session) : session_(session) {}
    ~PendingReceive() {
        if (request_)
            session_.withdraw(request_);
    }
    PendingReceive(const PendingReceive&) = delete;
    PendingReceive& operator=(const PendingReceive&) = delete;
    void post(std::span<uint8_t> bytes, uint64_t match, uint64_t mask = MX_MATCH_MASK_NONE) {
        request_ = session_.receive(bytes, match, mask);
    }
    mx_status_t complete(const Peer* peer, const char* doing) {
        mx_status_t status = session_.complete(request_, peer, doing);
        request_ = nullptr;
        return status;
    }

private:
    Session& session_;
    mx_request_t request_ = nullptr;
};

} // namespace myri::tools
