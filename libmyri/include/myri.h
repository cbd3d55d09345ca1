/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What libmyri offers beyond MX: the program's clock, the driver's requests, the table of environment variables.
 *
 * The clock is the one that every timeout of the library uses: CLOCK_MONOTONIC, or virtual time when the program
 * runs in an emulated fabric. A benchmark or a retry loop must use it, because in virtual time no other clock
 * says anything about the network, and time passes only inside the library.
 */
#ifndef MYRI_H
#define MYRI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Picoseconds since some fixed moment. Before mx_init: CLOCK_MONOTONIC. */
uint64_t myri_time(void);

/* 1 when the clock is virtual, else 0. */
int myri_time_is_virtual(void);

/* Lets so much of the program's clock pass. Legal after mx_init; answers 0 or a negative errno (-EBUSY: a
 * second thread in virtual time). */
int myri_sleep(uint64_t picoseconds);

/* Charges work of the program itself (picoseconds) to virtual time; does nothing when the clock is real. */
void myri_spend(uint64_t picoseconds);

/*
 * A request of abi/driver.h (BOARD_INFO, PEERS, COUNTERS, SET_PEERS, DMABENCH) with its structure of `length`
 * bytes, in and out. `board` chooses the device. 0 or a negative errno; -ENOTCONN before mx_init, -EINVAL for
 * a request of another kind.
 */
int myri_driver_request(uint32_t board, uint32_t request, void *structure, size_t length);

/* Row `index` of the table of environment variables; 0, or -1 behind the last one. Strings are static. */
struct myri_variable {
    const char *name;
    const char *type;          /* "bool", "number", "text" */
    const char *default_value;
    const char *help;
};
int myri_environment(unsigned index, struct myri_variable *variable);

/*
 * Counter `index` of an open endpoint: what the library has noticed and repaired since it was opened. The card's
 * counters are those of mx_get_info. 0, or -1 behind the last one or without an endpoint. Strings are static.
 */
struct mx_endpoint;
struct myri_counter {
    const char *name;
    const char *label;
    uint64_t value;
};
int myri_endpoint_counter(struct mx_endpoint *endpoint, unsigned index, struct myri_counter *counter);

#ifdef __cplusplus
}
#endif

#endif /* MYRI_H */
