// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/driver/bounce_area.h"

#include <cerrno>
#include <cstring>

namespace myri::emulator {
namespace {

class BounceRange : public BusRange {
public:
    BounceRange(std::shared_ptr<BounceArea> area, uint64_t page, bool writable)
        : area_(std::move(area)), bytes_(area_->bytes().subspan(page)), writable_(writable) {}
    bool read(Time, uint64_t offset, std::span<uint8_t> out) override {
        if (!holds(offset, out.size()))
            return false;
        if (!out.empty())
            std::memcpy(out.data(), &bytes_[offset], out.size());
        return true;
    }
    bool write(Time, uint64_t offset, std::span<const uint8_t> in) override {
        if (!writable_ || !holds(offset, in.size()))
            return false;
        if (!in.empty())
            std::memcpy(&bytes_[offset], in.data(), in.size());
        return true;
    }
    bool message_data() const override { return true; }

private:
    bool holds(uint64_t offset, size_t length) const {
        return offset <= bytes_.size() && length <= bytes_.size() - offset;
    }
    std::shared_ptr<BounceArea> area_;
    std::span<uint8_t> bytes_;
    bool writable_;
};

} // namespace

int BounceArea::check(uint64_t address, uint64_t length, bool) const {
    const uint64_t size = bytes().size();
    return address <= size && length <= size - address ? 0 : -EFAULT;
}

std::shared_ptr<BusRange> BounceArea::pages(uint64_t page, bool writable) {
    return std::make_shared<BounceRange>(shared_from_this(), page, writable);
}

} // namespace myri::emulator
