// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/host/host_profile.h"

#include "emulator/data_files.h"

namespace myri::emulator {

HostProfile load_host_profile(const std::string& name) {
    DataFile file("hosts", name);
    const auto whole = [&](const char* field, uint64_t low, uint64_t high) {
        return static_cast<uint32_t>(file.integer(field, low, high));
    };
    HostProfile p;
    p.name = name;
    p.bus_mhz = file.number("bus_mhz", 33, 266);
    p.bus_bytes = whole("bus_bytes", 4, 8);
    p.read_overhead_clocks = whole("read_overhead_clocks", 0, 10'000);
    p.write_overhead_clocks = whole("write_overhead_clocks", 0, 10'000);
    p.read_limit = whole("read_limit", 512, 4096);
    p.posted_overhead_clocks = whole("posted_overhead_clocks", 0, 1000);
    p.posted_latency_ns = file.integer("posted_latency_ns", 0, 100'000);
    p.dma_visible_ns = file.integer("dma_visible_ns", 0, 100'000);
    p.call_send_ns = file.integer("call_send_ns", 0, 100'000);
    p.call_receive_ns = file.integer("call_receive_ns", 0, 100'000);
    p.poll_ns = file.integer("poll_ns", 1, 100'000); // 0 would let a poll loop stop time
    p.store_ns = file.integer("store_ns", 0, 100'000);
    p.memcpy_gb_s = file.number("memcpy_gb_s", 0.01, 1000);
    p.crc32c_gb_s = file.number("crc32c_gb_s", 0.01, 1000);
    file.finish();
    return p;
}

} // namespace myri::emulator
