// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/vfio_user/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

namespace myri::emulator::vfio {
namespace {

// What we want of the client. Nothing else, because the reply must not be longer than the client's own message.
std::string capabilities() {
    return fmt::format(R"({{"capabilities":{{"max_msg_fds":{},"max_data_xfer_size":{},"pgsizes":{}}}}})", MAX_DESCRIPTORS,
                       MAX_DATA, PAGE_SIZE);
}

// What a command's payload must be like.
struct Shape {
    size_t least;              // bytes
    bool longer = false;       // more may follow
    size_t descriptors = 0;    // most that may come along
};

std::optional<Shape> shape_of(uint16_t command) {
    switch (command) {
    case VERSION:
        return Shape{sizeof(VersionHead), true};
    case DMA_MAP:
        return Shape{sizeof(DmaMap), false, 1};
    case DMA_UNMAP:
        return Shape{sizeof(DmaUnmap)};
    case GET_INFO:
        return Shape{sizeof(DeviceInfo)};
    case GET_REGION_INFO:
        return Shape{sizeof(RegionInfo)};
    case GET_IRQ_INFO:
        return Shape{sizeof(IrqInfo)};
    case SET_IRQS:
        return Shape{sizeof(IrqSet), true, 1};
    case REGION_READ:
        return Shape{sizeof(RegionAccess)};
    case REGION_WRITE:
        return Shape{sizeof(RegionAccess), true};
    case RESET:
        return Shape{0};
    default:
        return std::nullopt;
    }
}

std::span<const uint8_t> behind(const Message& request, size_t bytes) {
    return std::span(request.payload).subspan(bytes);
}

} // namespace

Reply Session::version(const Message& request) {
    const auto head = request.as<VersionHead>();
    if (head.major != 0)
        throw ProtocolError(fmt::format("client speaks version {}.{}: 0.0 is wanted", head.major, head.minor));
    const auto text = behind(request, sizeof head);
    if (!text.empty() && text.back() != 0)
        throw ProtocolError("VERSION: its text does not end with NUL");
    Reply reply;
    reply.append(VersionHead{0, 0});
    const std::string ours = capabilities();
    reply.payload.insert(reply.payload.end(), ours.c_str(), ours.c_str() + ours.size() + 1);
    return reply;
}

Reply Session::dma_map(const Message& request) {
    const auto map = request.as<DmaMap>();
    if (map.argsz < sizeof map)
        return Reply::failure(EINVAL);
    const FileDescriptor none;
    return Reply::failure(
        memory_.map({map.address, map.size, map.offset, (map.flags & MAP_READ) != 0, (map.flags & MAP_WRITE) != 0},
                    request.descriptors.empty() ? none : request.descriptors[0]));
}

Reply Session::dma_unmap(const Message& request) {
    const auto unmap = request.as<DmaUnmap>();
    if (unmap.argsz < sizeof unmap || (unmap.flags & ~UNMAP_ALL))
        return Reply::failure(EINVAL);
    if (unmap.flags & UNMAP_ALL) {
        if (unmap.address != 0 || unmap.size != 0)
            return Reply::failure(EINVAL);
        memory_.clear();
    } else if (const int error = memory_.unmap(unmap.address, unmap.size)) {
        return Reply::failure(error);
    }
    Reply reply;
    reply.append(unmap);
    return reply;
}

Reply Session::dispatch(Message& request) {
    switch (request.head.command) {
    case DMA_MAP:
        return dma_map(request);
    case DMA_UNMAP:
        return dma_unmap(request);
    case GET_INFO:
        return request.as<DeviceInfo>().argsz < sizeof(DeviceInfo) ? Reply::failure(EINVAL) : Device::info();
    case GET_REGION_INFO: {
        const auto info = request.as<RegionInfo>();
        return info.argsz < sizeof info ? Reply::failure(EINVAL) : device_.region_info(info);
    }
    case GET_IRQ_INFO: {
        const auto info = request.as<IrqInfo>();
        return info.argsz < sizeof info ? Reply::failure(EINVAL) : Device::irq_info(info);
    }
    case SET_IRQS:
        return device_.set_irqs(request.as<IrqSet>(), behind(request, sizeof(IrqSet)), request.descriptors);
    case REGION_READ:
        return device_.read(request.as<RegionAccess>());
    case REGION_WRITE:
        return device_.write(request.as<RegionAccess>(), behind(request, sizeof(RegionAccess)));
    case RESET:
        device_.reset();
        return {};
    default:
        return Reply::failure(EOPNOTSUPP);
    }
}

Reply Session::serve(Message& request) {
    const auto shape = shape_of(request.head.command);
    const size_t bytes = request.payload.size();
    if (!greeted_ && (request.head.command != VERSION || bytes < shape->least))
        throw ProtocolError(fmt::format("the first message is command {} of {} bytes: VERSION is expected",
                                        request.head.command, bytes));
    if (!shape)
        return Reply::failure(EOPNOTSUPP);
    if (bytes < shape->least || (bytes > shape->least && !shape->longer) ||
        request.descriptors.size() > shape->descriptors)
        return Reply::failure(EINVAL);
    if (request.head.command != VERSION)
        return dispatch(request);
    if (greeted_)
        return Reply::failure(EINVAL);
    const Reply reply = version(request);
    greeted_ = true;
    return reply;
}

} // namespace myri::emulator::vfio
