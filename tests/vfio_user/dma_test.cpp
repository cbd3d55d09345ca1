// SPDX-License-Identifier: BSD-3-Clause
//
// Guest memory: what may be mapped, what the card then reaches, and with which rights.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <map>
#include <random>

#include "abi/lanai.h"
#include "tests/vfio_user/served_guest.h"

using namespace vfio_test;
using myri::emulator::microseconds;

namespace {

constexpr uint64_t PAGE = 4096, SPECIAL = LANAI_BAR0_SPECIAL;
constexpr uint32_t DESCRIPTOR = 0x8000, BUFFER = 0x9000; // in SRAM

// A client that makes the card transfer, by storing a descriptor and telling the engine.
struct Dma {
    Dma() : client(served.connect()) {
        client.greet();
        client.set_config<uint16_t>(4, 6); // memory, bus master
        client.set_card_word(SPECIAL + LANAI_DMA_CONFIG, LANAI_DMA_ENABLE);
    }
    // True if the transfer was done, false if the engine reports an error.
    bool transfer(bool to_card, uint64_t bus, uint32_t bytes) {
        const uint32_t words[] = {(to_card ? LANAI_DMA_READ : 0) | bytes, static_cast<uint32_t>(bus), BUFFER,
                                  static_cast<uint32_t>(bus >> 32), 0, 0};
        for (uint32_t n = 0; n < 6; n++)
            client.set_card_word(DESCRIPTOR + 4 * n, words[n]);
        client.set_card_word(SPECIAL + LANAI_ISR, LANAI_ISR_DMA_ERROR);
        client.set_card_word(SPECIAL + LANAI_DMA0_POINTER, DESCRIPTOR);
        client.write(BAR0, SPECIAL + LANAI_DMA0_COUNT, {1});
        served.run(microseconds(100));
        CHECK(client.read(BAR0, SPECIAL + LANAI_DMA0_COUNT, 1) == Bytes{0});
        return !(client.card_word(SPECIAL + LANAI_ISR) & LANAI_ISR_DMA_ERROR);
    }
    bool store(uint64_t bus, const Bytes& bytes) {
        client.write(BAR0, BUFFER, bytes);
        return transfer(false, bus, static_cast<uint32_t>(bytes.size()));
    }
    bool load(uint64_t bus, uint32_t bytes) { return transfer(true, bus, bytes); }
    Bytes loaded(uint32_t bytes) { return client.read(BAR0, BUFFER, bytes); }
    bool master_abort() {
        const bool set = client.config<uint16_t>(6) & 0x2000;
        client.set_config<uint16_t>(6, 0x2000);
        return set;
    }

    ServedGuest served;
    Client client;
};

Bytes contents(const File& file, uint64_t offset, size_t bytes) {
    Bytes all(bytes);
    REQUIRE(pread(file.get(), all.data(), bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes));
    return all;
}
void put(const File& file, uint64_t offset, const Bytes& bytes) {
    REQUIRE(pwrite(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset)) ==
            static_cast<ssize_t>(bytes.size()));
}
Bytes numbered(size_t bytes, uint8_t first) {
    Bytes all(bytes);
    for (size_t n = 0; n < bytes; n++)
        all[n] = static_cast<uint8_t>(first + 3 * n + n / 251);
    return all;
}

} // namespace

