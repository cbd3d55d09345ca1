// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/vfio_user/message.h"

#include <algorithm>
#include <string>
#include <utility>

namespace myri::emulator::vfio {
namespace {

constexpr size_t LARGEST = sizeof(Header) + sizeof(RegionAccess) + MAX_DATA;

} // namespace

std::vector<uint8_t> encode(const Header& request, const Reply& reply) {
    Header head = request;
    head.flags = FLAG_REPLY | (reply.error ? FLAG_ERROR : 0);
    head.error = static_cast<uint32_t>(reply.error);
    const size_t more = reply.error ? 0 : reply.payload.size();
    head.size = static_cast<uint32_t>(sizeof head + more);
    std::vector<uint8_t> bytes(head.size);
    std::memcpy(bytes.data(), &head, sizeof head);
    std::copy_n(reply.payload.begin(), more, bytes.begin() + sizeof head);
    return bytes;
}

size_t MessageAssembler::wanted() const {
    return (headed() ? message_.head.size : sizeof(Header)) - have_;
}

void MessageAssembler::check_head() const {
    const Header& head = message_.head;
    const std::string name = "message " + std::to_string(head.id) + " (command " + std::to_string(head.command) + ")";
    if (head.size < sizeof(Header) || head.size > LARGEST)
        throw ProtocolError(name + ": size " + std::to_string(head.size) + ": " + std::to_string(sizeof(Header)) +
                            " to " + std::to_string(LARGEST) + " are possible");
    if (head.flags & FLAG_TYPE)
        throw ProtocolError(name + ": flags " + std::to_string(head.flags) + ": a request is expected");
}

void MessageAssembler::add(std::span<const uint8_t> bytes, std::vector<FileDescriptor> descriptors) {
    if (bytes.size() > wanted())
        throw std::logic_error("more bytes than wanted");
    for (FileDescriptor& descriptor : descriptors)
        message_.descriptors.push_back(std::move(descriptor));
    if (message_.descriptors.size() > MAX_DESCRIPTORS)
        throw ProtocolError(std::to_string(message_.descriptors.size()) + " descriptors in one message: at most " +
                            std::to_string(MAX_DESCRIPTORS) + " are possible");
    if (headed()) {
        message_.payload.insert(message_.payload.end(), bytes.begin(), bytes.end());
        have_ += bytes.size();
        return;
    }
    std::memcpy(reinterpret_cast<uint8_t*>(&message_.head) + have_, bytes.data(), bytes.size());
    have_ += bytes.size();
    if (headed())
        check_head();
}

std::optional<Message> MessageAssembler::take() {
    if (!headed() || have_ != message_.head.size)
        return std::nullopt;
    have_ = 0;
    return std::exchange(message_, {});
}

} // namespace myri::emulator::vfio
