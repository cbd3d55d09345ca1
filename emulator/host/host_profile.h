// SPDX-License-Identifier: BSD-3-Clause
//
// A host profile: chipset, bus clock and CPU costs of one kind of machine, read from emulator/data/hosts/.
// Every field is a named parameter with its source in the data file; none may be set to fit one benchmark.
#pragma once

#include <cstdint>
#include <string>

namespace myri::emulator {

struct HostProfile {
    std::string name;
    // Bus
    double bus_mhz = 0;              // PCI-X clock
    uint32_t bus_bytes = 8;          // width
    uint32_t read_overhead_clocks = 0;  // per burst, host to card
    uint32_t write_overhead_clocks = 0; // per burst, card to host
    uint32_t read_limit = 4096;      // maximum memory read byte count
    uint32_t posted_overhead_clocks = 0; // per programmed store burst
    uint64_t posted_latency_ns = 0;  // CPU store leaves write buffer -> in the card, beside the bus clocks
    uint64_t dma_visible_ns = 0;     // last bus clock of a DMA write -> a polling CPU can see it
    // CPU
    uint64_t call_send_ns = 0;       // library work to post a send, beside copies, checksum and stores
    uint64_t call_receive_ns = 0;    // library work to complete a receive
    uint64_t poll_ns = 0;            // one empty poll
    uint64_t store_ns = 0;           // CPU time per write-combined store burst (64 bytes or less), with barrier
    double memcpy_gb_s = 0;          // 10^9 bytes per second
    double crc32c_gb_s = 0;

    uint64_t clock_ps() const { return static_cast<uint64_t>(1e6 / bus_mhz + 0.5); }
};

// Reads NAME.json from the data folder. Throws std::runtime_error naming the file, field, value and range.
HostProfile load_host_profile(const std::string& name);

} // namespace myri::emulator
