// SPDX-License-Identifier: BSD-3-Clause
// A card or host profile, whatever stands in the file: read, or refused by std::runtime_error.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "emulator/host/host_profile.h"
#include "emulator/nic/card_profile.h"

namespace {

namespace fs = std::filesystem;

// A data folder whose files are one file in memory.
int memory_file() {
    const int file = memfd_create("profile", MFD_CLOEXEC);
    const char* folder = std::getenv("MYRI_DATA");
    if (file < 0 || !folder)
        std::abort();
    for (const char* kind : {"cards", "hosts"}) {
        const fs::path link = fs::path(folder) / kind / "any.json";
        fs::create_directories(link.parent_path());
        fs::remove(link);
        fs::create_symlink("/proc/self/fd/" + std::to_string(file), link);
    }
    return file;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    static const int file = memory_file();
    if (ftruncate(file, 0) != 0 || pwrite(file, bytes, size, 0) != static_cast<ssize_t>(size))
        std::abort();
    try {
        myri::emulator::load_card_profile("any");
    } catch (const std::runtime_error&) {
    }
    try {
        myri::emulator::load_host_profile("any");
    } catch (const std::runtime_error&) {
    }
    return 0;
}
