// SPDX-License-Identifier: BSD-3-Clause
#include "tools/options.h"

#include <charconv>

#include "tools/failure.h"

namespace myri::tools {
namespace {

std::optional<uint64_t> parse_digits(std::string_view digits, int base) {
    uint64_t value = 0;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (digits.empty() || error != std::errc() || end != digits.data() + digits.size())
        return std::nullopt;
    return value;
}

template <typename Number>
CLI::Option* add_checked_number(CLI::App& app, const std::string& names, Number& value, const std::string& help,
                                uint64_t low, uint64_t high) {
    CLI::callback_t convert = [&value, names, low, high](const CLI::results_t& words) {
        auto number = parse_number(words.back());
        if (!number || *number < low || *number > high)
            throw CLI::ValidationError(names, fmt::format("'{}' is not a number from {} to {}", words.back(), low, high));
        value = static_cast<Number>(*number);
        return true;
    };
    return app.add_option(names, convert, help)->type_name("N");
}

} // namespace

std::optional<uint64_t> parse_number(const std::string& text) {
    if (text.starts_with("0x") || text.starts_with("0X"))
        return parse_digits(std::string_view(text).substr(2), 16);
    return parse_digits(text, 10);
}

std::optional<uint64_t> parse_nic_id(const std::string& text) {
    if (text.find(':') == std::string::npos)
        return parse_number(text);
    if (text.size() != 17)
        return std::nullopt;
    uint64_t id = 0;
    for (size_t i = 0; i < 17; i += 3) {
        auto byte = parse_digits(std::string_view(text).substr(i, 2), 16);
        if (!byte || (i < 15 && text[i + 2] != ':'))
            return std::nullopt;
        id = id << 8 | *byte;
    }
    return id;
}

CLI::Option* add_number(CLI::App& app, const std::string& names, uint32_t& value, const std::string& help, uint64_t low,
                        uint64_t high) {
    return add_checked_number(app, names, value, help, low, high);
}

CLI::Option* add_number(CLI::App& app, const std::string& names, uint64_t& value, const std::string& help, uint64_t low,
                        uint64_t high) {
    return add_checked_number(app, names, value, help, low, high);
}

void add_output_options(CLI::App& app, OutputOptions& options, bool with_csv) {
    app.add_flag("-v,--verbose", options.verbose, "Remarks on stderr");
    auto* json = app.add_flag("--json", options.json, "Print one JSON document instead of text");
    if (with_csv)
        app.add_flag("--csv", options.csv, "Print comma separated values instead of text")->excludes(json);
}

void add_board_option(CLI::App& app, uint32_t& board) {
    add_number(app, "-b,--board", board, fmt::format("Board number [{}]", board), 0, 3);
}

void add_peer_options(CLI::App& app, PeerOptions& options) {
    auto* nic = app.add_option("-n,--nic", options.nic_id, "Local card by its id (number or MAC address)");
    nic->type_name("ID")->check([](const std::string& text) {
        return parse_nic_id(text) ? "" : fmt::format("'{}' is neither a number nor a MAC address", text);
    });
    add_number(app, "-b,--board", options.board, "Local board number [any]", 0, 3)->excludes(nic);
    add_number(app, "-e,--endpoint", options.endpoint, "Local endpoint [1]", 0, 31);
    auto* destination = app.add_option("-d,--destination", options.destination, "Host (host or host:board) to send to; "
                                                                                 "without it: receive");
    destination->type_name("HOST");
    add_number(app, "-r,--remote-endpoint", options.remote_endpoint, "Endpoint at the destination [1]", 0, 31);
    add_number(app, "-f,--filter", options.filter, "Key that both ends must give [74565]", 0, 0xffffffff);
    app.add_flag("-w,--wait", options.block, "Block instead of polling");
}

void add_testing_options(CLI::App& app, TestingOptions& options) {
    app.add_flag("--damage-one-byte", options.damage_one_byte,
                 "Damage one received byte before it is verified, to see that verification fails")
        ->group("For testing");
}

std::optional<int> parse_options(CLI::App& app, int argc, const char* const* argv) {
    app.set_version_flag("--version", fmt::format("{} (libmyri) {}", app.get_name(), VERSION));
    app.set_help_flag("-h,--help", "Print this help and exit");
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        fmt::print("{}", app.help());
        return EXIT_OK;
    } catch (const CLI::CallForVersion&) {
        fmt::print("{}\n", app.version());
        return EXIT_OK;
    } catch (const CLI::ParseError& error) {
        fmt::print(stderr, "{}: {}; see {} --help\n", app.get_name(), error.what(), app.get_name());
        return EXIT_USAGE;
    }
    return std::nullopt;
}

} // namespace myri::tools
