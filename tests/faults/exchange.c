/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two processes exchange messages of all classes, in both directions at once, and check that each arrives exactly
 * once, in order and intact:
 *
 *   exchange first|second HOST MESSAGES SEED [eager] [damage] [counters]
 *
 * HOST is where the other one runs. Each sends MESSAGES messages, of lengths, match values and kinds that both ends
 * derive from SEED and the message's number; `eager` leaves out what goes by rendezvous. With `damage` the checking
 * itself is checked: one byte of one received message is inverted, so that the program must fail. `counters` prints the
 * public counters of card and endpoint once nothing is on its way any more, and ends without closing.
 *
 * Order: receives are posted in the order of messages, each for the match value of its message or for any. Matching
 * is strictly in order on both sides, so receive n must get message n, whatever the order of completions. At the end
 * both ends wait until nothing can be on its way and look for messages too many.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mx_extensions.h>
#include <myri.h>

#define FILTER      0x66u
#define CHANNELS    5u /* match values, 0 to CHANNELS - 1 in the low bits */
#define OUTSTANDING 24u /* sends, and receives, of each process */
#define LONGEST     200000u
#define MS          UINT64_C(1000000000)
#define TELL_DONE   UINT64_C(0xd00e000000000000) /* the sender has seen all its sends and receives complete */
#define DATA        UINT64_C(0xda7a000000000000)
#define KIND_MASK   UINT64_C(0xffff000000000000)

struct message {
    uint32_t channel, length;
    int synchronous; /* sent by mx_issend */
    int any;         /* its receive takes any match value */
};

static mx_endpoint_t endpoint;
static mx_endpoint_addr_t peer;
static const char *role;
static int failures;

static void fail(const char *what, uint64_t got, uint64_t wanted) {
    if (failures++ < 20)
        printf("%s: %s: %" PRIu64 ", wanted %" PRIu64 "\n", role, what, got, wanted);
    fflush(stdout);
}

static void must(int good, const char *what) {
    if (good)
        return;
    printf("%s: %s failed\n", role, what);
    fflush(stdout);
    exit(1);
}

static uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* Message `n` of the side whose seed is `seed`. */
static struct message describe(uint64_t seed, uint32_t n, int eager) {
    const uint64_t r = mix(seed * UINT64_C(0x9e3779b97f4a7c15) + n);
    const uint64_t length = r >> 16 & 0xffffffff;
    const unsigned kind = (unsigned)(r & 0xff);
    struct message m = {(uint32_t)(r >> 48) % CHANNELS, 0, 0, (r >> 60) < 4};
    if (kind < 110)
        m.length = (uint32_t)(length % 33);
    else if (kind < 190)
        m.length = (uint32_t)(33 + length % 96);
    else if (kind < 248 || eager)
        m.length = (uint32_t)(129 + length % (kind & 1 ? 32640 : 4200));
    else
        m.length = (uint32_t)(32769 + length % (LONGEST - 32769));
    if (!eager && (r >> 8 & 0xff) < 6)
        m.synchronous = 1;
    return m;
}

/* Bytes of a message: any two messages differ in nearly all, and so do any two places within one. */
static uint64_t word_at(uint64_t seed, uint32_t n, uint32_t place) {
    return mix(seed * 3 + (uint64_t)n * UINT64_C(0xd1342543de82ef95) + place * UINT64_C(0x2545f4914f6cdd1d));
}

static void fill(unsigned char *bytes, uint32_t length, uint64_t seed, uint32_t n) {
    for (uint32_t i = 0; i < length; i += 8) {
        const uint64_t word = word_at(seed, n, i);
        memcpy(bytes + i, &word, length - i < 8 ? length - i : 8);
    }
}

/* Offset of the first byte that is not as it should be; `length` if all are. */
static uint32_t first_difference(const unsigned char *bytes, uint32_t length, uint64_t seed, uint32_t n) {
    for (uint32_t i = 0; i < length; i += 8) {
        const uint64_t word = word_at(seed, n, i);
        unsigned char right[8];
        memcpy(right, &word, 8);
        for (uint32_t k = 0; k < 8 && i + k < length; k++)
            if (bytes[i + k] != right[k])
                return i + k;
    }
    return length;
}

struct place {
    mx_request_t request;
    unsigned char *buffer;
    uint32_t number; /* of the message */
    int busy;
};