TEST_CASE("the card reads and writes guest memory above and below 4 GiB, over the border of two ranges") {
    Dma dma;
    const File ram = memfd(16 * PAGE);
    for (const uint64_t base : {uint64_t{0x100000}, uint64_t{0x1'0000'0000}, uint64_t{0x7f'ffff'0000}}) {
        // The second range continues the first one on the bus, but not in the file.
        CHECK(dma.client.map(base, 2 * PAGE, ram.get(), 0) == 0);
        CHECK(dma.client.map(base + 2 * PAGE, 2 * PAGE, ram.get(), 8 * PAGE) == 0);
        const Bytes bytes = numbered(3 * PAGE, static_cast<uint8_t>(base >> 30));
        REQUIRE(dma.store(base + 100, bytes));
        CHECK(contents(ram, 100, 2 * PAGE - 100) == Bytes(bytes.begin(), bytes.begin() + 2 * PAGE - 100));
        CHECK(contents(ram, 8 * PAGE, PAGE + 100) == Bytes(bytes.begin() + 2 * PAGE - 100, bytes.end()));
        put(ram, 8 * PAGE, numbered(200, 77));
        REQUIRE(dma.load(base + 2 * PAGE, 200));
        CHECK(dma.loaded(200) == numbered(200, 77));
        CHECK(!dma.master_abort());
        CHECK(dma.client.unmap(base, 2 * PAGE) == 0);
        CHECK(!dma.load(base, 8));
        CHECK(dma.master_abort());
        CHECK(dma.client.unmap(base + 2 * PAGE, 2 * PAGE) == 0);
    }
}

TEST_CASE("a transfer to nothing, without the right, or without bus mastering is an error and changes nothing") {
    Dma dma;
    const File ram = memfd(4 * PAGE);
    CHECK(dma.client.map(0x10000, PAGE, ram.get(), 0, 1) == 0);         // read-only, as shadow ROM
    CHECK(dma.client.map(0x20000, PAGE, -1, 0, 3) == 0);                // known, but not memory that we can reach
    CHECK(dma.client.map(0x30000, PAGE, ram.get(), PAGE, 3) == 0);
    put(ram, 0, numbered(64, 1));
    CHECK(!dma.store(0x10000, Bytes(64)));
    CHECK(contents(ram, 0, 64) == numbered(64, 1));
    CHECK(dma.load(0x10000, 64));
    CHECK(dma.loaded(64) == numbered(64, 1));
    CHECK(!dma.store(0x20000, Bytes(64)));
    CHECK(!dma.load(0x20000, 64));
    CHECK(!dma.store(0x50000, Bytes(64)));
    CHECK(dma.master_abort());
    // The second page of this one is missing: the first arrives.
    CHECK(!dma.store(0x30000 + PAGE - 32, numbered(64, 9)));
    CHECK(contents(ram, 2 * PAGE - 32, 32) == numbered(32, 9));

    dma.client.set_config<uint16_t>(4, 2); // bus master off
    CHECK(dma.master_abort());
    CHECK(!dma.store(0x30000, numbered(64, 5)));
    CHECK(contents(ram, PAGE, 64) == Bytes(64));
    CHECK(!dma.master_abort()); // it was not even tried
    // RESET turns it off as well, and keeps the ranges.
    dma.client.set_config<uint16_t>(4, 6);
    CHECK(dma.client.error_of(RESET, {}) == 0);
    dma.client.set_card_word(SPECIAL + LANAI_DMA_CONFIG, LANAI_DMA_ENABLE);
    CHECK(!dma.store(0x30000, numbered(64, 5)));
    dma.client.set_config<uint16_t>(4, 6);
    dma.client.set_card_word(SPECIAL + LANAI_DMA_CONFIG, LANAI_DMA_ENABLE);
    CHECK(dma.store(0x30000, numbered(64, 5)));
    CHECK(contents(ram, PAGE, 64) == numbered(64, 5));
}

