/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A test program with two ends, a sender and a receiver, on each of the paths that a message can take:
 *
 *   PROGRAM self            both in one endpoint
 *   PROGRAM sender HOST     and, in another process of the same host or of another one,
 *   PROGRAM receiver HOST   HOST is where the other end runs
 *
 * One text serves all: what the sender does stands under `if (sends)`, what the receiver does under
 * `if (receives)`, and meet() between them is passed by neither before the other has come.
 */
#ifndef TESTS_E2E_TWO_ENDS_H
#define TESTS_E2E_TWO_ENDS_H

#include <stdint.h>
#include <stdio.h>

#include <mx_extensions.h>
#include <myri.h>

#define FILTER 0x51u
#define NOT_MEET                                                                                             \
    UINT64_C(0xffff000000000000) /* with match 0: any message of a test, but not those of meet() */

extern int sends, receives; /* what this process does */
extern mx_endpoint_t endpoint;
extern mx_endpoint_addr_t peer; /* the other end, or the own one */

void start(int argc, char** argv);
void meet(void);
int finish(void); /* closes and reports */
int report(void); /* the exit status */

/* Checks count failures and go on; `label` tells which case of a table is at hand. */
extern char label[128];
void check(int good, const char* file, int line, const char* text);
void check_equal(uint64_t got, uint64_t wanted, const char* file, int line, const char* text);
#define CHECK(condition)      check((condition), __FILE__, __LINE__, #condition)
#define CHECK_EQ(got, wanted) check_equal((uint64_t)(got), (uint64_t)(wanted), __FILE__, __LINE__, #got)
/* What the rest depends on: ends the program. */
void require(int good, const char* file, int line, const char* text);
#define REQUIRE(condition) require((condition), __FILE__, __LINE__, #condition)

/* One buffer; waits without limit. */
mx_request_t send_bytes(const void* bytes, uint32_t length, uint64_t match);
mx_request_t receive_bytes(void* bytes, uint32_t length, uint64_t match, uint64_t mask);
mx_status_t wait_for(mx_request_t request);

/* Pages of zeroes that end where nothing may be read or written. */
unsigned char* pages_before_a_wall(size_t bytes);
/* Whether the wall is untouched (the emulator could write through it); pulls it down. */
int wall_stands(unsigned char* pages, size_t bytes);

/* Bytes of message `number`. */
void fill(unsigned char* bytes, size_t length, unsigned number);
int filled(const unsigned char* bytes, size_t length, unsigned number);

/* A sequence that is the same in both ends. */
uint32_t next_random(void);

#endif
