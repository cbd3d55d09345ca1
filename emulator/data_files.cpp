// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/data_files.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace myri::emulator {
namespace {

namespace fs = std::filesystem;

std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names)
        text += (text.empty() ? "" : ", ") + name;
    return text.empty() ? "none" : text;
}

std::string shown(double number) {
    return nlohmann::json(number).dump();
}

} // namespace

std::string data_folder() {
    if (const char* folder = std::getenv("MYRI_DATA"))
        return folder;
    return (fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "share" / "myri").string();
}

std::vector<std::string> data_names(const std::string& kind) {
    std::vector<std::string> names;
    std::error_code none; // a missing folder has no names
    for (const auto& entry : fs::directory_iterator(fs::path(data_folder()) / kind, none))
        if (entry.path().extension() == ".json")
            names.push_back(entry.path().stem().string());
    std::sort(names.begin(), names.end());
    return names;
}

DataFile::DataFile(const std::string& kind, const std::string& name) {
    path_ = (fs::path(data_folder()) / kind / (name + ".json")).string();
    std::ifstream file;
    if (name.find('/') == std::string::npos)
        file.open(path_);
    if (!file.is_open())
        throw std::runtime_error(path_ + ": cannot be read; " + kind + " in that folder: " +
                                 joined(data_names(kind)) + " (MYRI_DATA names another folder)");
    try {
        json_ = nlohmann::json::parse(file);
    } catch (const nlohmann::json::exception& error) {
        throw std::runtime_error(path_ + ": not JSON: " + error.what());
    }
    if (!json_.is_object())
        throw std::runtime_error(path_ + ": must be a JSON object of fields");
    known_.insert("comment");
}

void DataFile::fail(const std::string& field, const std::string& problem) const {
    throw std::runtime_error(path_ + ": field \"" + field + "\": " + problem);
}

const nlohmann::json& DataFile::value(const std::string& field) {
    known_.insert(field);
    const auto found = json_.find(field);
    if (found == json_.end())
        fail(field, "missing");
    const nlohmann::json& entry = *found;
    if (!entry.is_object() || entry.size() != 2 || !entry.contains("value") || !entry.contains("source"))
        fail(field, entry.dump() + ": must be {\"value\": ..., \"source\": \"...\"}");
    if (!entry["source"].is_string() || entry["source"].get<std::string>().empty())
        fail(field, "\"source\" must tell where the value comes from");
    return entry["value"];
}

double DataFile::number(const std::string& field, double low, double high) {
    const nlohmann::json& entry = value(field);
    if (!entry.is_number() || entry.get<double>() < low || entry.get<double>() > high)
        fail(field, entry.dump() + ": must be a number from " + shown(low) + " to " + shown(high));
    return entry.get<double>();
}

uint64_t DataFile::integer(const std::string& field, uint64_t low, uint64_t high) {
    const nlohmann::json& entry = value(field);
    if (!entry.is_number_unsigned() || entry.get<uint64_t>() < low || entry.get<uint64_t>() > high)
        fail(field, entry.dump() + ": must be a whole number from " + std::to_string(low) + " to " +
                        std::to_string(high));
    return entry.get<uint64_t>();
}

std::string DataFile::text(const std::string& field, size_t longest) {
    const nlohmann::json& entry = value(field);
    const std::string text = entry.is_string() ? entry.get<std::string>() : "";
    const bool printable = std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
    if (text.empty() || text.size() > longest || !printable)
        fail(field, entry.dump() + ": must be 1 to " + std::to_string(longest) + " printable characters");
    return text;
}

void DataFile::finish() const {
    for (const auto& [field, entry] : json_.items())
        if (!known_.contains(field))
            fail(field, "unknown; known are " + joined({known_.begin(), known_.end()}));
}

} // namespace myri::emulator
