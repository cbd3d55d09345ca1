/* SPDX-License-Identifier: BSD-3-Clause */
/* How requests end: in order, once, by the call that asks; what cancel, forget and peek leave behind. */
#include "tests/e2e/two_ends.h"

#include <stdlib.h>
#include <string.h>

static void nothing_more(void) {
    mx_status_t status;
    mx_request_t request = NULL;
    uint32_t result = 9;
    for (int i = 0; i < 5; i++) {
        CHECK(mx_test_any(endpoint, 0, 0, &status, &result) == MX_SUCCESS && result == 0);
        CHECK(mx_ipeek(endpoint, &request, &result) == MX_SUCCESS && result == 0);
    }
}

/* Same size, one sender: completed, and so found by any and peek, in the order of posting. */
static void order(void) {
    unsigned char bytes[8];
    mx_request_t in[8];
    mx_status_t status;
    uint32_t result = 9;
    snprintf(label, sizeof label, "order");
    for (int i = 0; receives && i < 8; i++) {
        mx_segment_t segment = {&bytes[i], 1};
        REQUIRE(mx_irecv(endpoint, &segment, 1, (uint64_t)i, MX_MATCH_MASK_NONE, &bytes[i], &in[i]) ==
                MX_SUCCESS);
        void* context = NULL;
        CHECK(mx_context(&in[i], &context) == MX_SUCCESS && context == &bytes[i]);
    }
    meet();
    for (int i = 0; sends && i < 8; i++)
        wait_for(send_bytes(&"abcdefgh"[i], 1, (uint64_t)i));
    meet();
    for (int i = 0; receives && i < 8; i++) {
        mx_request_t peeked = NULL, again = NULL;
        snprintf(label, sizeof label, "order, message %d", i);
        REQUIRE(mx_peek(endpoint, MX_INFINITE, &peeked, &result) == MX_SUCCESS && result == 1);
        CHECK(peeked == in[i]);
        CHECK(mx_ipeek(endpoint, &again, &result) == MX_SUCCESS && result == 1 && again == peeked);
        memset(&status, 0, sizeof status);
        if (i % 4 == 0) { /* peek, then test, must succeed */
            CHECK(mx_test(endpoint, &peeked, &status, &result) == MX_SUCCESS && result == 1);
        } else if (i % 4 == 1) {
            CHECK(mx_wait_any(endpoint, MX_INFINITE, 0, 0, &status, &result) == MX_SUCCESS && result == 1);
        } else if (i % 4 == 2) { /* a filter that lets nothing through takes nothing */
            CHECK(mx_test_any(endpoint, 99, MX_MATCH_MASK_NONE, &status, &result) == MX_SUCCESS &&
                  result == 0);
            CHECK(mx_test_any(endpoint, 0, 0, &status, &result) == MX_SUCCESS && result == 1);
        } else { /* and one that fits the next takes that */
            CHECK(mx_test_any(endpoint, (uint64_t)i, MX_MATCH_MASK_NONE, &status, &result) == MX_SUCCESS &&
                  result == 1);
        }
        CHECK_EQ(status.match_info, i);
        CHECK(status.context == &bytes[i]);
        CHECK(memcmp(&status.source, &peer, sizeof peer) == 0);
        CHECK_EQ(bytes[i], 'a' + i);
    }
    nothing_more();
    meet();
}

