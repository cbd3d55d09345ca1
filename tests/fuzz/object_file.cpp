// SPDX-License-Identifier: BSD-3-Clause
// lanai-ld with an object file that anybody may have made: linked, or refused by std::runtime_error.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

#include "firmware/linker/link.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    static const int file = memfd_create("object", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, 0) != 0 || pwrite(file, bytes, size, 0) != static_cast<ssize_t>(size))
        std::abort();
    myri::linker::LinkOptions options;
    options.objects = {"/proc/self/fd/" + std::to_string(file)};
    options.limit = 0x10000;
    try {
        if (myri::linker::link(options).image.size() > options.limit)
            std::abort();
    } catch (const std::runtime_error&) {
    }
    return 0;
}
