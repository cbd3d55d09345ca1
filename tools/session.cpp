// SPDX-License-Identifier: BSD-3-Clause
#include "tools/session.h"

#include <cstring>

#include <mx_extensions.h>
#include <myri.h>

#include "tools/advice.h"
#include "tools/failure.h"
#include "tools/interrupt.h"

namespace myri::tools {
namespace {

constexpr uint64_t MILLISECOND = PICOSECONDS_PER_SECOND / 1000;
constexpr uint64_t CONNECT_FOR = 10 * PICOSECONDS_PER_SECOND;
constexpr uint64_t CONNECT_PAUSE = 10 * MILLISECOND;
constexpr uint32_t CONNECT_TIMEOUT_MS = 1000;
// A peer that has said nothing for so long is asked whether it is still there.
constexpr uint64_t SILENCE = 2 * PICOSECONDS_PER_SECOND;
constexpr uint32_t ALIVE_TIMEOUT_MS = 10000;
constexpr uint32_t BLOCK_MS = 500; // a blocked wait looks at SIGINT so often
constexpr uint32_t POLLS_PER_LOOK = 64; // reading the clock at each poll would slow polling down

std::string name_of(uint64_t nic_id) {
    char name[MX_MAX_HOSTNAME_LEN + 1] = "";
    if (mx_nic_id_to_hostname(nic_id, name) == MX_SUCCESS)
        return name;
    return fmt::format("{:012x}", nic_id);
}

void describe(Peer& peer) {
    mx_decompose_endpoint_addr2(peer.address, &peer.nic_id, &peer.endpoint, &peer.session);
    peer.name = name_of(peer.nic_id);
}

std::string reason; // why mx_init failed
mx_return_t remember_reason(char* text, mx_return_t code) {
    const char* colon = std::strchr(text, ':'); // before it: the function
    reason = colon ? colon + 1 : text;
    return code;
}

bool may_appear_later(mx_return_t code) { return code == MX_CONNECTION_FAILED || code == MX_TIMEOUT; }

} // namespace

Library::Library() {
    mx_set_error_handler(remember_reason);
    mx_return_t code = mx_init();
    mx_set_error_handler(MX_ERRORS_RETURN); // the tools have their own words
    if (code == MX_ALREADY_INITIALIZED)
        return;
    // Only the library knows what it looked for and what a fabric answered; names of users and groups are known here.
    if (code != MX_SUCCESS && code != MX_NO_PERM && !reason.empty())
        throw Failure(fmt::format("cannot use Myrinet: {}: {}", mx_strerror(code), reason));
    check(code, "use Myrinet");
}

Library::~Library() { mx_finalize(); }

Session::Session(const PeerOptions& options) : options_(options) {
    uint32_t board = options.board;
    if (!options.nic_id.empty())
        check(mx_nic_id_to_board_number(*parse_nic_id(options.nic_id), &board),
              fmt::format("use the card {}", options.nic_id));
    std::string which = board == MX_ANY_NIC ? "any board" : fmt::format("board {}", board);
    check(mx_open_endpoint(board, options.endpoint, options.filter, nullptr, 0, &endpoint_),
          fmt::format("open endpoint {} of {}", options.endpoint, which));
    check(mx_get_endpoint_addr(endpoint_, &self_.address), "get the own address");
    describe(self_);
}

Session::~Session() {
    if (endpoint_)
        mx_close_endpoint(endpoint_); // before buffers_ go
}

uint64_t Session::now() const { return myri_time(); }

Peer Session::connect() {
    Peer peer;
    std::string host = options_.destination;
    check(mx_hostname_to_nic_id(host.data(), &peer.nic_id),
          fmt::format("find the host {} (mx_info lists those that are known)", host));
    uint64_t start = now();
    for (;;) {
        mx_return_t code = mx_connect(endpoint_, peer.nic_id, options_.remote_endpoint, options_.filter,
                                      CONNECT_TIMEOUT_MS, &peer.address);
        if (code == MX_SUCCESS)
            break;
        stop_if_interrupted();
        std::string where = fmt::format("endpoint {} of {}", options_.remote_endpoint, host);
        if (!may_appear_later(code))
            check(code, "connect to " + where);
        if (now() - start >= CONNECT_FOR)
            throw Failure(fmt::format("cannot connect to {}: nobody has opened it within {} s ({}); start the receiver "
                                      "there first, with the same -e as -r here",
                                      where, CONNECT_FOR / PICOSECONDS_PER_SECOND, mx_strerror(code)));
        myri_sleep(CONNECT_PAUSE);
    }
    describe(peer);
    return peer;
}

Peer Session::peer_of(const mx_status_t& status) const {
    Peer peer;
    peer.address = status.source;
    describe(peer);
    return peer;
}

std::span<uint8_t> Session::buffer(size_t index, uint32_t bytes) {
    if (buffers_.size() <= index)
        buffers_.resize(index + 1);
    if (buffers_[index].bytes().size() < bytes)
        buffers_[index] = PageBuffer(bytes);
    return buffers_[index].bytes().first(bytes);
}

mx_request_t Session::send(std::span<const uint8_t> bytes, const Peer& peer, uint64_t match, bool synchronous,
                           void* context) {
    mx_segment_t segment{const_cast<uint8_t*>(bytes.data()), static_cast<uint32_t>(bytes.size())};
    mx_request_t request = nullptr;
    auto post = synchronous ? mx_issend : mx_isend;
    check(post(endpoint_, &segment, 1, peer.address, match, context, &request), "send to " + peer.name);
    return request;
}

mx_request_t Session::receive(std::span<uint8_t> bytes, uint64_t match, uint64_t mask, void* context) {
    mx_segment_t segment{bytes.data(), static_cast<uint32_t>(bytes.size())};
    mx_request_t request = nullptr;
    check(mx_irecv(endpoint_, &segment, 1, match, mask, context, &request), "post a receive");
    return request;
}

template <typename Poll> mx_status_t Session::wait_for(Poll poll, const Peer* peer, const char* doing) {
    mx_status_t status;
    uint32_t done = 0;
    uint64_t quiet_since = 0;
    for (uint32_t polls = 1;; polls++) {
        check(poll(&status, &done), doing);
        if (done)
            break;
        if (heed_interrupt_)
            stop_if_interrupted();
        if (!peer || (!options_.block && polls % POLLS_PER_LOOK != 0))
            continue;
        uint64_t time = now();
        if (quiet_since == 0)
            quiet_since = time;
        if (time - quiet_since >= SILENCE) {
            check_alive(*peer, doing);
            quiet_since = now();
        }
    }
    if (const std::string dead = status.code == MX_STATUS_ABORTED ? dead_card() : ""; !dead.empty())
        throw Failure(dead);
    if (status.code != MX_STATUS_SUCCESS)
        throw Failure(fmt::format("cannot {}: {}{}", doing,
                                  status.code == MX_STATUS_NO_RESOURCES ? explain(MX_NO_RESOURCES)
                                                                        : mx_strstatus(status.code),
                                  peer ? " (the peer is " + peer->name + ")" : ""));
    return status;
}

mx_status_t Session::complete(mx_request_t request, const Peer* peer, const char* doing) {
    return wait_for(
        [&](mx_status_t* status, uint32_t* done) {
            return options_.block ? mx_wait(endpoint_, &request, BLOCK_MS, status, done)
                                  : mx_test(endpoint_, &request, status, done);
        },
        peer, doing);
}

mx_status_t Session::complete_any(const Peer& peer, const char* doing) {
    return wait_for(
        [&](mx_status_t* status, uint32_t* done) {
            return options_.block ? mx_wait_any(endpoint_, BLOCK_MS, 0, 0, status, done)
                                  : mx_test_any(endpoint_, 0, 0, status, done);
        },
        &peer, doing);
}

void Session::withdraw(mx_request_t request) {
    uint32_t result = 0;
    mx_status_t status;
    // Matched already: the peer still writes, or has gone and the library notices.
    if (mx_cancel(endpoint_, &request, &result) == MX_SUCCESS && !result)
        mx_wait(endpoint_, &request, BLOCK_MS, &status, &result);
}

void Session::check_alive(const Peer& peer, const char* doing) {
    Peer now_there;
    mx_return_t code = mx_connect(endpoint_, peer.nic_id, peer.endpoint, options_.filter, ALIVE_TIMEOUT_MS,
                                  &now_there.address);
    if (heed_interrupt_)
        stop_if_interrupted();
    if (code != MX_SUCCESS)
        throw Failure(fmt::format("cannot {}: {} has gone ({})", doing, peer.name, mx_strerror(code)));
    describe(now_there);
    if (now_there.session != peer.session)
        throw Failure(fmt::format("cannot {}: {} was started anew", doing, peer.name));
}

} // namespace myri::tools
