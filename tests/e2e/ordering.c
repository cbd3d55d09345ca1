/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of all classes on one tag are matched in the order in which they were sent, whatever the links do.
 */
#include "tests/e2e/two_ends.h"

#include <stdlib.h>
#include <string.h>

enum { MANY = 150, LONGEST = 1 << 20, TAG = 9 };

static unsigned char* messages[MANY];
static mx_request_t requests[MANY];

static void exchange(const uint32_t* lengths, unsigned count, int receive_first) {
    mx_request_t in[MANY];
    unsigned char* buffers[MANY];
    for (unsigned i = 0; i < count; i++)
        REQUIRE((messages[i] = malloc(lengths[i] + 1u)) && (buffers[i] = malloc(LONGEST)));
    for (unsigned i = 0; receives && receive_first && i < count; i++)
        in[i] = receive_bytes(buffers[i], LONGEST, 0, NOT_MEET);
    if (receive_first)
        meet();
    for (unsigned i = 0; sends && i < count; i++) {
        fill(messages[i], lengths[i], i);
        requests[i] = send_bytes(messages[i], lengths[i], TAG + ((uint64_t)i << 32));
    }
    if (!receive_first)
        meet();
    for (unsigned i = 0; receives && i < count; i++) {
        snprintf(label, sizeof label, "%s first, message %u of %u bytes", receive_first ? "receive" : "send",
                 i, lengths[i]);
        if (!receive_first) {
            /* The oldest one is seen first, even if younger ones are complete and it is not. */
            mx_status_t status;
            uint32_t result = 0;
            CHECK_EQ(mx_probe(endpoint, MX_INFINITE, 0, NOT_MEET, &status, &result), MX_SUCCESS);
            CHECK_EQ(result, 1);
            CHECK_EQ(status.match_info, TAG + ((uint64_t)i << 32));
            CHECK_EQ(status.msg_length, lengths[i]);
            CHECK_EQ(status.xfer_length, lengths[i]);
            in[i] = receive_bytes(buffers[i], LONGEST, 0, NOT_MEET);
        }
    }
    for (unsigned i = 0; receives && i < count; i++) {
        const mx_status_t status = wait_for(in[i]);
        snprintf(label, sizeof label, "%s first, message %u of %u bytes", receive_first ? "receive" : "send",
                 i, lengths[i]);
        CHECK_EQ(status.code, MX_STATUS_SUCCESS);
        CHECK_EQ(status.match_info, TAG + ((uint64_t)i << 32));
        CHECK_EQ(status.msg_length, lengths[i]);
        CHECK(filled(buffers[i], lengths[i], i));
    }
    for (unsigned i = 0; sends && i < count; i++)
        CHECK_EQ(wait_for(requests[i]).code, MX_STATUS_SUCCESS);
    for (unsigned i = 0; i < count; i++) {
        free(messages[i]);
        free(buffers[i]);
    }
    meet();
}

int main(int argc, char** argv) {
    static const uint32_t mixed[] = {30000, 8, 30000, 0, 1000000};
    uint32_t random[MANY];
    start(argc, argv);
    for (int receive_first = 0; receive_first < 2; receive_first++) {
        exchange(mixed, 5, receive_first);
        for (unsigned i = 0; i < MANY; i++) {
            const uint32_t shift = next_random() % 18;
            random[i] = next_random() % (2u << shift);
        }
        exchange(random, MANY, receive_first);
    }
    return finish();
}
