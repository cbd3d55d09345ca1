// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/vfio_user/guest_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "emulator/host/store_in_order.h"
#include "emulator/vfio_user/protocol.h"

namespace myri::emulator::vfio {
namespace {

constexpr size_t RANGES_MAX = 65535; // the client's default if we name no limit
constexpr size_t FILES_MAX = 64;     // far more memory back ends than a guest has

} // namespace

// A mapped file.
class GuestMemory::File {
public:
    explicit File(std::span<uint8_t> bytes) : bytes_(bytes) {}
    ~File() { munmap(bytes_.data(), bytes_.size()); }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    std::span<uint8_t> bytes() const { return bytes_; }

private:
    std::span<uint8_t> bytes_;
};

int GuestMemory::open_file(const FileDescriptor& file, uint64_t needed, std::shared_ptr<File>& out) {
    struct stat there;
    if (fstat(file.get(), &there) != 0)
        return errno;
    const int seals = fcntl(file.get(), F_GET_SEALS);
    if (seals < 0 || !(seals & F_SEAL_SHRINK) || there.st_size <= 0 || static_cast<uint64_t>(there.st_size) < needed)
        return EINVAL;
    std::erase_if(files_, [](const auto& known) { return known.second.expired(); });
    const Identity identity{there.st_dev, there.st_ino};
    if (const auto known = files_.find(identity); known != files_.end()) {
        out = known->second.lock();
        if (out->bytes().size() >= needed)
            return 0;
    } else if (files_.size() == FILES_MAX) {
        return ENOSPC;
    }
    const auto bytes = static_cast<size_t>(there.st_size);
    void* base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file.get(), 0);
    if (base == MAP_FAILED)
        return errno;
    out = std::make_shared<File>(std::span(static_cast<uint8_t*>(base), bytes));
    files_[identity] = out;
    return 0;
}

int GuestMemory::map(const Range& range, const FileDescriptor& file) {
    const uint64_t end = range.address + range.size; // 0: up to the last address
    if (range.size == 0 || range.address % PAGE_SIZE || range.size % PAGE_SIZE || range.offset % PAGE_SIZE ||
        (end != 0 && end < range.address) || range.offset + range.size < range.offset)
        return EINVAL;
    const auto next = ranges_.lower_bound(range.address);
    if (next != ranges_.end() && (end == 0 || next->first < end))
        return EEXIST;
    if (next != ranges_.begin()) {
        const auto before = std::prev(next);
        if (range.address - before->first < before->second.size)
            return EEXIST;
    }
    if (ranges_.size() == RANGES_MAX)
        return ENOSPC;
    Entry entry{range.size, range.offset, range.readable, range.writable, nullptr};
    if (file)
        if (const int error = open_file(file, range.offset + range.size, entry.file))
            return error;
    ranges_.emplace(range.address, std::move(entry));
    return 0;
}

int GuestMemory::unmap(uint64_t address, uint64_t size) {
    const auto found = ranges_.find(address);
    if (found == ranges_.end() || found->second.size != size)
        return ENOENT;
    ranges_.erase(found);
    return 0;
}

void GuestMemory::clear() { ranges_.clear(); }

size_t GuestMemory::files() const {
    return static_cast<size_t>(std::ranges::count_if(files_, [](const auto& known) { return !known.second.expired(); }));
}

const GuestMemory::Entry* GuestMemory::find(uint64_t address, uint64_t bytes, uint64_t& offset) const {
    auto it = ranges_.upper_bound(address);
    if (it == ranges_.begin())
        return nullptr;
    --it;
    offset = address - it->first;
    const Entry& entry = it->second;
    if (!entry.file || offset >= entry.size || bytes > entry.size - offset)
        return nullptr;
    offset += entry.offset;
    return &entry;
}

bool GuestMemory::readable(uint64_t address) const {
    uint64_t offset = 0;
    const Entry* entry = find(address, 1, offset);
    return entry && entry->readable;
}

bool GuestMemory::writable(uint64_t address) const {
    uint64_t offset = 0;
    const Entry* entry = find(address, 1, offset);
    return entry && entry->writable;
}

bool GuestMemory::read(uint64_t address, std::span<uint8_t> out) const {
    uint64_t offset = 0;
    const Entry* entry = find(address, out.size(), offset);
    if (!entry || !entry->readable)
        return false;
    std::ranges::copy(entry->file->bytes().subspan(offset, out.size()), out.begin());
    return true;
}

bool GuestMemory::write(uint64_t address, std::span<const uint8_t> in) {
    uint64_t offset = 0;
    const Entry* entry = find(address, in.size(), offset);
    if (!entry || !entry->writable)
        return false;
    store_in_order(entry->file->bytes().data() + offset, in);
    return true;
}

} // namespace myri::emulator::vfio