TEST_CASE("the MSI is an interrupt and never memory") {
    Dma dma;
    constexpr uint64_t ADDRESS = 0xfee01004;
    const File ram = memfd(PAGE), bell = eventfd();
    // Memory stands at that address, to see that it is not used.
    CHECK(dma.client.map(ADDRESS & ~(PAGE - 1), PAGE, ram.get()) == 0);
    const Bytes message = {0x21, 0x40, 0, 0};
    CHECK(dma.store(ADDRESS, message)); // not enabled yet: a store like any other
    CHECK(contents(ram, ADDRESS % PAGE, 4) == message);
    put(ram, 0, Bytes(PAGE));
    dma.client.set_config<uint32_t>(0x54, ADDRESS);
    dma.client.set_config<uint16_t>(0x5c, 0x4021);
    dma.client.set_config<uint16_t>(0x52, 0x0081);
    // Enabled, and nobody to tell: it is kept.
    CHECK(dma.store(ADDRESS, message));
    CHECK(dma.client.set_irqs(0x24, MSI, 1, bell.get()) == 0);
    CHECK(fired(bell) == 1);
    CHECK(dma.store(ADDRESS, message));
    CHECK(dma.store(ADDRESS, message));
    CHECK(fired(bell) == 2);
    CHECK(dma.store(ADDRESS, {0x22, 0x40, 0, 0})); // another vector
    CHECK(dma.store(ADDRESS, {0, 0, 0x40, 0x21})); // the card's byte order
    CHECK(fired(bell) == 0);
    CHECK(contents(ram, 0, PAGE) == Bytes(PAGE));
    // A new eventfd takes the old one's place.
    const File other = eventfd();
    CHECK(dma.client.set_irqs(0x24, MSI, 1, other.get()) == 0);
    CHECK(fired(other) == 0);
    CHECK(dma.store(ADDRESS, message));
    CHECK(fired(bell) == 0);
    CHECK(fired(other) == 1);
    // Switched off with one pending: forgotten.
    CHECK(dma.client.set_irqs(0x21, MSI, 0) == 0);
    CHECK(dma.store(ADDRESS, message));
    dma.client.set_config<uint16_t>(0x52, 0x0080);
    dma.client.set_config<uint16_t>(0x52, 0x0081);
    CHECK(dma.client.set_irqs(0x24, MSI, 1, other.get()) == 0);
    CHECK(fired(other) == 0);
}

TEST_CASE("PCI-X reads are cut as the command register says, and not beyond what the host can") {
    Dma dma;
    const File ram = memfd(4 * PAGE);
    CHECK(dma.client.map(0, 4 * PAGE, ram.get()) == 0);
    const auto& bus = dma.served.guest.bus();
    uint64_t clocks[4];
    for (uint32_t code = 0; code < 4; code++) {
        dma.client.set_config<uint16_t>(0x4a, static_cast<uint16_t>(code << 2));
        const uint64_t before = bus.busy_clocks();
        CHECK(dma.load(0, 4096));
        clocks[code] = bus.busy_clocks() - before;
    }
    // 4096 bytes are 512 clocks of data; opteron-8131 needs 151 to begin a read.
    CHECK(clocks[0] == 512 + 8 * 151);
    CHECK(clocks[1] == 512 + 4 * 151);
    CHECK(clocks[2] == 512 + 2 * 151);
    CHECK(clocks[3] == 512 + 1 * 151);
}

