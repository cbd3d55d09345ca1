/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
#include "firmware/globals.h"
#include "firmware/stop.h"

struct fw_globals globals __attribute__((section(".at.1000"))) = {
    .magic = {FW_MAGIC},
    .abi_version = {FW_ABI_VERSION},
    .status = {FW_STATUS_LOAD},
    .version = "libmyri LANai X firmware 0.1",
};
struct fw_endpoint endpoint_table[FW_ENDPOINTS] __attribute__((aligned(64)));
struct fw_window window_table[FW_ENDPOINTS][FW_WINDOWS] __attribute__((aligned(16)));
struct fw_peer peer_table[FW_PEERS] __attribute__((aligned(16)));
uint32_t peer_count, peers_dense;
struct peer_route peer_routes[FW_PEERS];
uint32_t my_card;
uint32_t counters[FW_COUNTER_COUNT];

extern const char __constants_end[]; /* lanai-ld's */

static uint32_t sram_offset(const void* object) { return (uint32_t)(uintptr_t)object; }

void globals_init(void) {
    store32(&globals.endpoints, sram_offset(endpoint_table));
    store32(&globals.endpoint_windows, FW_SRAM_ENDPOINT_WINDOWS);
    store32(&globals.windows, sram_offset(window_table));
    store32(&globals.peers, sram_offset(peer_table));
    store32(&globals.counters, sram_offset(counters));
    store32(&globals.counter_count, FW_COUNTER_COUNT);
    store32(&globals.critical_end, sram_offset(__constants_end));
    store32(&globals.status, FW_STATUS_INIT);
    while (load32(&globals.params_ready) == 0) {
    }
    my_card = load32(&globals.mac_low);
    if (load32(&globals.sram_size) < (2u << 20) - LANAI_EEPROM_SIZE)
        firmware_stop(FW_ERROR_PARAMETERS);
}

void peers_take(uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        struct peer_route* route = &peer_routes[i];
        uint32_t length = load8(&peer_table[i].route_length);
        if (length == 0)
            continue; /* what is under way to a peer that was removed still goes out */
        for (unsigned n = 0; n < FW_ROUTE_MAX; n++)
            route->bytes[n] = load8(&peer_table[i].route[n]);
        route->address = sram_offset(route->bytes);
        route->length = length | LANAI_SEND_ROUTE;
    }
    peer_count = count;
    peers_dense = 0;
    while (peers_dense < count && peer_exists(peers_dense))
        peers_dense++;
}

uint32_t peer_find(uint32_t card) {
    uint32_t low = 0;
    uint32_t high = peer_count;
    while (low < high) {
        uint32_t middle = (low + high) >> 1;
        uint32_t index = load16(&peer_table[middle].order);
        uint32_t found = load32(&peer_table[index].card);
        if (found == card)
            return peer_exists(index) ? index : FW_PEERS;
        if (found < card)
            low = middle + 1;
        else
            high = middle;
    }
    return FW_PEERS;
}
