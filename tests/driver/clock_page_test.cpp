// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>
#include <sys/mman.h>

#include <cstring>

#include "abi/firmware.h"
#include "emulator/driver/clock_page.h"

using namespace myri::emulator;

namespace {

// The process's side of the page.
struct Process {
    ClockPage page;
    myri_clock_page* mapped;
    Process() {
        void* base = mmap(nullptr, sizeof *mapped, PROT_READ | PROT_WRITE, MAP_SHARED, page.fd(), 0);
        REQUIRE(base != MAP_FAILED);
        mapped = static_cast<myri_clock_page*>(base);
    }
    ~Process() { munmap(mapped, sizeof *mapped); }
    void record(uint64_t when, uint32_t offset, std::vector<uint8_t> bytes, uint32_t length) {
        const myri_store store{when, 3, offset, length, 0};
        std::memcpy(mapped->records + mapped->used, &store, sizeof store);
        mapped->used += static_cast<uint32_t>(sizeof store);
        if (!bytes.empty())
            std::memcpy(mapped->records + mapped->used, bytes.data(), bytes.size());
        mapped->used += static_cast<uint32_t>(bytes.size());
    }
    void record(uint64_t when, uint32_t offset, std::vector<uint8_t> bytes) {
        record(when, offset, bytes, static_cast<uint32_t>(bytes.size()));
    }
    bool refused(uint64_t earliest = 0, uint64_t latest = 1000) {
        std::vector<Store> stores;
        const bool bad = !page.take(earliest, latest, stores).empty();
        CHECK(bad == stores.empty());
        return bad;
    }
};

} // namespace

TEST_CASE("records are taken in order, barriers too, and the page is empty afterwards") {
    Process p;
    p.record(10, 0, std::vector<uint8_t>(16, 1));
    p.record(20, 0, {});
    p.record(20, 248, std::vector<uint8_t>(8, 2));
    std::vector<Store> stores;
    CHECK_EQ(p.page.take(10, 20, stores), "");
    REQUIRE_EQ(stores.size(), 3u);
    CHECK_EQ(stores[0].bytes, std::vector<uint8_t>(16, 1));
    CHECK_EQ(stores[0].when, 10u);
    CHECK_EQ(stores[0].endpoint, 3u);
    CHECK(stores[1].bytes.empty());
    CHECK_EQ(stores[2].offset, 248u);
    CHECK_EQ(p.mapped->used, 0u);
    CHECK_EQ(p.page.take(10, 20, stores), "");
    CHECK(stores.empty());
}

TEST_CASE("records with nonsense in them are refused") {
    Process p;
    const std::vector<uint8_t> eight(8);
    SUBCASE("more bytes than the page has") { p.mapped->used = sizeof p.mapped->records + 1; }
    SUBCASE("a record that is cut off") { p.mapped->used = sizeof(myri_store) - 1; }
    SUBCASE("more bytes than follow") { p.record(0, 0, eight, 16); }
    SUBCASE("a length that is no multiple of 8") { p.record(0, 0, std::vector<uint8_t>(12)); }
    SUBCASE("an offset that is no multiple of 8") { p.record(0, 4, eight); }
    SUBCASE("an offset outside the window") { p.record(0, FW_ENDPOINT_WINDOW_SIZE, eight); }
    SUBCASE("a length beyond the window's end") { p.record(0, FW_ENDPOINT_WINDOW_SIZE - 8, std::vector<uint8_t>(16)); }
    SUBCASE("an offset that would wrap") { p.record(0, 0xfffffff8, eight); }
    SUBCASE("a time after the process's clock") { p.record(1001, 0, eight); }
    SUBCASE("times that go back") {
        p.record(20, 0, eight);
        p.record(19, 0, eight);
    }
    CHECK(p.refused());
}

TEST_CASE("the last bytes of the window and the bounds of time are possible") {
    Process p;
    p.record(0, FW_ENDPOINT_WINDOW_SIZE - 8, std::vector<uint8_t>(8));
    p.record(1000, 0, std::vector<uint8_t>(8));
    CHECK_FALSE(p.refused(0, 1000));
    p.record(999, 0, std::vector<uint8_t>(8));
    CHECK(p.refused(1000, 2000));
}

TEST_CASE("the process cannot shrink the page under the driver") {
    Process p;
    CHECK(ftruncate(p.page.fd(), 0) != 0);
}
