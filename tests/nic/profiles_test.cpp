// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "emulator/data_files.h"
#include "emulator/host/host_profile.h"
#include "emulator/nic/card_profile.h"

using namespace myri::emulator;
namespace fs = std::filesystem;

namespace {

// A copy of the data folder, in use through MYRI_DATA as long as this lives.
class DataCopy {
public:
    DataCopy() {
        char name[] = "/tmp/myri-data-XXXXXX";
        REQUIRE(mkdtemp(name) != nullptr);
        folder_ = name;
        fs::copy(data_folder(), folder_, fs::copy_options::recursive);
        setenv("MYRI_DATA", folder_.c_str(), 1);
    }
    ~DataCopy() {
        unsetenv("MYRI_DATA");
        fs::remove_all(folder_);
    }
    void replace(const std::string& file, const std::string& from, const std::string& to) {
        std::ifstream in(folder_ / file);
        std::stringstream text;
        text << in.rdbuf();
        std::string all = text.str();
        const size_t at = all.find(from);
        REQUIRE(at != std::string::npos);
        std::ofstream(folder_ / file) << all.replace(at, from.size(), to);
    }

private:
    fs::path folder_;
};

std::string error_of(const std::string& host) {
    try {
        load_host_profile(host);
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return "no error";
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("the three cards have their published identity") {
    const CardProfile d = load_card_profile("M3F-PCIXD-2"), e = load_card_profile("M3F2-PCIXE-2"),
                      f = load_card_profile("M3F-PCIXF-2");
    CHECK((d.pci_revision == 4 && d.ports == 1 && d.lanai_khz == 225'000 && d.part_number == "09-03034"));
    CHECK((e.pci_revision == 5 && e.ports == 2 && e.lanai_khz == 333'000 && e.part_number == "09-02878"));
    CHECK((f.pci_revision == 6 && f.ports == 1 && f.lanai_khz == 333'000));
    for (const CardProfile& p : {d, e, f})
        CHECK((p.sram_bytes == 2u << 20 && p.product_code == p.name));
}

TEST_CASE("the default host's costs add up to the published latency budget") {
    // 3.2 us at 225 MHz and 2.6 us at 333 MHz: T = F + C/f gives F = 1.35 us; 0.5 us of it are link and
    // switch.
    const HostProfile p = load_host_profile("opteron-8131");
    const double clock = 1000 / p.bus_mhz;
    const double first_burst = (p.posted_overhead_clocks + 56 / 8) * clock;
    const double last_burst = (p.posted_overhead_clocks + 8 / 8) * clock;
    const double event = (p.write_overhead_clocks + 64 / 8) * clock;
    REQUIRE(first_burst >
            static_cast<double>(p.store_ns)); // the second store waits for the bus, not for the CPU
    const double send =
        static_cast<double>(p.call_send_ns + p.store_ns + p.posted_latency_ns) + first_burst + last_burst;
    const double receive = event + static_cast<double>(p.dma_visible_ns + p.call_receive_ns) +
                           static_cast<double>(p.poll_ns) / 2;
    const double budget = (3.2 - (3.2 - 2.6) / (1 / 225.0 - 1 / 333.0) / 225 - 0.5) * 1000;
    CHECK(send + receive == doctest::Approx(budget).epsilon(0.012)); // 10 ns
    CHECK(p.call_send_ns + 2 * p.store_ns + p.call_receive_ns + p.poll_ns / 2 >= 500);
}

TEST_CASE("a missing profile's error lists those that exist") {
    const std::string error = error_of("pentium");
    CHECK(has(error, "hosts/pentium.json"));
    CHECK(has(error, "g5, hs20, itanium-i870, melody-8131, opteron-8131, xeon-gc"));
    CHECK(has(error_of("../cards/M3F-PCIXD-2"), "cannot be read"));
}

TEST_CASE("an error in a profile names file, field, value and what is allowed") {
    struct Row {
        const char *from, *to, *field, *problem;
    };
    for (const Row& row :
         {Row{"\"value\": 151", "\"value\": 10001", "read_overhead_clocks",
              "10001: must be a whole number from 0 to 10000"},
          {"\"value\": 151", "\"value\": -1", "read_overhead_clocks", "-1: must be a whole number"},
          {"\"value\": 151", "\"value\": \"151\"", "read_overhead_clocks", "\"151\": must be a whole number"},
          {"\"value\": 133.333", "\"value\": 3", "bus_mhz", "3: must be a number from 33.0 to 266.0"},
          {"\"poll_ns\"", "\"pole_ns\"", "poll_ns", "missing"},
          {"\"comment\"", "\"remark\"", "remark", "unknown; known are "},
          {", \"source\": \"PCI-X 133.3 MHz slot of this host\"", "", "bus_mhz", "must be {\"value\""},
          {"\"PCI-X 133.3 MHz slot of this host\"", "\"\"", "bus_mhz", "\"source\" must tell"}}) {
        CAPTURE(row.to);
        DataCopy data;
        data.replace("hosts/opteron-8131.json", row.from, row.to);
        const std::string error = error_of("opteron-8131");
        CAPTURE(error);
        CHECK(has(error, "hosts/opteron-8131.json: field \"" + std::string(row.field) + "\": "));
        CHECK(has(error, row.problem));
    }
    DataCopy data;
    data.replace("hosts/g5.json", "{", "");
    CHECK(has(error_of("g5"), "g5.json: not JSON"));
}
