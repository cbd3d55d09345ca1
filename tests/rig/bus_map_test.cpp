// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>
#include <stdexcept>

#include "emulator/host/bus_map.h"
#include "tests/rig/slot_writer.h"

using namespace myri::emulator;
using myri::rig::Bytes;

TEST_CASE("bus addresses are handed out in order, page by page, with a hole between, and never again") {
    BusMap map;
    Bytes memory(3 * 4096);
    auto range = std::make_shared<PlainRange>(memory);
    const uint64_t a = map.add(1, range), b = map.add(4097, range), c = map.add(4096, range);
    CHECK(a == 0x1'0000'0000);
    CHECK(b == a + 2 * 4096); // its page and a hole
    CHECK(c == b + 3 * 4096);
    map.remove(b);
    CHECK(map.ranges() == 2);
    CHECK(map.add(1, range) == c + 2 * 4096);
    CHECK_THROWS_AS(map.remove(b), std::logic_error);
    CHECK_THROWS_AS(map.remove(c + 1), std::logic_error);
    CHECK_THROWS_AS(map.add(0, range), std::logic_error);
}

TEST_CASE("no range crosses a multiple of 4 GiB") {
    BusMap map;
    Bytes memory(1);
    auto range = std::make_shared<PlainRange>(memory);
    map.add((uint64_t{1} << 32) - 8192, range);
    CHECK(map.add(8192, range) == 0x2'0000'0000); // 4096 bytes were left behind the hole
}

TEST_CASE("a transfer finds exactly the bytes of its range") {
    BusMap map;
    Bytes memory(8192, 0);
    const uint64_t bus = map.add(5000, std::make_shared<PlainRange>(memory));
    const Bytes in{1, 2, 3};
    Bytes out(3);
    CHECK(map.dma_write(0, bus + 4997, in));
    CHECK(memory[4997] == 1);
    CHECK(memory[4999] == 3);
    CHECK(map.dma_read(0, bus + 4997, out));
    CHECK(out == in);
    CHECK_FALSE(map.dma_write(0, bus + 4998, in)); // one byte too far, though the memory goes on
    CHECK_FALSE(map.dma_write(0, bus - 1, in));
    CHECK_FALSE(map.dma_read(0, bus + 5000, out));
    CHECK_FALSE(map.dma_read(0, 0, out));
    CHECK_FALSE(map.dma_read(0, ~uint64_t{0}, out));
    CHECK(memory[5000] == 0);
    // An empty span only asks.
    CHECK(map.dma_write(0, bus + 4999, {}));
    CHECK_FALSE(map.dma_write(0, bus + 5000, {}));
}

TEST_CASE("memory that was removed, or before bus mastering is allowed, is not there") {
    BusMap map;
    Bytes memory(4096, 7), out(4);
    const uint64_t bus = map.add(4096, std::make_shared<PlainRange>(memory));
    map.set_bus_master(false);
    CHECK_FALSE(map.dma_read(0, bus, out));
    CHECK_FALSE(map.dma_write(0, bus, out));
    map.set_bus_master(true);
    CHECK(map.dma_read(0, bus, out));
    CHECK(out == Bytes(4, 7));
    map.remove(bus);
    CHECK_FALSE(map.dma_read(0, bus, out));
}

TEST_CASE("a range that promises more than its memory refuses the rest") {
    BusMap map;
    Bytes memory(10), out(4);
    const uint64_t bus = map.add(4096, std::make_shared<PlainRange>(memory));
    CHECK(map.dma_read(0, bus + 6, out));
    CHECK_FALSE(map.dma_read(0, bus + 7, out));
}
