// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/driver/endpoint_memory.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "abi/firmware.h"
#include "emulator/host/store_in_order.h"

namespace myri::emulator {
namespace {

constexpr uint32_t PAGE = 4096;
constexpr uint32_t pages(uint32_t bytes) { return (bytes + PAGE - 1) / PAGE * PAGE; }

[[noreturn]] void fail(int error, uint64_t bytes) {
    throw std::system_error(error, std::generic_category(), "endpoint memory of " + std::to_string(bytes) + " bytes");
}

} // namespace

EndpointMemory::EndpointMemory(myri_endpoint_open& r) {
    const uint32_t event_bytes = r.event_entries * FW_EVENT_SIZE;
    r.event_offset = 0;
    r.receive_offset = pages(event_bytes);
    r.send_offset = r.receive_offset + pages(r.receive_bytes);
    r.page_offset = r.send_offset + pages(r.send_bytes);
    r.bounce_offset = r.bounce_bytes ? r.page_offset + PAGE : 0;
    r.ring_bytes = uint64_t{r.page_offset} + PAGE + pages(r.bounce_bytes);

    fd_ = FileDescriptor(memfd_create("myri-endpoint", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!fd_ || ftruncate(fd_.get(), static_cast<off_t>(r.ring_bytes)) != 0 ||
        fcntl(fd_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        fail(errno, r.ring_bytes);
    void* base = mmap(nullptr, r.ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_.get(), 0);
    if (base == MAP_FAILED)
        fail(errno, r.ring_bytes);
    all_ = {static_cast<uint8_t*>(base), r.ring_bytes};
    events_ = all_.subspan(r.event_offset, event_bytes);
    receive_ = all_.subspan(r.receive_offset, r.receive_bytes);
    send_ = all_.subspan(r.send_offset, r.send_bytes);
    bounce_ = all_.subspan(r.bounce_offset, r.bounce_bytes);
    page_ = reinterpret_cast<myri_host_page*>(&all_[r.page_offset]);
}

EndpointMemory::~EndpointMemory() { munmap(all_.data(), all_.size()); }

bool EndpointMemory::has_event(uint32_t count) const {
    const auto entries = static_cast<uint32_t>(events_.size() / FW_EVENT_SIZE);
    uint8_t* trailer = &events_[(count % entries) * FW_EVENT_SIZE + offsetof(fw_event, argument)];
    const uint64_t word = std::atomic_ref(*reinterpret_cast<uint64_t*>(trailer)).load(std::memory_order_acquire);
    be16 generation;
    std::memcpy(&generation, reinterpret_cast<const uint8_t*>(&word) + 6, sizeof generation);
    return be16_to_cpu(generation) == FW_GENERATION(count, entries);
}

void EndpointMemory::clear_events() { std::memset(events_.data(), 0, events_.size()); }

void EndpointMemory::count_restart() {
    std::atomic_ref(page_->restarts).fetch_add(1, std::memory_order_release);
}

void EndpointMemory::set_dead(uint32_t reason) {
    std::atomic_ref(page_->dead).store(reason, std::memory_order_release);
}

void EndpointMemory::set_asleep(bool asleep) {
    std::atomic_ref(page_->card_asleep).store(asleep, std::memory_order_seq_cst);
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

bool RingRange::read(Time, uint64_t offset, std::span<uint8_t> out) {
    if (offset > ring_.size() || out.size() > ring_.size() - offset)
        return false;
    if (!out.empty())
        std::memcpy(out.data(), &ring_[offset], out.size());
    return true;
}

bool RingRange::write(Time when, uint64_t offset, std::span<const uint8_t> in) {
    if (offset > ring_.size() || in.size() > ring_.size() - offset)
        return false;
    if (in.empty())
        return true;
    store_in_order(&ring_[offset], in);
    if (changed_)
        changed_(when);
    return true;
}

} // namespace myri::emulator
