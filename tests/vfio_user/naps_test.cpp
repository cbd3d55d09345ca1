// SPDX-License-Identifier: BSD-3-Clause
//
// How often cards of guests are looked at, and what a guest can make of it.
#include <doctest/doctest.h>

#include <cstring>
#include <vector>

#include "abi/firmware.h"
#include "emulator/vfio_user/firmware_state.h"
#include "emulator/vfio_user/naps.h"

using namespace myri::emulator;
using Watch = GuestHost::Watch;

TEST_CASE("naps grow to 200 us with open endpoints, to 10 ms without, and begin anew after each event") {
    Naps naps;
    const auto lengths = [&](Watch watch, int count) {
        std::vector<int64_t> all;
        while (count-- > 0)
            all.push_back(naps.next(watch));
        return all;
    };
    CHECK(naps.next(Watch::none) == -1);
    CHECK(lengths(Watch::requests, 6) == std::vector<int64_t>{20, 40, 80, 160, 200, 200});
    CHECK(lengths(Watch::commands, 7) == std::vector<int64_t>{200, 400, 800, 1600, 3200, 6400, 10000});
    CHECK(naps.next(Watch::requests) == 200); // somebody has opened an endpoint meanwhile
    naps.awake();
    CHECK(naps.next(Watch::requests) == 20);
}

TEST_CASE("whatever stands in SRAM, what is read of the firmware's state lies inside it") {
    std::vector<uint8_t> sram(0x200000);
    const auto put = [&](size_t offset, uint32_t value) {
        const be32 word = cpu_to_be32(value);
        std::memcpy(&sram[FW_GLOBALS + offset], &word, sizeof word);
    };
    CHECK(!vfio::firmware_runs(sram));
    put(offsetof(fw_globals, magic), FW_MAGIC);
    put(offsetof(fw_globals, abi_version), FW_ABI_VERSION);
    for (const uint32_t status : {FW_STATUS_LOAD, FW_STATUS_INIT, FW_STATUS_ERROR, FW_STATUS_PARITY}) {
        put(offsetof(fw_globals, status), status);
        CHECK(!vfio::firmware_runs(sram));
    }
    put(offsetof(fw_globals, status), FW_STATUS_RUN);
    CHECK(vfio::firmware_runs(sram));
    for (const uint32_t table : {0u, 0x1ffffcu, 0x1fffc0u, 0x200000u, 0x1003u, 0xfffffff0u, ~0u}) {
        put(offsetof(fw_globals, endpoints), table);
        CHECK(!vfio::any_endpoint_open({sram.data(), 0x2000})); // nor beyond a smaller one
        put(offsetof(fw_globals, idle_loop), table);
        CHECK(vfio::firmware_idle_loop(sram) == (table == 0x1ffffc || table == 0x1fffc0 ? table : 0));
    }
    put(offsetof(fw_globals, endpoints), 0x10000);
    CHECK(!vfio::any_endpoint_open(sram));
    sram[0x10000 + 31 * sizeof(fw_endpoint) + 3] = FW_ENDPOINT_OPEN;
    CHECK(vfio::any_endpoint_open(sram));
}
