/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs that see a card or a cable fail:
 *
 *   outage sender HOST    sends synchronously with a time limit while its cable is down for ever
 *   outage receiver HOST  has posted a receive and waits for something that never comes
 *   outage doomed HOST    waits in a call when its card dies
 *   outage idle MS        opens an endpoint and is elsewhere for so long (free running): the restart happens meanwhile
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mx_extensions.h>
#include <myri.h>

#define FILTER 0x77u
#define MS     UINT64_C(1000000000)

static mx_endpoint_t endpoint;

static void must(int good, const char *what) {
    if (good)
        return;
    printf("%s: it did not\n", what);
    fflush(stdout);
    exit(1);
}

static mx_request_t receive_something(void) {
    mx_request_t request;
    static char byte;
    mx_segment_t segment = {&byte, 1};
    must(mx_irecv(endpoint, &segment, 1, 5, MX_MATCH_MASK_NONE, NULL, &request) == MX_SUCCESS, "mx_irecv");
    return request;
}

static int sender(char *host) {
    uint64_t nic;
    mx_endpoint_addr_t peer;
    mx_request_t request;
    mx_status_t status;
    uint32_t result = 0;
    static char data[100000];
    mx_segment_t segment = {data, sizeof data};
    must(mx_hostname_to_nic_id(host, &nic) == MX_SUCCESS, "mx_hostname_to_nic_id");
    for (int tries = 0; mx_connect(endpoint, nic, 2, FILTER, 5, &peer) != MX_SUCCESS; tries++)
        must(tries < 100 && myri_sleep(MS / 10) == 0, "mx_connect");
    myri_sleep(30 * MS); /* the cable is down now */
    must(mx_set_request_timeout(endpoint, NULL, 3000) == MX_SUCCESS, "mx_set_request_timeout");
    const uint64_t begin = myri_time();
    must(mx_issend(endpoint, &segment, 1, peer, 5, NULL, &request) == MX_SUCCESS, "mx_issend");
    must(mx_wait(endpoint, &request, MX_INFINITE, &status, &result) == MX_SUCCESS && result, "mx_wait");
    const uint64_t ms = (myri_time() - begin) / MS;
    must(status.code == MX_STATUS_TIMEOUT || status.code == MX_STATUS_ENDPOINT_UNREACHABLE, "ending with a reason");
    must(ms >= 2000 && ms < 6000, "ending within the limit");
    printf("sender: ended by the limit of 3000 ms\n");
    return 0;
}

static int receiver(void) {
    mx_request_t request = receive_something();
    mx_status_t status;
    uint32_t result = 1;
    must(mx_wait(endpoint, &request, 8000, &status, &result) == MX_SUCCESS && !result, "waiting in vain");
    printf("receiver: its receive is still posted\n");
    return 0;
}

static int doomed(void) {
    mx_request_t request = receive_something();
    mx_status_t status;
    uint32_t result = 0;
    must(mx_wait(endpoint, &request, MX_INFINITE, &status, &result) == MX_SUCCESS && result, "mx_wait");
    must(status.code == MX_STATUS_ABORTED, "ending as aborted");
    printf("doomed: aborted, and then: %s\n", mx_strerror(mx_wait_any(endpoint, MX_INFINITE, 0, 0, &status, &result)));
    return 0;
}

static int idle(uint64_t ms) {
    printf("idle: here\n");
    fflush(stdout);
    myri_sleep(ms * MS);
    struct myri_counter c;
    for (unsigned i = 0; myri_endpoint_counter(endpoint, i, &c) == 0; i++)
        if (strcmp(c.name, "restarts") == 0)
            printf("idle: %" PRIu64 " restarts\n", c.value);
    return 0;
}

int main(int argc, char **argv) {
    must(argc == 3, "outage sender|receiver|doomed HOST, or idle MS");
    mx_set_error_handler(MX_ERRORS_RETURN);
    must(mx_init() == MX_SUCCESS, "mx_init");
    must(mx_open_endpoint(0, strcmp(argv[1], "receiver") == 0 ? 2 : 1, FILTER, NULL, 0, &endpoint) == MX_SUCCESS,
         "mx_open_endpoint");
    int status = 1;
    if (strcmp(argv[1], "sender") == 0)
        status = sender(argv[2]);
    else if (strcmp(argv[1], "receiver") == 0)
        status = receiver();
    else if (strcmp(argv[1], "doomed") == 0)
        status = doomed();
    else if (strcmp(argv[1], "idle") == 0)
        status = idle(strtoul(argv[2], NULL, 10));
    must(mx_close_endpoint(endpoint) == MX_SUCCESS && mx_finalize() == MX_SUCCESS, "closing");
    return status;
}
