/* SPDX-License-Identifier: BSD-3-Clause */
/* A message longer than its receive: cut there, reported at both ends, and nothing behind the buffer is
 * touched. */
#include "tests/e2e/two_ends.h"

#include <stdlib.h>
#include <string.h>

enum { CANARY = 64, EAGER_MAX = 32768, TAG = 7 };

/* `distance`: canary bytes between the buffer's end and the wall. */
static void one(uint32_t n, uint32_t r, int receive_first, size_t distance, unsigned number) {
    const size_t size = r + 2 * CANARY;
    const size_t offset = (size + 4095) / 4096 * 4096 - distance - r;
    unsigned char *message = malloc(n), *pages = NULL, *buffer = NULL;
    mx_request_t in = NULL, out = NULL;
    const uint32_t kept = r < n ? r : n;
    snprintf(label, sizeof label, "n %u, r %u, %s first, canary of %zu", n, r,
             receive_first ? "receive" : "send", distance);
    REQUIRE(message != NULL);
    if (receives) {
        pages = pages_before_a_wall(size);
        buffer = pages + offset;
        memset(buffer - CANARY, 0xa5, CANARY);
        memset(buffer + r, 0xa5, distance);
        if (receive_first)
            in = receive_bytes(buffer, r, TAG, MX_MATCH_MASK_NONE);
    }
    if (receive_first)
        meet();
    if (sends) {
        fill(message, n, number);
        out = send_bytes(message, n, TAG);
    }
    if (!receive_first)
        meet();
    if (receives) {
        if (!receive_first)
            in = receive_bytes(buffer, r, TAG, MX_MATCH_MASK_NONE);
        const mx_status_t status = wait_for(in);
        CHECK_EQ(status.code, r < n ? MX_STATUS_TRUNCATED : MX_STATUS_SUCCESS);
        CHECK_EQ(status.msg_length, n);
        CHECK_EQ(status.xfer_length, kept);
        CHECK_EQ(status.match_info, TAG);
        CHECK(filled(buffer, kept, number));
        for (size_t i = 0; i < CANARY; i++)
            CHECK(buffer[-1 - (long)i] == 0xa5 && (i >= distance || buffer[r + i] == 0xa5));
        CHECK(wall_stands(pages, size));
    }
    if (sends) {
        const mx_status_t status = wait_for(out);
        const int cut =
            r < n && n > EAGER_MAX; /* eager messages are the sender's no longer when they are cut */
        CHECK_EQ(status.code, cut ? MX_STATUS_TRUNCATED : MX_STATUS_SUCCESS);
        CHECK_EQ(status.msg_length, n);
        CHECK_EQ(status.xfer_length, cut ? r : n);
    }
    free(message);
}

/* The tag is as good as before. */
static void whole(unsigned number) {
    unsigned char out[300], in[300];
    mx_request_t request = NULL;
    fill(out, sizeof out, number);
    if (receives)
        request = receive_bytes(in, sizeof in, TAG, MX_MATCH_MASK_NONE);
    if (sends) {
        const mx_request_t sent = send_bytes(out, sizeof out, TAG);
        CHECK_EQ(wait_for(sent).code, MX_STATUS_SUCCESS);
    }
    if (receives) {
        CHECK_EQ(wait_for(request).code, MX_STATUS_SUCCESS);
        CHECK(filled(in, sizeof in, number));
    }
}

int main(int argc, char** argv) {
    static const uint32_t lengths[] = {10, 120, 4097, 20000, 32768, 32769, 1 << 20};
    unsigned number = 0;
    start(argc, argv);
    for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
        const uint32_t n = lengths[l], rooms[] = {0, 1, n / 2, n - 1, n};
        for (size_t room = 0; room < 5; room++)
            for (int receive_first = 0; receive_first < 2; receive_first++) {
                one(n, rooms[room], receive_first, room % 2 ? 0 : CANARY, number);
                whole(number++);
                one(n, rooms[room], receive_first, room % 2 ? CANARY : 0, number);
                whole(number++);
            }
    }
    return finish();
}
