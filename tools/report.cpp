// SPDX-License-Identifier: BSD-3-Clause
#include "tools/report.h"

#include <cerrno>
#include <cstring>

#include "tools/failure.h"

namespace myri::tools {
namespace {

std::string csv_field(const Record& value) {
    if (!value.is_string())
        return value.dump();
    std::string text = value.get<std::string>();
    if (text.find_first_of(",\"\n") == std::string::npos)
        return text;
    std::string quoted = "\"";
    for (char c : text)
        quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + "\"";
}

} // namespace

Report::Report(std::string tool, Format format, bool verbose, std::FILE* out, std::FILE* remarks)
    : tool_(std::move(tool)), format_(format), verbose_(verbose), out_(out), remarks_(remarks) {
    document_["tool"] = tool_;
}

void Report::put(std::string_view line) {
    // A full disk or a closed pipe must not look like a complete result.
    if (std::fwrite(line.data(), 1, line.size(), out_) != line.size() || std::fputc('\n', out_) == EOF ||
        std::fflush(out_) != 0)
        throw Failure(fmt::format("cannot write the output: {}", std::strerror(errno)));
}

void Report::put_remark(std::string_view line) {
    fmt::print(remarks_, "{}: {}\n", tool_, line);
    std::fflush(remarks_);
}

void Report::record(Record record) {
    if (format_ == Format::JSON)
        results_.push_back(std::move(record));
    if (format_ != Format::CSV)
        return;
    std::string names, values;
    for (const auto& [name, value] : record.items()) {
        names += (names.empty() ? "" : ",") + name;
        values += (values.empty() ? "" : ",") + csv_field(value);
    }
    if (!header_done_)
        put(names);
    header_done_ = true;
    put(values);
}

void Report::finish(bool complete) {
    if (format_ != Format::JSON)
        return;
    document_["complete"] = complete;
    document_["results"] = std::move(results_);
    put(document_.dump(2));
}

} // namespace myri::tools