static struct place sends[OUTSTANDING], receives[OUTSTANDING];
static uint32_t messages, sent, completed, posted, received;
static uint64_t my_seed, peer_seed;
static int eager, damage, counters;

static void send_one(struct place *p) {
    const struct message m = describe(my_seed, sent, eager);
    mx_segment_t segment = {p->buffer, m.length};
    const uint64_t match = DATA | m.channel;
    fill(p->buffer, m.length, my_seed, sent);
    p->number = sent++;
    p->busy = 1;
    must((m.synchronous ? mx_issend : mx_isend)(endpoint, &segment, 1, peer, match, p, &p->request) == MX_SUCCESS,
         "mx_isend");
}

static void receive_one(struct place *p) {
    const struct message m = describe(peer_seed, posted, eager);
    mx_segment_t segment = {p->buffer, LONGEST};
    p->number = posted++;
    p->busy = 1;
    memset(p->buffer, 0xa5, m.length);
    must(mx_irecv(endpoint, &segment, 1, m.any ? DATA : DATA | m.channel, m.any ? KIND_MASK : MX_MATCH_MASK_NONE, p,
                  &p->request) == MX_SUCCESS,
         "mx_irecv");
}

static void check_received(struct place *p, const mx_status_t *status) {
    const struct message m = describe(peer_seed, p->number, eager);
    if (status->code != MX_STATUS_SUCCESS)
        fail("status of a receive", status->code, MX_STATUS_SUCCESS);
    if (status->match_info != (DATA | m.channel))
        fail("match value", status->match_info, DATA | m.channel);
    if (status->msg_length != m.length || status->xfer_length != m.length)
        fail("length", status->msg_length, m.length);
    if (damage && p->number >= messages / 2 && m.length > 0)
        p->buffer[m.length / 2] ^= 0x10, damage = 0;
    const uint32_t good = first_difference(p->buffer, m.length, peer_seed, p->number);
    if (good != m.length) {
        fail("content of message", p->number, p->number);
        fail("its bytes that are right", good, m.length);
    }
    received++;
}

static void connect_to(const char *host, uint32_t own) {
    uint64_t nic;
    must(mx_init() == MX_SUCCESS, "mx_init");
    must(mx_open_endpoint(0, own, FILTER, NULL, 0, &endpoint) == MX_SUCCESS, "mx_open_endpoint");
    must(mx_hostname_to_nic_id((char *)(uintptr_t)host, &nic) == MX_SUCCESS, "mx_hostname_to_nic_id");
    for (int tries = 0;; tries++) {
        const mx_return_t code = mx_connect(endpoint, nic, 3 - own, FILTER, 1000, &peer);
        if (code == MX_SUCCESS)
            break;
        must(tries < 1000 && (code == MX_CONNECTION_FAILED || code == MX_TIMEOUT), "mx_connect");
        myri_sleep(MS);
    }
}

/* Of a place that waits. */
static void tell(const char *what, const struct place *p, uint64_t seed) {
    const struct message m = describe(seed, p->number, eager);
    if (p->busy)
        printf("%s: waiting: %s %" PRIu32 ", %" PRIu32 " bytes%s%s\n", role, what, p->number, m.length,
               m.synchronous ? ", synchronous" : "", m.any ? ", any match value" : "");
    fflush(stdout);
}

/* Waits for any of ours; completions come in the order of their ends, not of their receives. */
static void one_completion(void) {
    mx_status_t status;
    uint32_t result = 0;
    must(mx_wait_any(endpoint, 60000, 0, 0, &status, &result) == MX_SUCCESS, "mx_wait_any");
    if (!result) {
        printf("%s: nothing completes for a minute: %" PRIu32 " sent, %" PRIu32 " of them complete, %" PRIu32
               " received of %" PRIu32 "\n",
               role, sent, completed, received, messages);
        for (unsigned i = 0; i < OUTSTANDING; i++) {
            tell("send", &sends[i], my_seed);
            tell("receive", &receives[i], peer_seed);
        }
        exit(1);
    }
    struct place *p = status.context;
    p->busy = 0;
    if (p >= sends && p < sends + OUTSTANDING) {
        if (status.code != MX_STATUS_SUCCESS)
            fail("status of a send", status.code, MX_STATUS_SUCCESS);
        completed++;
    } else {
        check_received(p, &status);
    }
}

