/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many large messages in both directions at once, more than either card has handles for. Both ends send and receive;
 * what was sent last is received first, so at first every grant that was given is for a message that nobody wants.
 */
#include "tests/e2e/two_ends.h"

#include <stdlib.h>
#include <string.h>

enum { COUNT = 48, LEAST = 32769, ROUNDS = 2 };

static uint32_t length_of(unsigned i) {
    return i % 12 == 5 ? 2500000 + i * 1001 : LEAST + i * 7919;
}

int main(int argc, char** argv) {
    unsigned char *out[COUNT], *in[COUNT];
    mx_request_t sent[COUNT], received[COUNT];
    start(argc, argv); /* numbers of messages: the receiver's begin at 50 */
    for (unsigned i = 0; i < COUNT; i++)
        REQUIRE((out[i] = malloc(length_of(i))) != NULL && (in[i] = malloc(length_of(i))) != NULL);
    for (unsigned round = 0; round < ROUNDS; round++) {
        const unsigned own = round * 100 + (sends ? 0 : 50);
        const unsigned others = round * 100 + (receives ? 0 : 50);
        for (unsigned i = 0; i < COUNT; i++) {
            fill(out[i], length_of(i), own + i);
            memset(in[i], 0xa5, length_of(i));
            sent[i] = send_bytes(out[i], length_of(i), i);
        }
        for (unsigned i = COUNT; i-- > 0;)
            received[i] = receive_bytes(in[i], length_of(i), i, MX_MATCH_MASK_NONE);
        for (unsigned i = 0; i < COUNT; i++) {
            snprintf(label, sizeof label, "round %u, message %u of %u bytes", round, i, length_of(i));
            const mx_status_t status = wait_for(received[i]);
            CHECK_EQ(status.code, MX_STATUS_SUCCESS);
            CHECK_EQ(status.xfer_length, length_of(i));
            CHECK(filled(in[i], length_of(i), others + i));
        }
        for (unsigned i = 0; i < COUNT; i++)
            CHECK_EQ(wait_for(sent[i]).code, MX_STATUS_SUCCESS);
        meet();
    }
    for (unsigned i = 0; i < COUNT; i++) {
        free(out[i]);
        free(in[i]);
    }
    return finish();
}
