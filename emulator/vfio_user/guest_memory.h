// SPDX-License-Identifier: BSD-3-Clause
//
// A guest's physical memory as the client has mapped it: ranges of bus addresses that stand for parts of files, or for
// nothing that we can reach (ROM, other devices, our own card).
//
// A file is mapped once, however many ranges refer to it, and only if nobody can shorten it (sealed memfds): what the
// card then touches cannot fail. Ranges change often while a guest starts; nothing keeps a pointer into one.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>

#include "emulator/driver/file_descriptor.h"

namespace myri::emulator::vfio {

class GuestMemory {
public:
    struct Range {
        uint64_t address, size;
        uint64_t offset; // in the file
        bool readable, writable;
    };
    // `file` may be none. 0, or a positive errno, and nothing changes: EINVAL range not of whole pages, beyond the
    // file, or a file that is not a sealed memfd; EEXIST overlap; ENOSPC too many ranges or files; or what mmap says.
    int map(const Range& range, const FileDescriptor& file);
    // Exactly one range that was mapped, else ENOENT.
    int unmap(uint64_t address, uint64_t size);
    void clear();
    size_t ranges() const { return ranges_.size(); }
    size_t files() const;

    // A span does not cross a page. False: nothing there, or not with this right.
    bool readable(uint64_t address) const;
    bool writable(uint64_t address) const;
    bool read(uint64_t address, std::span<uint8_t> out) const;
    // The bytes become visible in ascending order, so that what was written last tells that all is there.
    bool write(uint64_t address, std::span<const uint8_t> in);

private:
    class File;
    using Identity = std::pair<dev_t, ino_t>;
    struct Entry {
        uint64_t size, offset;
        bool readable, writable;
        std::shared_ptr<File> file; // null: known, but not reachable
    };
    int open_file(const FileDescriptor& file, uint64_t needed, std::shared_ptr<File>& out);
    const Entry* find(uint64_t address, uint64_t bytes, uint64_t& offset) const;

    std::map<uint64_t, Entry> ranges_; // by address
    std::map<Identity, std::weak_ptr<File>> files_;
};

} // namespace myri::emulator::vfio
