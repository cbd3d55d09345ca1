// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/vfio_user/device.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <utility>

#include "abi/lanai.h"

namespace myri::emulator::vfio {
namespace {

uint32_t from_memory_order(std::span<const uint8_t> bytes) {
    uint32_t value = 0;
    for (const uint8_t byte : bytes)
        value = value << 8 | byte;
    return value;
}

// A part of an access that the card sees as one: 1, 2 or 4 bytes in their own place.
size_t piece(uint64_t offset, size_t left) {
    const uint64_t alignment = offset & 3 ? uint64_t{1} << std::countr_zero(offset) : 4;
    return std::bit_floor(std::min<size_t>(left, alignment));
}

bool control_image(uint64_t offset) {
    return offset >= LANAI_BAR0_CONTROL && offset - LANAI_BAR0_CONTROL < ConfigSpace::SIZE;
}

} // namespace

Device::Device(Card& card, ConfigSpace& config, InterruptLines& interrupts, Hooks hooks)
    : card_(card), config_(config), interrupts_(interrupts), hooks_(std::move(hooks)) {
    card_.set_interrupt_handler([this](Time, bool level) {
        config_.set_interrupt_status(level);
        interrupts_.set_level(level);
    });
}

Reply Device::info() {
    Reply reply;
    reply.append(DeviceInfo{sizeof(DeviceInfo), DEVICE_RESETS | DEVICE_PCI, REGIONS, IRQS});
    return reply;
}

uint64_t Device::region_size(uint32_t region) {
    return region == REGION_BAR0 ? LANAI_BAR0_SIZE : region == REGION_CONFIG ? ConfigSpace::SIZE : 0;
}

Reply Device::region_info(const RegionInfo& request) const {
    if (request.index >= REGIONS)
        return Reply::failure(EINVAL);
    RegionInfo info{sizeof(RegionInfo), 0, request.index, 0, region_size(request.index), 0};
    Reply reply;
    if (info.size != 0)
        info.flags = REGION_READABLE | REGION_WRITABLE;
    if (request.index != REGION_BAR0) {
        reply.append(info);
        return reply;
    }
    info.flags |= REGION_MMAP;
    info.argsz += sizeof(SparseMmap);
    // The client asks again with room for the rest; before that there must be no sign of it but argsz.
    if (request.argsz < info.argsz) {
        reply.append(info);
        return reply;
    }
    info.flags |= REGION_CAPS;
    info.cap_offset = sizeof(RegionInfo);
    reply.append(info);
    reply.append(SparseMmap{CAP_SPARSE_MMAP, 1, 0, 1, 0, LANAI_BAR0_SRAM, card_.profile().sram_bytes});
    reply.descriptor = card_.sram_fd();
    return reply;
}

Reply Device::irq_info(const IrqInfo& request) {
    IrqInfo info{sizeof(IrqInfo), 0, request.index, 0};
    if (request.index == IRQ_INTX)
        info.flags = IRQ_EVENTFD | IRQ_MASKABLE | IRQ_AUTOMASKED, info.count = 1;
    else if (request.index == IRQ_MSI)
        info.flags = IRQ_EVENTFD | IRQ_NORESIZE, info.count = 1;
    else
        return Reply::failure(EINVAL); // which QEMU takes in silence, unlike a count of 0
    Reply reply;
    reply.append(info);
    return reply;
}

Reply Device::attach(uint32_t index, std::vector<FileDescriptor>& descriptors) {
    if (descriptors.empty()) {
        index == IRQ_INTX ? interrupts_.detach_intx() : interrupts_.detach_msi();
        return {};
    }
    if (!InterruptLines::is_eventfd(descriptors[0]))
        return Reply::failure(EINVAL);
    if (index == IRQ_INTX)
        interrupts_.attach_intx(std::move(descriptors[0]));
    else
        interrupts_.attach_msi(std::move(descriptors[0]));
    return {};
}

void Device::trigger(uint32_t index) { index == IRQ_INTX ? interrupts_.trigger_intx() : interrupts_.trigger_msi(); }

Reply Device::set_irqs(const IrqSet& request, std::span<const uint8_t> data, std::vector<FileDescriptor>& descriptors) {
    const uint32_t kind = request.flags & (SET_DATA_NONE | SET_DATA_BOOL | SET_DATA_EVENTFD);
    const uint32_t action = request.flags & (SET_MASK | SET_UNMASK | SET_TRIGGER);
    if (request.flags != (kind | action) || !std::has_single_bit(kind) || !std::has_single_bit(action))
        return Reply::failure(EINVAL);
    if (request.index > IRQ_MSI || uint64_t{request.start} + request.count > 1)
        return Reply::failure(EINVAL);
    if (data.size() != (kind == SET_DATA_BOOL ? request.count : 0) ||
        (!descriptors.empty() && (kind != SET_DATA_EVENTFD || descriptors.size() != request.count)))
        return Reply::failure(EINVAL);
    if (action == SET_TRIGGER && kind == SET_DATA_NONE && request.count == 0) {
        request.index == IRQ_INTX ? interrupts_.detach_intx() : interrupts_.detach_msi();
        return {};
    }
    if (request.count == 0)
        return Reply::failure(EINVAL);
    if (action == SET_TRIGGER && kind == SET_DATA_EVENTFD)
        return attach(request.index, descriptors);
    if (kind == SET_DATA_EVENTFD)
        return Reply::failure(EOPNOTSUPP); // the client then unmasks by messages
    if (action != SET_TRIGGER && request.index != IRQ_INTX)
        return Reply::failure(EINVAL);
    if (kind == SET_DATA_BOOL && data[0] == 0)
        return {};
    if (action == SET_TRIGGER)
        trigger(request.index);
    else if (action == SET_MASK)
        interrupts_.mask_intx();
    else
        interrupts_.unmask_intx();
    return {};
}

void Device::bar_read(uint64_t offset, std::span<uint8_t> out) {
    const Time now = hooks_.now();
    // Idle firmware stores nothing, so there is no need to bring it to `now`.
    if (!card_.idle())
        card_.advance_to(now);
    const std::span<const uint8_t> sram = card_.sram();
    while (!out.empty()) {
        if (offset < sram.size()) {
            const size_t bytes = std::min(out.size(), static_cast<size_t>(sram.size() - offset));
            std::ranges::copy(sram.subspan(offset, bytes), out.begin());
            offset += bytes;
            out = out.subspan(bytes);
            continue;
        }
        const size_t bytes = piece(offset, out.size());
        uint32_t word;
        if (control_image(offset)) {
            std::array<uint8_t, 4> little;
            config_.read(static_cast<uint32_t>((offset & ~3ull) - LANAI_BAR0_CONTROL), little);
            std::ranges::reverse(little);
            word = from_memory_order(little);
        } else {
            word = card_.bar_read32(now, static_cast<uint32_t>(offset & ~3ull));
        }
        for (size_t n = 0; n < bytes; n++)
            out[n] = static_cast<uint8_t>(word >> 8 * (3 - (offset + n) % 4));
        offset += bytes;
        out = out.subspan(bytes);
    }
}

void Device::control(uint32_t word) {
    // A driver writes all of SRAM before it lets the processor run, through its own mapping.
    if (word & LANAI_CONTROL_CPU_RESET_OFF)
        card_.sram_written_unseen(hooks_.now());
    card_.bar_write32(hooks_.now(), LANAI_BAR0_CONTROL_WORD, word);
    hooks_.controlled();
}

void Device::bar_write(uint64_t offset, std::span<const uint8_t> in) {
    const Time now = hooks_.now();
    const size_t sram = card_.sram().size();
    while (!in.empty()) {
        size_t bytes;
        if (offset < sram) {
            bytes = std::min(in.size(), static_cast<size_t>(sram - offset));
            card_.sram_write(now, static_cast<uint32_t>(offset), in.first(bytes));
        } else {
            bytes = piece(offset, in.size());
            const uint32_t value = from_memory_order(in.first(bytes));
            if (offset == LANAI_BAR0_CONTROL_WORD && bytes == 4)
                control(value);
            else if (!control_image(offset))
                card_.bar_write(now, static_cast<uint32_t>(offset), static_cast<unsigned>(bytes), value);
        }
        offset += bytes;
        in = in.subspan(bytes);
    }
}

Reply Device::read(const RegionAccess& request) {
    const uint64_t size = request.region < REGIONS ? region_size(request.region) : 0;
    if (request.count == 0 || request.count > MAX_DATA || request.offset >= size ||
        request.count > size - request.offset)
        return Reply::failure(EINVAL);
    Reply reply;
    reply.append(request);
    reply.payload.resize(sizeof request + request.count);
    const auto out = std::span(reply.payload).subspan(sizeof request);
    if (request.region == REGION_CONFIG)
        config_.read(static_cast<uint32_t>(request.offset), out);
    else
        bar_read(request.offset, out);
    return reply;
}

Reply Device::write(const RegionAccess& request, std::span<const uint8_t> data) {
    const uint64_t size = request.region < REGIONS ? region_size(request.region) : 0;
    if (request.count == 0 || request.count != data.size() || request.offset >= size ||
        request.count > size - request.offset)
        return Reply::failure(EINVAL);
    if (request.region == REGION_CONFIG) {
        if (const auto word = config_.write(static_cast<uint32_t>(request.offset), data))
            control(*word);
        hooks_.reconfigured();
    } else {
        bar_write(request.offset, data);
    }
    Reply reply;
    reply.append(request);
    return reply;
}

void Device::reset() {
    control(LANAI_CONTROL_CPU_RESET_ON | LANAI_CONTROL_IO_RESET_ON | LANAI_CONTROL_PCI_INTERRUPT_DISABLE);
    control(LANAI_CONTROL_IO_RESET_OFF);
    config_.reset();
    interrupts_.reset();
    hooks_.reconfigured();
}

} // namespace myri::emulator::vfio
