// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/vfio_user/interrupt_lines.h"

#include <fcntl.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace myri::emulator::vfio {
namespace {

// A full counter must not make us wait.
FileDescriptor not_waiting(FileDescriptor eventfd) {
    fcntl(eventfd.get(), F_SETFL, O_NONBLOCK);
    return eventfd;
}

} // namespace

bool InterruptLines::is_eventfd(const FileDescriptor& descriptor) {
    constexpr std::string_view EVENTFD = "anon_inode:[eventfd]";
    std::array<char, 64> name;
    const ssize_t length =
        readlink(("/proc/self/fd/" + std::to_string(descriptor.get())).c_str(), name.data(), name.size());
    return length >= 0 && std::string_view(name.data(), static_cast<size_t>(length)) == EVENTFD;
}

void InterruptLines::signal(const FileDescriptor& eventfd) {
    const uint64_t one = 1;
    // It fails only if the counter is full, and then the client has been told often enough.
    if (eventfd)
        (void)!write(eventfd.get(), &one, sizeof one);
}

void InterruptLines::fire_intx() {
    if (!level_ || masked_ || !intx_allowed_ || !intx_)
        return;
    masked_ = true;
    signal(intx_);
}

void InterruptLines::set_level(bool high) {
    level_ = high;
    fire_intx();
}

void InterruptLines::message() {
    if (!msi_allowed_)
        return;
    pending_ = !msi_;
    signal(msi_);
}

void InterruptLines::allow(bool intx, bool msi) {
    intx_allowed_ = intx;
    msi_allowed_ = msi;
    pending_ = pending_ && msi;
    fire_intx();
}

void InterruptLines::attach_intx(FileDescriptor eventfd) {
    intx_ = not_waiting(std::move(eventfd));
    masked_ = false;
    fire_intx();
}

void InterruptLines::attach_msi(FileDescriptor eventfd) {
    msi_ = not_waiting(std::move(eventfd));
    if (std::exchange(pending_, false))
        signal(msi_);
}

void InterruptLines::unmask_intx() {
    masked_ = false;
    fire_intx();
}

void InterruptLines::trigger_intx() {
    if (!masked_ && intx_) {
        masked_ = true;
        signal(intx_);
    }
}

void InterruptLines::reset() { masked_ = pending_ = false; }

void InterruptLines::drop() {
    intx_.reset();
    msi_.reset();
    reset();
}

} // namespace myri::emulator::vfio