/* Completed in an order that differs from that of posting: the order of completion counts. */
static void crossed(void) {
    unsigned char bytes[2];
    mx_status_t status;
    uint32_t result = 9;
    mx_request_t first = NULL, second = NULL, peeked = NULL;
    snprintf(label, sizeof label, "crossed");
    if (receives) {
        first = receive_bytes(&bytes[0], 1, 1, MX_MATCH_MASK_NONE);
        second = receive_bytes(&bytes[1], 1, 2, MX_MATCH_MASK_NONE);
    }
    meet();
    if (sends) {
        wait_for(send_bytes("y", 1, 2));
        wait_for(send_bytes("x", 1, 1));
    }
    meet();
    if (receives) {
        CHECK(mx_peek(endpoint, MX_INFINITE, &peeked, &result) == MX_SUCCESS && result == 1 &&
              peeked == second);
        CHECK(mx_wait_any(endpoint, MX_INFINITE, 0, 0, &status, &result) == MX_SUCCESS &&
              status.match_info == 2);
        CHECK(mx_wait_any(endpoint, MX_INFINITE, 0, 0, &status, &result) == MX_SUCCESS &&
              status.match_info == 1);
        (void)first;
    }
    nothing_more();
    meet();
}

static void cancelled(void) {
    unsigned char one[4] = {0}, two[4] = {0};
    static unsigned char large[70000], arrived[70000];
    uint32_t result = 9;
    mx_request_t request = NULL, copy;
    mx_status_t status;
    snprintf(label, sizeof label, "cancel");
    if (receives) {
        request = receive_bytes(one, 4, 8, MX_MATCH_MASK_NONE);
        copy = request;
        CHECK_EQ(mx_cancel(endpoint, &request, &result), MX_SUCCESS);
        CHECK_EQ(result, 1);
        CHECK(request == NULL);
        CHECK_EQ(mx_cancel(endpoint, &request, &result), MX_BAD_REQUEST); /* twice */
        CHECK_EQ(mx_cancel(endpoint, &copy, &result), MX_BAD_REQUEST);
        nothing_more();
        request = receive_bytes(two, 4, 8, MX_MATCH_MASK_NONE);
    }
    meet();
    if (sends)
        wait_for(send_bytes("next", 4, 8));
    if (receives) {
        CHECK_EQ(wait_for(request).code, MX_STATUS_SUCCESS);
        CHECK(memcmp(two, "next", 4) == 0 && one[0] == 0);
        nothing_more();
    }
    meet();

    /* Matched and complete, but not tested: stays as it is. */
    if (receives)
        request = receive_bytes(one, 4, 8, MX_MATCH_MASK_NONE);
    meet();
    if (sends)
        wait_for(send_bytes("done", 4, 8));
    meet();
    if (receives) {
        CHECK_EQ(mx_cancel(endpoint, &request, &result), MX_SUCCESS);
        CHECK_EQ(result, 0);
        CHECK_EQ(wait_for(request).code, MX_STATUS_SUCCESS);
        CHECK(memcmp(one, "done", 4) == 0);
    }

    /* Sends cannot be cancelled; the message arrives. */
    snprintf(label, sizeof label, "cancel of a send");
    if (sends) {
        mx_segment_t segment = {large, sizeof large};
        fill(large, sizeof large, 4);
        REQUIRE(mx_issend(endpoint, &segment, 1, peer, 8, NULL, &request) == MX_SUCCESS);
        CHECK_EQ(mx_cancel(endpoint, &request, &result), MX_CANCEL_NOT_SUPPORTED);
        CHECK(mx_test(endpoint, &request, &status, &result) == MX_SUCCESS && result == 0);
    }
    meet();
    if (receives)
        CHECK_EQ(wait_for(receive_bytes(arrived, sizeof arrived, 8, MX_MATCH_MASK_NONE)).code,
                 MX_STATUS_SUCCESS);
    CHECK(!receives || filled(arrived, sizeof arrived, 4));
    if (sends)
        CHECK_EQ(wait_for(request).code, MX_STATUS_SUCCESS);
    nothing_more();
    meet();
}