TEST_CASE("what cannot be mapped is refused and changes nothing") {
    ServedGuest served;
    Client client = served.connect();
    client.greet();
    const File ram = memfd(8 * PAGE), open = memfd(8 * PAGE, false), bell = eventfd();
    const File disk(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC)), folder(::open("/proc", O_RDONLY | O_CLOEXEC));
    CHECK(client.map(0, 4 * PAGE, ram.get()) == 0);
    CHECK(client.map(PAGE, PAGE, ram.get()) == EEXIST);
    CHECK(client.map(3 * PAGE, 2 * PAGE, ram.get()) == EEXIST);
    CHECK(client.map(0, PAGE) == EEXIST);
    CHECK(client.map(0x100000, 0, ram.get()) == EINVAL);
    CHECK(client.map(0x100000, 100, ram.get()) == EINVAL);
    CHECK(client.map(0x100001, PAGE, ram.get()) == EINVAL);
    CHECK(client.map(0x100000, PAGE, ram.get(), 7) == EINVAL);
    CHECK(client.map(0x100000, 9 * PAGE, ram.get()) == EINVAL);          // longer than the file
    CHECK(client.map(0x100000, PAGE, ram.get(), 8 * PAGE) == EINVAL);
    CHECK(client.map(0x100000, PAGE, ram.get(), ~(PAGE - 1)) == EINVAL); // overflows
    CHECK(client.map(~(PAGE - 1), 2 * PAGE, ram.get()) == EINVAL);
    CHECK(client.map(0x100000, PAGE, open.get()) == EINVAL);             // could be shortened under us
    CHECK(client.map(0x100000, PAGE, bell.get()) == EINVAL);
    CHECK(client.map(0x100000, PAGE, disk.get()) == EINVAL);
    CHECK(client.map(0x100000, PAGE, folder.get()) == EINVAL);
    CHECK(served.guest.memory().ranges() == 1);
    CHECK(client.map(~(PAGE - 1), PAGE) == 0); // the last page there is
    CHECK(client.map(~(2 * PAGE - 1), 2 * PAGE) == EEXIST);
    CHECK(client.unmap(~(PAGE - 1), PAGE) == 0);
    CHECK(client.unmap(0, PAGE) == ENOENT);
    CHECK(client.unmap(PAGE, PAGE) == ENOENT);
    CHECK(client.unmap(0x200000, PAGE) == ENOENT);
    CHECK(client.unmap(0, 4 * PAGE) == 0);
    CHECK(client.unmap(0, 4 * PAGE) == ENOENT);
    // All at once.
    CHECK(client.map(0, PAGE, ram.get()) == 0);
    CHECK(client.map(0x10000, PAGE) == 0);
    CHECK(client.error_of(DMA_UNMAP, pack(24u, 2u, uint64_t{0}, uint64_t{PAGE})) == EINVAL);
    CHECK(client.error_of(DMA_UNMAP, pack(24u, 1u, uint64_t{0}, uint64_t{PAGE})) == EINVAL);
    CHECK(client.error_of(DMA_UNMAP, pack(24u, 2u, uint64_t{0}, uint64_t{0})) == 0);
    CHECK(served.guest.memory().ranges() == 0);
    CHECK(served.guest.memory().files() == 0);
}

TEST_CASE("storms of maps and unmaps keep exactly what a list of ranges would, and no descriptor") {
    Dma dma;
    std::mt19937 random(11);
    const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
    std::vector<File> files;
    for (int n = 0; n < 3; n++)
        files.push_back(memfd(64 * PAGE));
    for (uint32_t page = 0; page < 64; page++)
        for (uint8_t n = 0; n < 3; n++)
            put(files[n], page * PAGE, {n, static_cast<uint8_t>(page)});
    struct Range {
        uint64_t pages;
        uint32_t file, from, rights;
    };
    std::map<uint64_t, Range> model; // by first page on the bus
    const size_t before = open_descriptors();
    unsigned reached = 0;
    for (int step = 0; step < 4000; step++) {
        const uint64_t page = below(48);
        const uint64_t pages = 1 + below(8);
        if (below(2)) {
            const Range range{pages, below(3), below(56), below(4)};
            bool overlap = false;
            for (const auto& [first, r] : model)
                overlap |= page < first + r.pages && first < page + pages;
            CHECK(dma.client.map(page * PAGE, pages * PAGE, files[range.file].get(), range.from * PAGE, range.rights) ==
                  (overlap ? EEXIST : 0u));
            if (!overlap)
                model[page] = range;
        } else if (!model.empty()) {
            auto found = model.begin();
            std::advance(found, below(static_cast<uint32_t>(model.size())));
            const bool exact = below(4);
            CHECK(dma.client.unmap(found->first * PAGE, (found->second.pages + !exact) * PAGE) == (exact ? 0u : ENOENT));
            if (exact)
                model.erase(found);
        }
        if (step % 16)
            continue;
        const uint64_t at = below(56);
        bool readable = false;
        Bytes expected;
        for (const auto& [first, r] : model)
            if (at >= first && at < first + r.pages) {
                readable = r.rights & 1;
                expected = {static_cast<uint8_t>(r.file), static_cast<uint8_t>(r.from + at - first)};
            }
        CHECK(dma.load(at * PAGE, 2) == readable);
        if (readable)
            CHECK(dma.loaded(2) == expected);
        reached += readable;
    }
    CHECK(reached > 20);
    CHECK(dma.served.guest.memory().ranges() == model.size());
    CHECK(dma.served.guest.memory().files() <= 3);
    CHECK(open_descriptors() == before);
}
