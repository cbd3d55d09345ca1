/* SPDX-License-Identifier: BSD-3-Clause */
/* The handler for unexpected messages: called once for each, in order; what it decides; what it may not do.
 */
#include "tests/e2e/two_ends.h"

#include <stdlib.h>
#include <string.h>

enum { FINISH = 100, POST = 101, SEND = 102, CLOSE = 103, LEAVE = 104, EXPECTED = 105, REPLY = 106 };

static unsigned calls, inside;
static uint64_t seen[64];
static unsigned char posted_bytes[64], copied[64];
static mx_request_t posted, sent;
static mx_return_t close_answer;

static mx_unexp_handler_action_t handler(void* context, mx_endpoint_addr_t source, uint64_t match,
                                         uint32_t length, void* data) {
    if (match >> 48) /* of meet() */
        return MX_RECV_CONTINUE;
    CHECK_EQ(inside++, 0); /* never two at once */
    CHECK(context == &calls);
    CHECK(memcmp(&source, &peer, sizeof peer) == 0);
    REQUIRE(calls < 64);
    seen[calls++] = match;
    mx_unexp_handler_action_t action = MX_RECV_CONTINUE;
    switch (match & 0xff) {
    case FINISH:
        CHECK(length > 4096 || data != NULL); /* one fragment: the data is there */
        if (data && length <= sizeof copied)
            memcpy(copied, data, length);
        action = MX_RECV_FINISHED;
        break;
    case POST:
        posted = receive_bytes(posted_bytes, sizeof posted_bytes, match, MX_MATCH_MASK_NONE);
        break;
    case SEND:
        sent = send_bytes("reply", 5, REPLY);
        action = MX_RECV_FINISHED;
        break;
    case CLOSE:
        close_answer = mx_close_endpoint(endpoint);
        action = MX_RECV_FINISHED;
        break;
    default:
        break;
    }
    inside--;
    return action;
}

int main(int argc, char** argv) {
    enum { LARGE = 1 << 20 };
    unsigned char *large = calloc(1, LARGE), bytes[64];
    mx_status_t status;
    uint32_t result = 9;
    start(argc, argv);
    REQUIRE(large != NULL &&
            (!sends || !receives)); /* two ends: in one they would see each other's messages */
    if (sends) {
        mx_request_t reply = receive_bytes(bytes, sizeof bytes, REPLY, MX_MATCH_MASK_NONE);
        meet();
        wait_for(send_bytes("finished here", 14, FINISH));
        wait_for(send_bytes("posted here", 12, POST));
        wait_for(send_bytes("expected", 9, EXPECTED));
        wait_for(send_bytes("answer me", 10, SEND));
        CHECK_EQ(wait_for(reply).msg_length, 5);
        wait_for(send_bytes("close", 6, CLOSE));
        wait_for(send_bytes("left alone", 11, LEAVE));
        const mx_request_t request = send_bytes(large, LARGE, FINISH + 256);
        status = wait_for(request); /* over, though nobody took a byte */
        CHECK_EQ(status.xfer_length, 0);
        CHECK_EQ(status.msg_length, LARGE);
        meet();
    } else {
        const mx_request_t expected = receive_bytes(bytes, sizeof bytes, EXPECTED, MX_MATCH_MASK_NONE);
        CHECK_EQ(mx_register_unexp_handler(endpoint, handler, &calls), MX_SUCCESS);
        meet();
        wait_for(expected); /* no business of the handler's */
        CHECK(memcmp(bytes, "expected", 9) == 0);
        meet();
        static const uint64_t order[] = {FINISH, POST, SEND, CLOSE, LEAVE, FINISH + 256};
        CHECK_EQ(calls, 6);
        CHECK(memcmp(seen, order, sizeof order) == 0);
        CHECK(memcmp(copied, "finished here", 14) == 0);
        CHECK_EQ(wait_for(posted).code, MX_STATUS_SUCCESS);
        CHECK(memcmp(posted_bytes, "posted here", 12) == 0);
        CHECK_EQ(wait_for(sent).code, MX_STATUS_SUCCESS);
        CHECK_EQ(close_answer, MX_CLOSE_IN_HANDLER);
        /* What it has finished is not there any more; what it has left is. */
        CHECK(mx_iprobe(endpoint, FINISH, 0xff, &status, &result) == MX_SUCCESS && result == 0);
        CHECK(mx_iprobe(endpoint, LEAVE, 0xff, &status, &result) == MX_SUCCESS && result == 1);
        CHECK_EQ(wait_for(receive_bytes(bytes, sizeof bytes, LEAVE, MX_MATCH_MASK_NONE)).msg_length, 11);
        CHECK_EQ(mx_register_unexp_handler(endpoint, NULL, NULL), MX_SUCCESS);
    }
    meet();
    if (sends)
        wait_for(send_bytes("unseen", 7, FINISH));
    meet();
    if (receives) { /* nobody is asked any more */
        CHECK_EQ(wait_for(receive_bytes(bytes, sizeof bytes, FINISH, MX_MATCH_MASK_NONE)).msg_length, 7);
        CHECK_EQ(calls, 6);
    }
    free(large);
    return finish();
}