static void forgotten(void) {
    unsigned char bytes[4] = {0}, after = 0;
    mx_request_t request = NULL;
    snprintf(label, sizeof label, "forget");
    if (receives) {
        request = receive_bytes(bytes, 4, 8, MX_MATCH_MASK_NONE);
        CHECK_EQ(mx_forget(endpoint, &request), MX_SUCCESS);
        request = receive_bytes(&after, 1, 9, MX_MATCH_MASK_NONE);
    }
    meet();
    if (sends) {
        mx_request_t sent = send_bytes("data", 4, 8);
        CHECK_EQ(mx_forget(endpoint, &sent), MX_SUCCESS);
        wait_for(send_bytes("!", 1, 9));
    }
    if (receives) {
        wait_for(request);
        CHECK(memcmp(bytes, "data", 4) == 0); /* delivered, not reported */
    }
    nothing_more();
    meet();
}

/* An isend that fits a copy is buffered without a receive; an issend completes only when it is matched. */
static void buffered(void) {
    static unsigned char bytes[20000], arrived[20000];
    mx_request_t request = NULL, synchronous = NULL;
    mx_status_t status;
    uint32_t result = 0;
    snprintf(label, sizeof label, "buffered");
    if (sends) {
        mx_segment_t segment = {arrived, 4};
        fill(bytes, sizeof bytes, 11);
        request = send_bytes(bytes, sizeof bytes, 8);
        for (int polls = 0; polls < 100000 && !result; polls++)
            REQUIRE(mx_ibuffered(endpoint, &request, &result) == MX_SUCCESS);
        CHECK_EQ(result, 1);
        memset(bytes, 0, sizeof bytes); /* the buffer is ours again */
        CHECK_EQ(wait_for(request).code, MX_STATUS_SUCCESS);
        REQUIRE(mx_issend(endpoint, &segment, 1, peer, 9, NULL, &synchronous) == MX_SUCCESS);
        CHECK(mx_wait(endpoint, &synchronous, 20, &status, &result) == MX_SUCCESS && result == 0);
    }
    meet();
    if (receives) {
        static unsigned char large[20000];
        unsigned char four[4];
        wait_for(receive_bytes(large, sizeof large, 8, MX_MATCH_MASK_NONE));
        CHECK(filled(large, sizeof large, 11));
        CHECK_EQ(wait_for(receive_bytes(four, 4, 9, MX_MATCH_MASK_NONE)).code, MX_STATUS_SUCCESS);
    }
    if (sends)
        CHECK_EQ(wait_for(synchronous).code, MX_STATUS_SUCCESS);
    nothing_more();
    meet();
}

static void iconnect(void) {
    uint64_t nic;
    uint32_t id, result = 9;
    int context;
    mx_request_t request = NULL;
    mx_status_t status;
    snprintf(label, sizeof label, "iconnect");
    CHECK_EQ(mx_decompose_endpoint_addr(peer, &nic, &id), MX_SUCCESS);
    REQUIRE(mx_iconnect(endpoint, nic, id, FILTER, 0x42, &context, &request) == MX_SUCCESS);
    REQUIRE(mx_wait_any(endpoint, MX_INFINITE, 0x42, MX_MATCH_MASK_NONE, &status, &result) == MX_SUCCESS &&
            result == 1);
    CHECK_EQ(status.code, MX_STATUS_SUCCESS);
    CHECK(status.context == &context);
    CHECK(memcmp(&status.source, &peer, sizeof peer) == 0);
    REQUIRE(mx_iconnect(endpoint, nic, id, FILTER + 1, 0x43, NULL, &request) == MX_SUCCESS);
    CHECK_EQ(wait_for(request).code, MX_STATUS_BAD_KEY);
    REQUIRE(mx_iconnect(endpoint, nic, 9, FILTER, 0x44, NULL, &request) == MX_SUCCESS);
    CHECK_EQ(wait_for(request).code, MX_STATUS_ENDPOINT_CLOSED);
    CHECK_EQ(mx_iconnect(endpoint, nic ^ 0xffff00, id, FILTER, 0x44, NULL, &request), MX_NIC_NOT_FOUND);
    nothing_more();
    meet();
}

