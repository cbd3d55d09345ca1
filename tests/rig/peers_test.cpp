// SPDX-License-Identifier: BSD-3-Clause
//
// What the firmware makes of a peer table that changes under traffic.
#include <algorithm>
#include <doctest/doctest.h>

#include "tests/rig/test_endpoint.h"

using namespace myri::rig;

namespace {

SlotRequest pull_of(const TestEndpoint& to) {
    SlotRequest r = TestEndpoint::request(to, Bytes(sizeof(fw_pull_request), 0));
    r.type = FW_SLOT_PULL;
    return r;
}

void check_bad_peer(const fw_event& e) {
    CHECK(e.type == FW_EVENT_BAD_SLOT);
    CHECK(be32_to_cpu(e.u.brief.b) == FW_SLOT_BAD_PEER);
}

std::vector<board_peer> without(std::vector<board_peer> peers, unsigned host) {
    peers.erase(peers.begin() + host);
    return peers;
}

} // namespace

TEST_CASE("an empty index refuses every kind of request, its neighbours on both sides work, and it works again once filled") {
    Rig rig({.hosts = 3});
    TestEndpoint a(rig, 0, 0), b(rig, 1, 0), c(rig, 2, 0);
    rig.install_peers(0, without(rig.peers(0), 1));
    CHECK(rig.board(0)->peer_count == 3);
    for (uint8_t type : {FW_SLOT_SEND, FW_SLOT_CONNECT, FW_SLOT_MEDIUM}) {
        SlotRequest r = TestEndpoint::request(b, pattern(40, 1));
        r.type = type;
        a.post(r);
        check_bad_peer(a.next());
    }
    a.post(pull_of(b));
    check_bad_peer(a.next());
    CHECK(b.silent());
    a.post(TestEndpoint::request(c, pattern(40, 2))); // behind the empty one
    CHECK(inline_body(c.next()) == pattern(40, 2));
    a.post(TestEndpoint::request(a, pattern(40, 3))); // before it
    CHECK(inline_body(a.next()) == pattern(40, 3));

    rig.install_peers(0, rig.peers(0));
    a.post(TestEndpoint::request(b, pattern(40, 4)));
    CHECK(inline_body(b.next()) == pattern(40, 4));
    rig.check_alive();
}

TEST_CASE("who is no peer any more is not answered, and peers keep their index in a list in another order") {
    Rig rig({.hosts = 3});
    TestEndpoint a(rig, 0, 0), b(rig, 1, 0), c(rig, 2, 0);
    rig.install_peers(0, without(rig.peers(0), 1));
    SlotRequest wrong = TestEndpoint::request(a, pattern(8, 1));
    wrong.session ^= 1;
    b.post(wrong);
    CHECK(b.silent());
    CHECK(rig.counter(0, FW_COUNTER_refused_session) == 1);
    CHECK(rig.counter(0, FW_COUNTER_nacks_sent) == 0);
    c.post(wrong);
    CHECK(c.next().u.packet.header.kind == WIRE_NACK);

    std::vector<board_peer> turned = rig.peers(0);
    std::reverse(turned.begin(), turned.end());
    rig.install_peers(0, turned);
    for (TestEndpoint* to : {&a, &b, &c}) {
        a.post(TestEndpoint::request(*to, pattern(40, 5)));
        CHECK(inline_body(to->next()) == pattern(40, 5));
    }
    b.post(wrong);
    CHECK(b.next().u.packet.header.kind == WIRE_NACK);
}

TEST_CASE("a peer whose route has changed is reached by the new one") {
    Rig rig({.hosts = 3});
    TestEndpoint a(rig, 0, 0), b(rig, 1, 0), c(rig, 2, 0, {}, b.session());
    a.post(TestEndpoint::request(b, pattern(40, 1)));
    CHECK(inline_body(b.next()) == pattern(40, 1));
    std::vector<board_peer> moved = rig.peers(0);
    std::swap(moved[1].route, moved[2].route); // host 2 now stands where host 1's cable was
    rig.install_peers(0, moved);
    a.post(TestEndpoint::request(b, pattern(40, 2)));
    CHECK(inline_body(c.next()) == pattern(40, 2));
    CHECK(b.silent());
}
