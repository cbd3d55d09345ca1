// SPDX-License-Identifier: BSD-3-Clause
//
// The bounce area of an endpoint, as the process and as the card see it.
#include <doctest/doctest.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "emulator/driver/bounce_area.h"
#include "emulator/driver/window_table.h"

using namespace myri::emulator;

namespace {

constexpr uint32_t PAGE = 4096;

// An endpoint's memory with an area of 16 pages, mapped a second time as its process would.
struct Area {
    myri_endpoint_open sizes{};
    std::shared_ptr<EndpointMemory> memory;
    std::shared_ptr<BounceArea> area;
    uint8_t* process;
    BusMap bus;
    WindowTable table{bus};
    WindowTable::Added added;

    explicit Area(uint32_t bytes = 16 * PAGE) {
        sizes.event_entries = 64;
        sizes.receive_bytes = sizes.send_bytes = 16u << 10;
        sizes.bounce_bytes = bytes;
        memory = std::make_shared<EndpointMemory>(sizes);
        area = std::make_shared<BounceArea>(memory);
        void* base = mmap(nullptr, sizes.ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory->fd(), 0);
        REQUIRE(base != MAP_FAILED);
        process = static_cast<uint8_t*>(base) + sizes.bounce_offset;
        bus.set_bus_master(true);
    }
    ~Area() { munmap(process - sizes.bounce_offset, sizes.ring_bytes); }
    int add(std::vector<myri_segment> segments, bool writable = true) {
        return table.add(*area, segments, writable, added);
    }
    uint64_t first_piece() {
        fw_piece p;
        std::vector<uint8_t> bytes(sizeof p);
        REQUIRE(bus.dma_read(0, added.list, bytes));
        std::memcpy(&p, bytes.data(), sizeof p);
        return be64_to_cpu(p.address);
    }
};

} // namespace

TEST_CASE("the bounce area lies behind everything else, and is there only if asked for") {
    const Area a;
    CHECK_EQ(a.sizes.bounce_offset, a.sizes.page_offset + PAGE);
    CHECK_EQ(a.sizes.ring_bytes, a.sizes.bounce_offset + 16 * PAGE);
    const Area none(0);
    CHECK_EQ(none.sizes.bounce_offset, 0u);
    CHECK_EQ(none.sizes.ring_bytes, none.sizes.page_offset + PAGE);
    CHECK(none.memory->bounce().empty());
}

TEST_CASE("card and process see the same bytes of the bounce area") {
    Area a;
    std::memcpy(a.process + 5 * PAGE + 7, "hello", 5);
    REQUIRE_EQ(a.add({{5 * PAGE + 7, 5}}), 0);
    const uint64_t bus = a.first_piece();
    CHECK(a.bus.message_data(bus));
    uint8_t bytes[5];
    REQUIRE(a.bus.dma_read(0, bus, bytes));
    CHECK_EQ(std::memcmp(bytes, "hello", 5), 0);
    const uint8_t other[5] = {'w', 'o', 'r', 'l', 'd'};
    REQUIRE(a.bus.dma_write(0, bus, other));
    CHECK_EQ(std::memcmp(a.process + 5 * PAGE + 7, "world", 5), 0);
    CHECK_EQ(a.process[5 * PAGE + 6], 0);
    CHECK_EQ(a.process[5 * PAGE + 12], 0);
}

TEST_CASE("a window of the bounce area that was registered for reading is not written") {
    Area a;
    REQUIRE_EQ(a.add({{0, 8}}, false), 0);
    const uint8_t byte[1] = {1};
    CHECK_FALSE(a.bus.dma_write(0, a.first_piece(), byte));
    CHECK_EQ(a.process[0], 0);
}

TEST_CASE("what is not wholly inside the bounce area is refused and nothing is left on the bus") {
    Area a;
    constexpr uint64_t size = 16 * PAGE;
    CHECK_EQ(a.add({{0, size + 1}}), -EFAULT);
    CHECK_EQ(a.add({{size, 1}}), -EFAULT);
    CHECK_EQ(a.add({{size - 1, 2}}), -EFAULT);
    CHECK_EQ(a.add({{0, 8}, {~uint64_t{0} - 3, 8}}), -EFAULT);
    CHECK_EQ(a.add({{uint64_t{1} << 32, 8}}), -EFAULT);
    CHECK_EQ(a.bus.ranges(), 0u);
    REQUIRE_EQ(a.add({{0, size}}), 0);
    // The page after the last one is not there.
    uint8_t byte[1];
    const uint64_t bus = a.first_piece();
    CHECK(a.bus.dma_read(0, bus + size - 1, byte));
    CHECK_FALSE(a.bus.dma_read(0, bus + size, byte));
    CHECK_EQ(a.add({{size - 1, 1}, {0, 1}}), 0); // in any order
}

TEST_CASE("windows keep the bounce area alive until the card has let go of them") {
    Area a;
    a.process[3] = 9;
    REQUIRE_EQ(a.add({{0, 8}}), 0);
    a.area.reset();
    a.memory.reset();
    uint8_t bytes[8];
    REQUIRE(a.bus.dma_read(0, a.first_piece(), bytes));
    CHECK_EQ(bytes[3], 9);
    a.table.release_all();
    CHECK_EQ(a.bus.ranges(), 0u);
}