/* One pointer per peer, the same for the address of mx_connect and for the source of a message. */
static void address_context(void) {
    void* context = &sends;
    unsigned char byte;
    mx_status_t status;
    snprintf(label, sizeof label, "context of an address");
    CHECK(mx_get_endpoint_addr_context(peer, &context) == MX_SUCCESS && context == NULL);
    CHECK_EQ(mx_set_endpoint_addr_context(peer, &byte), MX_SUCCESS);
    meet();
    if (sends)
        wait_for(send_bytes("x", 1, 8));
    if (receives) {
        status = wait_for(receive_bytes(&byte, 1, 8, MX_MATCH_MASK_NONE));
        CHECK(mx_get_endpoint_addr_context(status.source, &context) == MX_SUCCESS && context == &byte);
    }
    meet();
}

/* What is pending with the peer ends here, its unexpected messages go; after a new connect all is as before.
 */
static void disconnected(void) {
    uint64_t nic;
    uint32_t id, result = 9;
    unsigned char byte = 0, wild = 0;
    mx_status_t status;
    mx_request_t pending = NULL, unmatched = NULL;
    mx_segment_t segment = {&byte, 1};
    mx_endpoint_addr_t own;
    snprintf(label, sizeof label, "disconnect");
    CHECK_EQ(mx_get_endpoint_addr(endpoint, &own), MX_SUCCESS);
    CHECK_EQ(mx_disconnect(endpoint, own), MX_SUCCESS); /* of oneself: harmless */
    if (sends && receives)
        return;
    CHECK_EQ(mx_decompose_endpoint_addr(peer, &nic, &id), MX_SUCCESS);
    meet();
    if (receives) {
        const mx_request_t again = receive_bytes(&byte, 1, 14, MX_MATCH_MASK_NONE);
        wait_for(send_bytes("old", 3, 12)); /* unexpected there, and dropped with the connection */
        wait_for(send_bytes("now", 3, 15)); /* the last one before it: what comes now would be dropped too */
        CHECK_EQ(wait_for(again).code, MX_STATUS_SUCCESS);
        wait_for(send_bytes("w", 1, 11));
        CHECK_EQ(wait_for(receive_bytes(&byte, 1, 13, MX_MATCH_MASK_NONE)).code, MX_STATUS_SUCCESS);
        CHECK_EQ(byte, 'a');
    } else {
        unsigned char now[3];
        unmatched = receive_bytes(&wild, 1, 11, MX_MATCH_MASK_NONE);
        wait_for(receive_bytes(now, 3, 15, MX_MATCH_MASK_NONE));
        REQUIRE(mx_issend(endpoint, &segment, 1, peer, 10, NULL, &pending) == MX_SUCCESS);
        CHECK(mx_iprobe(endpoint, 12, MX_MATCH_MASK_NONE, &status, &result) == MX_SUCCESS && result == 1);
        CHECK_EQ(mx_disconnect(endpoint, peer), MX_SUCCESS);
        CHECK_EQ(wait_for(pending).code, MX_STATUS_ENDPOINT_UNREACHABLE);
        CHECK(mx_iprobe(endpoint, 12, MX_MATCH_MASK_NONE, &status, &result) == MX_SUCCESS && result == 0);
        CHECK(mx_test(endpoint, &unmatched, &status, &result) == MX_SUCCESS && result == 0);
        REQUIRE(mx_connect(endpoint, nic, id, FILTER, 10000, &peer) == MX_SUCCESS);
        CHECK_EQ(wait_for(send_bytes("!", 1, 14)).code, MX_STATUS_SUCCESS);
        CHECK_EQ(wait_for(send_bytes("a", 1, 13)).code, MX_STATUS_SUCCESS);
        CHECK_EQ(wait_for(unmatched).code, MX_STATUS_SUCCESS);
        CHECK_EQ(wild, 'w');
    }
    meet();
}

int main(int argc, char** argv) {
    start(argc, argv);
    order();
    crossed();
    cancelled();
    forgotten();
    buffered();
    iconnect();
    address_context();
    disconnected();
    return finish();
}
