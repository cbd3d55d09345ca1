// SPDX-License-Identifier: BSD-3-Clause
//
// vfio-user on the wire, as far as QEMU's client uses it: header, commands, payloads. All integers are in the order
// of this machine. A message's descriptors come with its first bytes.
#pragma once

#include <cstdint>

namespace myri::emulator::vfio {

struct Header {
    uint16_t id;      // chosen by who asks, repeated in the reply
    uint16_t command; // enum Command
    uint32_t size;    // of the whole message
    uint32_t flags;
    uint32_t error; // positive errno, in a reply with FLAG_ERROR
};
static_assert(sizeof(Header) == 16);

inline constexpr uint32_t FLAG_TYPE = 0xf; // 0 request, 1 reply
inline constexpr uint32_t FLAG_REPLY = 1;
inline constexpr uint32_t FLAG_NO_REPLY = 0x10;
inline constexpr uint32_t FLAG_ERROR = 0x20;

enum Command : uint16_t {
    VERSION = 1,
    DMA_MAP = 2,
    DMA_UNMAP = 3,
    GET_INFO = 4,
    GET_REGION_INFO = 5,
    GET_IRQ_INFO = 7,
    SET_IRQS = 8,
    REGION_READ = 9,
    REGION_WRITE = 10,
    RESET = 13,
};

// What we tell the client in VERSION.
inline constexpr uint32_t MAX_DATA = 1u << 20;   // bytes of one region access
inline constexpr uint32_t MAX_DESCRIPTORS = 8;   // of one message
inline constexpr uint32_t PAGE_SIZE = 4096;      // granularity of DMA_MAP

struct VersionHead {
    uint16_t major, minor;
    // JSON text and NUL follow.
};
static_assert(sizeof(VersionHead) == 4);

struct DmaMap {
    uint32_t argsz, flags;
    uint64_t offset; // in the descriptor's file
    uint64_t address, size;
};
static_assert(sizeof(DmaMap) == 32);
inline constexpr uint32_t MAP_READ = 1, MAP_WRITE = 2;

struct DmaUnmap {
    uint32_t argsz, flags;
    uint64_t address, size;
};
static_assert(sizeof(DmaUnmap) == 24);
inline constexpr uint32_t UNMAP_ALL = 2;

struct DeviceInfo {
    uint32_t argsz, flags, regions, irqs;
};
static_assert(sizeof(DeviceInfo) == 16);
inline constexpr uint32_t DEVICE_RESETS = 1, DEVICE_PCI = 2;

struct RegionInfo {
    uint32_t argsz, flags, index, cap_offset;
    uint64_t size, offset;
};
static_assert(sizeof(RegionInfo) == 32);
inline constexpr uint32_t REGION_READABLE = 1, REGION_WRITABLE = 2, REGION_MMAP = 4, REGION_CAPS = 8;

// Capability: which parts of a region may be mapped. One area here.
struct SparseMmap {
    uint16_t id, version;
    uint32_t next;
    uint32_t areas, reserved;
    uint64_t offset, size;
};
static_assert(sizeof(SparseMmap) == 32);
inline constexpr uint16_t CAP_SPARSE_MMAP = 1;

enum Region : uint32_t { REGION_BAR0 = 0, REGION_CONFIG = 7, REGIONS = 9 };

struct IrqInfo {
    uint32_t argsz, flags, index, count;
};
static_assert(sizeof(IrqInfo) == 16);
inline constexpr uint32_t IRQ_EVENTFD = 1, IRQ_MASKABLE = 2, IRQ_AUTOMASKED = 4, IRQ_NORESIZE = 8;
enum Irq : uint32_t { IRQ_INTX = 0, IRQ_MSI = 1, IRQS = 5 };

struct IrqSet {
    uint32_t argsz, flags, index, start, count;
    // With SET_DATA_BOOL a byte per vector follows.
};
static_assert(sizeof(IrqSet) == 20);
inline constexpr uint32_t SET_DATA_NONE = 1, SET_DATA_BOOL = 2, SET_DATA_EVENTFD = 4; // one of these ...
inline constexpr uint32_t SET_MASK = 8, SET_UNMASK = 0x10, SET_TRIGGER = 0x20;        // ... and one of these

struct RegionAccess {
    uint64_t offset;
    uint32_t region, count;
    // Data follow in a write request and a read reply.
};
static_assert(sizeof(RegionAccess) == 16);

} // namespace myri::emulator::vfio
