// SPDX-License-Identifier: BSD-3-Clause
//
// Messages put together from a stream, piece by piece, with their descriptors. No socket, no card.
#pragma once

#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "emulator/driver/file_descriptor.h"
#include "emulator/vfio_user/protocol.h"

namespace myri::emulator::vfio {

// What the client sends is no stream of messages: nothing behind it can be understood.
class ProtocolError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Message {
    Header head{};
    std::vector<uint8_t> payload;
    std::vector<FileDescriptor> descriptors;

    // The structure that the payload begins with; it must be that long.
    template <typename T> T as() const {
        T value;
        std::memcpy(&value, payload.data(), sizeof value);
        return value;
    }
};

struct Reply {
    int error = 0; // positive errno: then nothing else counts
    std::vector<uint8_t> payload;
    int descriptor = -1; // sent along, stays ours

    static Reply failure(int error) { return {error, {}, -1}; }
    template <typename T> void append(const T& value) {
        const size_t before = payload.size();
        payload.resize(before + sizeof value);
        std::memcpy(&payload[before], &value, sizeof value);
    }
};

// The bytes of the reply to `request`.
std::vector<uint8_t> encode(const Header& request, const Reply& reply);

class MessageAssembler {
public:
    // How many bytes may be read next: never beyond the end of the message under way, so that descriptors can be told
    // to belong to it.
    size_t wanted() const;
    // At most wanted() bytes, and what came with them. Throws ProtocolError: a size that is impossible, not a
    // request, too many descriptors.
    void add(std::span<const uint8_t> bytes, std::vector<FileDescriptor> descriptors);
    // The message, once it is whole.
    std::optional<Message> take();
    // Part of a message has come: the stream must not end here.
    bool midway() const { return have_ != 0; }

private:
    bool headed() const { return have_ >= sizeof(Header); }
    void check_head() const;

    Message message_;
    size_t have_ = 0; // bytes of it, header included
};

} // namespace myri::emulator::vfio
