/* SPDX-License-Identifier: BSD-3-Clause */
/* Which receive takes which message: edges, and many random ones against a model written from the rule alone.
 */
#include "tests/e2e/two_ends.h"

#include <string.h>

enum { COUNT = 120 };

static void edges(void) {
    mx_request_t request = NULL;
    mx_status_t status;
    uint32_t result = 9;
    snprintf(label, sizeof label, "edges");
    /* Bits outside the mask are an error when they are posted, and nothing is posted. */
    CHECK_EQ(mx_irecv(endpoint, NULL, 0, 0x10, 0x0f, NULL, &request), MX_BAD_MATCH_MASK);
    CHECK_EQ(mx_irecv(endpoint, NULL, 0, 1, 0, NULL, &request), MX_BAD_MATCH_MASK);
    CHECK_EQ(mx_iprobe(endpoint, 0x10, 0x0f, &status, &result), MX_BAD_MATCH_MASK);
    CHECK_EQ(mx_probe(endpoint, 1, 0x10, 0x0f, &status, &result), MX_BAD_MATCH_MASK);
    CHECK_EQ(mx_test_any(endpoint, 0x10, 0x0f, &status, &result), MX_BAD_MATCH_MASK);
    CHECK_EQ(mx_wait_any(endpoint, 1, 0x10, 0x0f, &status, &result), MX_BAD_MATCH_MASK);

    if (receives) {
        /* The oldest receive that matches takes the message, not the one that says most. */
        const uint64_t info = UINT64_C(0x0123456789abcdef);
        const uint64_t middle = ~UINT64_C(0x0000ffff00000000); /* the middle 16 bits are wildcards */
        unsigned char byte[3];
        const mx_request_t other = receive_bytes(&byte[0], 1, info ^ 1, MX_MATCH_MASK_NONE);
        const mx_request_t wild = receive_bytes(&byte[1], 1, info & middle, middle);
        const mx_request_t exact = receive_bytes(&byte[2], 1, info, MX_MATCH_MASK_NONE);
        meet();
        if (sends)
            wait_for(send_bytes("a", 1, info));
        status = wait_for(wild);
        CHECK_EQ(status.match_info, info); /* the sender's, whole */
        CHECK_EQ(byte[1], 'a');
        meet();
        if (sends) {
            wait_for(send_bytes("b", 1, info));
            wait_for(send_bytes("c", 1, info ^ 1));
        }
        CHECK_EQ(wait_for(exact).match_info, info);
        CHECK_EQ(byte[2], 'b');
        CHECK_EQ(wait_for(other).match_info, info ^ 1);
        CHECK_EQ(byte[0], 'c');
    } else {
        const uint64_t info = UINT64_C(0x0123456789abcdef);
        meet();
        wait_for(send_bytes("a", 1, info));
        meet();
        wait_for(send_bytes("b", 1, info));
        wait_for(send_bytes("c", 1, info ^ 1));
    }
    meet();
}

static void wrong_filter(void) {
    uint64_t nic;
    uint32_t id;
    mx_endpoint_addr_t address;
    snprintf(label, sizeof label, "filter");
    CHECK_EQ(mx_decompose_endpoint_addr(peer, &nic, &id), MX_SUCCESS);
    CHECK_EQ(mx_connect(endpoint, nic, id, FILTER + 1, 1000, &address), MX_BAD_CONNECTION_KEY);
    CHECK_EQ(mx_connect(endpoint, nic, id, FILTER, 1000, &address), MX_SUCCESS);
    CHECK(memcmp(&address, &peer, sizeof peer) == 0);
    meet();
}

/* The model: for each message in order, the oldest receive still there with (message & mask) == info takes
 * it. */
