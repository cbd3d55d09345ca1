/* SPDX-License-Identifier: BSD-3-Clause */
/* Lengths around every edge, and lists of segments that differ at the two ends. */
#include "tests/e2e/two_ends.h"

#include <stdlib.h>
#include <string.h>

enum { TAG = 3, CANARY = 16 };

static void exchange(mx_segment_t* out, uint32_t out_count, mx_segment_t* in, uint32_t in_count,
                     uint32_t length, int issend) {
    mx_request_t receive = NULL, send = NULL;
    mx_segment_t copy[MX_MAX_SEGMENTS];
    if (receives) {
        REQUIRE(in_count <= MX_MAX_SEGMENTS);
        if (in_count)
            memcpy(copy, in, in_count * sizeof *in);
        CHECK_EQ(mx_irecv(endpoint, in ? copy : NULL, in_count, TAG, MX_MATCH_MASK_NONE, copy, &receive),
                 MX_SUCCESS);
        memset(copy, 0xff, sizeof copy); /* the list is the caller's again at once */
    }
    if (sends) {
        mx_segment_t again[MX_MAX_SEGMENTS];
        if (out_count)
            memcpy(again, out, out_count * sizeof *out);
        CHECK_EQ(
            (issend ? mx_issend : mx_isend)(endpoint, out ? again : NULL, out_count, peer, TAG, NULL, &send),
            MX_SUCCESS);
        memset(again, 0xff, sizeof again);
        const mx_status_t status = wait_for(send);
        CHECK_EQ(status.code, MX_STATUS_SUCCESS);
        CHECK_EQ(status.xfer_length, length);
    }
    if (receives) {
        const mx_status_t status = wait_for(receive);
        CHECK_EQ(status.code, MX_STATUS_SUCCESS);
        CHECK_EQ(status.msg_length, length);
        CHECK_EQ(status.xfer_length, length);
        CHECK(status.context == copy);
    }
}

static void one_length(uint32_t n, int issend) {
    unsigned char *out = malloc(n + 1u), *in = malloc(n + 2 * CANARY);
    mx_segment_t from = {out, n}, to = {in + CANARY, n};
    snprintf(label, sizeof label, "%s of %u bytes", issend ? "issend" : "isend", n);
    REQUIRE(out && in);
    fill(out, n, n % 1000);
    memset(in, 0, n + 2 * CANARY);
    exchange(&from, 1, &to, 1, n, issend);
    if (receives) {
        CHECK(filled(in + CANARY, n, n % 1000));
        for (unsigned i = 0; i < CANARY; i++)
            CHECK(in[i] == 0 && in[CANARY + n + i] == 0);
    }
    free(out);
    free(in);
}

/* Cuts `length` bytes at `base` into at most `count` segments; `gap` bytes lie between them. */
static uint32_t cut(unsigned char* base, uint32_t length, uint32_t count, uint32_t gap, mx_segment_t* list) {
    uint32_t used = 0, offset = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t left = length - used;
        const uint32_t size = i + 1 == count ? left : next_random() % (2 * left / (count - i) + 1);
        list[i].segment_ptr = size ? base + offset : NULL; /* nothing at nowhere is legal */
        list[i].segment_length = size;
        used += size;
        offset += size + gap;
    }
    return count;
}

static void split(uint32_t n, uint32_t out_count, uint32_t in_count, int issend) {
    enum { GAP = 5 };
    unsigned char* plain = malloc(n + 1u);
    unsigned char *out = calloc(1, n + (size_t)GAP * out_count + 1),
                  *in = calloc(1, n + (size_t)GAP * in_count + 1);
    mx_segment_t from[MX_MAX_SEGMENTS], to[MX_MAX_SEGMENTS];
    uint32_t offset = 0;
    snprintf(label, sizeof label, "%u bytes in %u segments to %u", n, out_count, in_count);
    REQUIRE(plain && out && in);
    fill(plain, n, 5);
    cut(out, n, out_count, GAP, from);
    cut(in, n, in_count, GAP, to);
    for (uint32_t i = 0; i < out_count; i++) {
        if (from[i].segment_length)
            memcpy(from[i].segment_ptr, plain + offset, from[i].segment_length);
        offset += from[i].segment_length;
    }
    exchange(from, out_count, to, in_count, n, issend);
    offset = 0;
    for (uint32_t i = 0; receives && i < in_count; i++) {
        const unsigned char* piece = to[i].segment_ptr;
        const uint32_t size = to[i].segment_length;
        CHECK(size == 0 || memcmp(piece, plain + offset, size) == 0);
        for (unsigned g = 0; size && g < GAP; g++)
            CHECK_EQ(piece[size + g], 0); /* gaps are not the message's */
        offset += size;
    }
    free(plain);
    free(out);
    free(in);
}

static void refused(void) {
    static unsigned char bytes[300];
    mx_segment_t list[MX_MAX_SEGMENTS + 1];
    mx_request_t request = NULL;
    snprintf(label, sizeof label, "lists that are refused");
    for (unsigned i = 0; i <= MX_MAX_SEGMENTS; i++) {
        list[i].segment_ptr = bytes + i;
        list[i].segment_length = 1;
    }
    CHECK_EQ(mx_isend(endpoint, list, 257, peer, TAG, NULL, &request), MX_BAD_SEG_CNT);
    CHECK_EQ(mx_issend(endpoint, list, 257, peer, TAG, NULL, &request), MX_BAD_SEG_CNT);
    CHECK_EQ(mx_irecv(endpoint, list, 257, TAG, MX_MATCH_MASK_NONE, NULL, &request), MX_BAD_SEG_CNT);
    CHECK_EQ(mx_isend(endpoint, NULL, 1, peer, TAG, NULL, &request), MX_BAD_SEG_LIST);
    CHECK_EQ(mx_irecv(endpoint, NULL, 1, TAG, MX_MATCH_MASK_NONE, NULL, &request), MX_BAD_SEG_LIST);
    list[0].segment_length = list[1].segment_length = UINT32_C(0x80000000); /* together 2^32 */
    CHECK(mx_isend(endpoint, list, 2, peer, TAG, NULL, &request) != MX_SUCCESS);
    CHECK(mx_irecv(endpoint, list, 2, TAG, MX_MATCH_MASK_NONE, NULL, &request) != MX_SUCCESS);
}

int main(int argc, char** argv) {
    static const uint32_t edges[] = {4095,  4096,  4097,  8191,  8192,  8193,  32767,
                                     32768, 32769, 65535, 65536, 65537, 300001};
    start(argc, argv);
    for (uint32_t n = 0; n <= 200; n += n < 50 || (n >= 120 && n < 140) ? 1 : 7)
        one_length(n, 0);
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++)
        one_length(edges[i], 0);
    for (uint32_t n = 0; n <= 100000; n = n * 9 + 1)
        one_length(n, 1);
    snprintf(label, sizeof label, "no list at all");
    exchange(NULL, 0, NULL, 0, 0, 0);
    exchange(NULL, 0, NULL, 0, 0, 1);
    split(256, 256, 256, 0);
    split(256, 256, 1, 0);
    split(256, 1, 256, 1);
    split(100, 7, 3, 0);
    split(30000, 200, 11, 0);
    split(100000, 3, 256, 0);
    split(100000, 256, 2, 0);
    split(1000003, 50, 70, 0);
    split(40000, 9, 1, 1);
    split(17, 200, 200, 0); /* most segments are empty */
    split(0, 5, 9, 0);
    refused();
    return finish();
}
