// SPDX-License-Identifier: BSD-3-Clause
//
// The command line, the same way in every tool.
//
// Options keep MX's letters and defaults. Any error in them is one line on stderr and exit 2; --help and --version
// print to stdout and exit 0. What several tools share is added by the functions below, so that it cannot differ.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "tools/report.h"

namespace myri::tools {

inline constexpr const char* VERSION = "0.1.0";

struct OutputOptions {
    bool json = false;
    bool csv = false;
    bool verbose = false;
    Format format() const { return json ? Format::JSON : csv ? Format::CSV : Format::TEXT; }
};

// The two ends of a benchmark.
struct PeerOptions {
    std::string nic_id{};            // -n: the local card by its id; empty: by board
    uint32_t board = 0xffffffff;     // -b; MX_ANY_NIC
    uint32_t endpoint = 1;           // -e
    std::string destination{};       // -d: makes this the sender
    uint32_t remote_endpoint = 1;    // -r
    uint32_t filter = 0x12345;       // -f
    bool block = false;              // -w
};

struct TestingOptions {
    bool damage_one_byte = false;
};

void add_output_options(CLI::App& app, OutputOptions& options, bool with_csv);
void add_board_option(CLI::App& app, uint32_t& board);
void add_peer_options(CLI::App& app, PeerOptions& options);
void add_testing_options(CLI::App& app, TestingOptions& options);
// A number in decimal or 0x hexadecimal from `low` to `high`; anything else is an error naming value and range.
CLI::Option* add_number(CLI::App& app, const std::string& names, uint32_t& value, const std::string& help, uint64_t low,
                        uint64_t high);
CLI::Option* add_number(CLI::App& app, const std::string& names, uint64_t& value, const std::string& help, uint64_t low,
                        uint64_t high);
// Text of a whole number in decimal or 0x hexadecimal; nothing if it is not one or does not fit.
std::optional<uint64_t> parse_number(const std::string& text);
// A card's id: a number, or a MAC address like 00:60:dd:00:00:01.
std::optional<uint64_t> parse_nic_id(const std::string& text);

// The exit code if the program is to end now (help, version, error), else nothing.
std::optional<int> parse_options(CLI::App& app, int argc, const char* const* argv);

} // namespace myri::tools