static void random_ones(int receive_first) {
    uint64_t message[COUNT], info[COUNT], mask[COUNT];
    unsigned taken_by[COUNT], got[COUNT];
    mx_request_t in[COUNT];
    unsigned number[COUNT];
    int used[COUNT] = {0};
    for (unsigned i = 0; i < COUNT; i++) {
        /* Few bits, spread over the word, so that matches are frequent and lie everywhere. */
        const uint64_t bits = UINT64_C(0x0000800100010001);
        message[i] = ((uint64_t)next_random() << 24 ^ next_random()) & bits;
        mask[i] = NOT_MEET | (((uint64_t)next_random() << 24 ^ next_random()) & bits);
        info[i] = ((uint64_t)next_random() << 24 ^ next_random()) & bits & mask[i];
    }
    /* Receives first: messages choose in order. Messages first: receives choose in order; the rule is the
     * same. */
    for (unsigned i = 0; i < COUNT; i++)
        taken_by[i] = COUNT;
    for (unsigned a = 0; a < COUNT; a++)
        for (unsigned b = 0; b < COUNT; b++) {
            const unsigned m = receive_first ? a : b, r = receive_first ? b : a;
            const int free_both = taken_by[m] == COUNT && !used[r];
            if (free_both && (message[m] & mask[r]) == info[r]) {
                taken_by[m] = r;
                used[r] = 1;
                break;
            }
        }
    if (receives && receive_first)
        for (unsigned r = 0; r < COUNT; r++)
            in[r] = receive_bytes(&got[r], sizeof got[r], info[r], mask[r]);
    if (receive_first)
        meet();
    for (unsigned m = 0; sends && m < COUNT; m++) {
        number[m] = m;
        CHECK_EQ(wait_for(send_bytes(&number[m], sizeof number[m], message[m])).code, MX_STATUS_SUCCESS);
    }
    if (!receive_first)
        meet();
    if (receives && !receive_first)
        for (unsigned r = 0; r < COUNT; r++)
            in[r] = receive_bytes(&got[r], sizeof got[r], info[r], mask[r]);
    if (receive_first)
        meet();
    for (unsigned m = 0; receives && m < COUNT; m++) {
        const unsigned r = taken_by[m];
        mx_status_t status;
        uint32_t result = 0;
        snprintf(label, sizeof label, "%s first, message %u", receive_first ? "receive" : "send", m);
        if (r == COUNT)
            continue;
        CHECK_EQ(mx_wait(endpoint, &in[r], 1000, &status, &result), MX_SUCCESS);
        REQUIRE(result == 1);
        CHECK_EQ(got[r], m);
        CHECK_EQ(status.match_info, message[m]);
    }
    /* What the model leaves over is left over here. */
    unsigned left = 0;
    for (unsigned r = 0; receives && r < COUNT; r++) {
        uint32_t result = 0;
        snprintf(label, sizeof label, "%s first, receive %u", receive_first ? "receive" : "send", r);
        if (used[r])
            continue;
        CHECK_EQ(mx_cancel(endpoint, &in[r], &result), MX_SUCCESS);
        CHECK_EQ(result, 1);
    }
    for (unsigned m = 0; receives && m < COUNT; m++) {
        mx_status_t status;
        uint32_t result = 0;
        unsigned value = COUNT;
        snprintf(label, sizeof label, "%s first, message %u left over", receive_first ? "receive" : "send",
                 m);
        if (taken_by[m] != COUNT)
            continue;
        left++;
        CHECK_EQ(mx_iprobe(endpoint, 0, NOT_MEET, &status, &result), MX_SUCCESS);
        REQUIRE(result == 1);
        CHECK_EQ(status.match_info, message[m]);
        wait_for(receive_bytes(&value, sizeof value, 0, NOT_MEET));
        CHECK_EQ(value, m);
    }
    CHECK(!receives || (left > 0 && left < COUNT)); /* else the model was not put to the test */
    meet();
}

int main(int argc, char** argv) {
    start(argc, argv);
    edges();
    wrong_filter();
    for (int round = 0; round < 3; round++) {
        random_ones(1);
        random_ones(0);
    }
    return finish();
}
