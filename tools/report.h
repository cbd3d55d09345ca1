// SPDX-License-Identifier: BSD-3-Clause
//
// What a tool prints: one place for text, CSV and JSON.
//
// The classic text goes to stdout line by line, each flushed, and is what scripts parse. With --csv or --json no
// text is printed; the same results are given as records instead. Remarks go to stderr with --verbose.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace myri::tools {

enum class Format { TEXT, CSV, JSON };
using Record = nlohmann::ordered_json;

class Report {
public:
    // `out` and `remarks` are stdout and stderr but in tests.
    Report(std::string tool, Format format, bool verbose, std::FILE* out = stdout, std::FILE* remarks = stderr);

    // One line of classic text.
    template <typename... Values> void line(fmt::format_string<Values...> text, Values&&... values) {
        if (format_ == Format::TEXT)
            put(fmt::format(text, std::forward<Values>(values)...));
    }
    // One line on stderr, with --verbose only.
    template <typename... Values> void remark(fmt::format_string<Values...> text, Values&&... values) {
        if (verbose_)
            put_remark(fmt::format(text, std::forward<Values>(values)...));
    }
    // JSON only: a member of the whole document.
    void property(const std::string& name, Record value) { document_[name] = std::move(value); }
    // An object of results: a line of CSV (the first one also makes the header), an element of "results" in JSON.
    void record(Record record);
    // Prints the JSON document; `complete` tells whether all that was asked for is there.
    void finish(bool complete);

    Format format() const { return format_; }
    bool verbose() const { return verbose_; }

private:
    void put(std::string_view line);
    void put_remark(std::string_view line);

    std::string tool_;
    Format format_;
    bool verbose_;
    std::FILE* out_;
    std::FILE* remarks_;
    bool header_done_ = false;
    Record document_;
    Record results_ = Record::array();
};

} // namespace myri::tools
