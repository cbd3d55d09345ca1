// SPDX-License-Identifier: BSD-3-Clause
//
// Profiles as data files: cards and hosts, one JSON file each.
//
// A file is an object of fields {"value": ..., "source": "where the value comes from"}, and one "comment".
// Every field that the program knows must be there, every field that it does not know is an error, and so is
// a value without a source. The folder is $MYRI_DATA, else ../share/myri beside the running program. All
// errors are std::runtime_error with a text that names file, field, value and what is allowed.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace myri::emulator {

std::string data_folder();
// Names, without folder and ".json", of the files of one kind ("cards", "hosts"), sorted.
std::vector<std::string> data_names(const std::string& kind);

class DataFile {
public:
    // Reads KIND/NAME.json.
    DataFile(const std::string& kind, const std::string& name);

    double number(const std::string& field, double low, double high);
    uint64_t integer(const std::string& field, uint64_t low, uint64_t high);
    // 1 to `longest` printable characters.
    std::string text(const std::string& field, size_t longest);
    // Call last: an error if the file has a field that nobody asked for.
    void finish() const;

private:
    [[noreturn]] void fail(const std::string& field, const std::string& problem) const;
    const nlohmann::json& value(const std::string& field);

    std::string path_;
    nlohmann::json json_;
    std::set<std::string> known_;
};

} // namespace myri::emulator