static void exchange(void) {
    while (completed < messages || received < messages) {
        for (unsigned i = 0; i < OUTSTANDING; i++) {
            if (!receives[i].busy && posted < messages)
                receive_one(&receives[i]);
            if (!sends[i].busy && sent < messages)
                send_one(&sends[i]);
        }
        one_completion();
    }
}

static void print_counters(void) {
    uint32_t board = 0, count = 0;
    must(mx_get_info(NULL, MX_COUNTERS_COUNT, &board, sizeof board, &count, sizeof count) == MX_SUCCESS, "counters");
    char *labels = calloc(count, MX_MAX_STR_LEN);
    uint32_t *values = calloc(count, sizeof *values);
    must(labels && values, "memory");
    must(mx_get_info(NULL, MX_COUNTERS_LABELS, &board, sizeof board, labels, count * MX_MAX_STR_LEN) == MX_SUCCESS &&
             mx_get_info(NULL, MX_COUNTERS_VALUES, &board, sizeof board, values,
                         count * (uint32_t)sizeof *values) == MX_SUCCESS,
         "counters");
    for (uint32_t i = 0; i < count; i++)
        printf("%s: card: %s: %" PRIu32 "\n", role, labels + i * MX_MAX_STR_LEN, values[i]);
    struct myri_counter c;
    for (unsigned i = 0; myri_endpoint_counter(endpoint, i, &c) == 0; i++)
        printf("%s: library: %s: %" PRIu64 "\n", role, c.name, c.value);
    fflush(stdout);
    free(labels);
    free(values);
}

/* Both are done: nothing may be left that nobody has asked for. */
static void drain(void) {
    mx_request_t in, out;
    mx_status_t status;
    uint32_t result = 0;
    mx_segment_t nothing = {NULL, 0};
    must(mx_irecv(endpoint, &nothing, 1, TELL_DONE, MX_MATCH_MASK_NONE, NULL, &in) == MX_SUCCESS, "mx_irecv");
    must(mx_isend(endpoint, &nothing, 1, peer, TELL_DONE, NULL, &out) == MX_SUCCESS, "mx_isend");
    must(mx_wait(endpoint, &out, 60000, &status, &result) == MX_SUCCESS && result == 1, "the last send");
    must(mx_wait(endpoint, &in, 60000, &status, &result) == MX_SUCCESS && result == 1, "the last receive");
    myri_sleep(2000 * MS); /* above the longest interval between two resends */
    if (counters)
        print_counters();
    /* Each counts before the other says goodbye; the second ends the run, so it lets the first come to its end. */
    myri_sleep((strcmp(role, "first") == 0 ? 1000 : 3000) * MS);
    must(mx_iprobe(endpoint, 0, 0, &status, &result) == MX_SUCCESS, "mx_iprobe");
    if (result)
        fail("match value of a message too many", status.match_info, 0);
}

int main(int argc, char **argv) {
    must(argc >= 5, "exchange first|second HOST MESSAGES SEED [eager] [damage] [counters]");
    role = argv[1];
    const int first = strcmp(role, "first") == 0;
    messages = (uint32_t)strtoul(argv[3], NULL, 10);
    const uint64_t seed = strtoul(argv[4], NULL, 10);
    for (int i = 5; i < argc; i++) {
        eager |= strcmp(argv[i], "eager") == 0;
        damage |= strcmp(argv[i], "damage") == 0;
        counters |= strcmp(argv[i], "counters") == 0;
    }
    my_seed = 2 * seed + (first ? 0 : 1);
    peer_seed = 2 * seed + (first ? 1 : 0);
    mx_set_error_handler(MX_ERRORS_RETURN);
    for (unsigned i = 0; i < OUTSTANDING; i++)
        must((sends[i].buffer = malloc(LONGEST)) && (receives[i].buffer = malloc(LONGEST)), "memory");
    connect_to(argv[2], first ? 1 : 2);
    const uint64_t begin = myri_time();
    exchange();
    const uint64_t end = myri_time();
    drain();
    if (!counters) /* else the packets that say goodbye would come behind the count */
        must(mx_close_endpoint(endpoint) == MX_SUCCESS && mx_finalize() == MX_SUCCESS, "closing");
    printf("%s: %" PRIu32 " messages each way in %" PRIu64 " us, %d wrong\n", role, messages, (end - begin) / 1000000,
           failures);
    return failures != 0;
}
