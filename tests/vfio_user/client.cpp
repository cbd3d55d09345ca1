// SPDX-License-Identifier: BSD-3-Clause
#include "tests/vfio_user/client.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>

namespace vfio_test {
namespace {

constexpr auto PATIENCE = std::chrono::seconds(20);

constexpr uint32_t IS_REPLY = 1, IS_ERROR = 0x20;

// What QEMU 11.1.3 says of itself, padded to its length of 214 bytes.
Bytes greeting() {
    std::string text = R"({"capabilities": {"pgsizes": 4096, "max_msg_fds": 16, "max_dma_maps": 65535, )"
                       R"("max_data_xfer_size": 1048576, "write_multiple": true, )"
                       R"("migration": {"max_bitmap_size": 268435456, "pgsize": 4096}}})";
    text.resize(214 - 16 - 4 - 1, ' ');
    Bytes bytes = pack(uint16_t{0}, uint16_t{0});
    bytes.insert(bytes.end(), text.c_str(), text.c_str() + text.size() + 1);
    return bytes;
}

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what + ": " + std::strerror(errno)); }

} // namespace

File::~File() {
    if (fd_ >= 0)
        close(fd_);
}

File memfd(size_t bytes, bool sealed) {
    File file(memfd_create("guest", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (file.get() < 0 || ftruncate(file.get(), static_cast<off_t>(bytes)) != 0 ||
        (sealed && fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0))
        fail("memfd");
    return file;
}

File eventfd() { return File(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)); }

uint64_t fired(const File& file) {
    uint64_t count = 0;
    return read(file.get(), &count, sizeof count) == sizeof count ? count : 0;
}

size_t open_descriptors(int pid) {
    const std::string folder = "/proc/" + (pid ? std::to_string(pid) : std::string("self")) + "/fd";
    size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder))
        count++;
    return count;
}

void Client::send_raw(const Bytes& bytes, std::span<const int> files) {
    iovec part{const_cast<uint8_t*>(bytes.data()), bytes.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(64 * sizeof(int))> room{};
    if (!files.empty()) {
        message.msg_control = room.data();
        message.msg_controllen = CMSG_SPACE(files.size_bytes());
        cmsghdr* control = CMSG_FIRSTHDR(&message);
        control->cmsg_level = SOL_SOCKET;
        control->cmsg_type = SCM_RIGHTS;
        control->cmsg_len = CMSG_LEN(files.size_bytes());
        std::memcpy(CMSG_DATA(control), files.data(), files.size_bytes());
    }
    for (size_t done = 0; done < bytes.size();) {
        part = {const_cast<uint8_t*>(bytes.data()) + done, bytes.size() - done};
        const ssize_t put = sendmsg(fd(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (put < 0 && errno != EAGAIN)
            fail("sendmsg");
        if (put < 0) {
            pump_();
            continue;
        }
        done += static_cast<size_t>(put);
        message.msg_control = nullptr;
        message.msg_controllen = 0;
    }
}

uint16_t Client::send(uint16_t command, const Bytes& payload, std::span<const int> files, uint32_t flags) {
    const uint16_t id = next_id_++;
    send_raw(joined(pack(id, command, static_cast<uint32_t>(16 + payload.size()), flags, uint32_t{0}), payload), files);
    return id;
}

Bytes Client::receive_bytes(size_t count, std::vector<File>* files) {
    Bytes bytes(count);
    const auto limit = std::chrono::steady_clock::now() + PATIENCE;
    for (size_t done = 0; done < count;) {
        iovec part{bytes.data() + done, count - done};
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        alignas(cmsghdr) std::array<char, CMSG_SPACE(8 * sizeof(int))> room{};
        // Like QEMU: descriptors are only looked for with the header.
        if (files) {
            message.msg_control = room.data();
            message.msg_controllen = room.size();
        }
        const ssize_t got = recvmsg(fd(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
        if (got == 0)
            throw std::runtime_error("the server has hung up");
        if (got < 0 && errno != EAGAIN)
            fail("recvmsg");
        if (got < 0) {
            if (std::chrono::steady_clock::now() > limit)
                throw std::runtime_error("no reply");
            pump_();
            continue;
        }
        for (cmsghdr* c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c))
            for (size_t n = 0; n < (c->cmsg_len - CMSG_LEN(0)) / sizeof(int); n++) {
                int file;
                std::memcpy(&file, CMSG_DATA(c) + n * sizeof file, sizeof file);
                files->emplace_back(file);
            }
        done += static_cast<size_t>(got);
    }
    return bytes;
}

Reply Client::receive() {
    Reply reply;
    const Bytes head = receive_bytes(16, &reply.files);
    reply.id = unpack<uint16_t>(head, 0);
    reply.command = unpack<uint16_t>(head, 2);
    reply.flags = unpack<uint32_t>(head, 8);
    reply.error = unpack<uint32_t>(head, 12);
    const uint32_t size = unpack<uint32_t>(head, 4);
    if (size < 16)
        throw std::runtime_error("a reply of " + std::to_string(size) + " bytes");
    reply.payload = receive_bytes(size - 16, nullptr);
    return reply;
}

Reply Client::ask(uint16_t command, const Bytes& payload, std::span<const int> files) {
    const uint16_t id = send(command, payload, files);
    Reply reply = receive();
    if (reply.id != id || reply.command != command || (reply.flags & 0xf) != IS_REPLY)
        throw std::runtime_error("a reply to something else");
    const bool failed = reply.flags & IS_ERROR;
    if (reply.flags != (failed ? IS_REPLY | IS_ERROR : IS_REPLY) || failed != (reply.error != 0) ||
        (failed && (!reply.payload.empty() || !reply.files.empty())))
        throw std::runtime_error("a malformed reply");
    return reply;
}

uint32_t Client::error_of(uint16_t command, const Bytes& payload, std::span<const int> files) {
    return ask(command, payload, files).error;
}

bool Client::thrown_out() {
    const auto limit = std::chrono::steady_clock::now() + PATIENCE;
    while (std::chrono::steady_clock::now() < limit) {
        uint8_t byte;
        const ssize_t got = recv(fd(), &byte, 1, MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno == ECONNRESET))
            return true;
        if (got > 0)
            continue;
        pump_();
    }
    return false;
}

void Client::greet() {
    const Reply reply = ask(VERSION, greeting());
    if (reply.error || 16 + reply.payload.size() > 214 || unpack<uint32_t>(reply.payload, 0) != 0 ||
        reply.payload.back() != 0 || !reply.files.empty())
        throw std::runtime_error("not a reply to VERSION that QEMU accepts");
}

Bytes Client::read(uint32_t region, uint64_t offset, uint32_t count) {
    Reply reply = ask(READ, pack(offset, region, count));
    if (reply.error || reply.payload.size() != 16 + count || unpack<uint64_t>(reply.payload, 0) != offset ||
        unpack<uint32_t>(reply.payload, 8) != region || unpack<uint32_t>(reply.payload, 12) != count)
        throw std::runtime_error("read of region " + std::to_string(region) + " at " + std::to_string(offset));
    reply.payload.erase(reply.payload.begin(), reply.payload.begin() + 16);
    return reply.payload;
}

void Client::write(uint32_t region, uint64_t offset, const Bytes& bytes) {
    const Bytes head = pack(offset, region, static_cast<uint32_t>(bytes.size()));
    const Reply reply = ask(WRITE, joined(head, bytes));
    if (reply.error || reply.payload != head)
        throw std::runtime_error("write of region " + std::to_string(region) + " at " + std::to_string(offset));
}

uint32_t Client::card_word(uint64_t offset) {
    const Bytes b = read(BAR0, offset, 4);
    return uint32_t{b[0]} << 24 | uint32_t{b[1]} << 16 | uint32_t{b[2]} << 8 | b[3];
}

void Client::set_card_word(uint64_t offset, uint32_t value) {
    write(BAR0, offset,
          {static_cast<uint8_t>(value >> 24), static_cast<uint8_t>(value >> 16), static_cast<uint8_t>(value >> 8),
           static_cast<uint8_t>(value)});
}

uint32_t Client::map(uint64_t address, uint64_t size, int file, uint64_t offset, uint32_t rights) {
    return error_of(DMA_MAP, pack(uint32_t{32}, rights, offset, address, size),
                    std::span(&file, file >= 0 ? 1 : 0));
}

uint32_t Client::unmap(uint64_t address, uint64_t size) {
    const Bytes request = pack(uint32_t{24}, uint32_t{0}, address, size);
    const Reply reply = ask(DMA_UNMAP, request);
    if (!reply.error && reply.payload != request)
        throw std::runtime_error("DMA_UNMAP is not echoed");
    return reply.error;
}

uint32_t Client::set_irqs(uint32_t flags, uint32_t index, uint32_t count, int file) {
    return error_of(SET_IRQS, pack(uint32_t{20}, flags, index, uint32_t{0}, count), std::span(&file, file >= 0 ? 1 : 0));
}

std::pair<File, uint64_t> Client::sram() {
    Reply reply = ask(REGION_INFO, pack(uint32_t{64}, uint32_t{0}, BAR0, uint32_t{0}, uint64_t{0}, uint64_t{0}));
    if (reply.error || reply.files.size() != 1 || reply.payload.size() != 64)
        throw std::runtime_error("region 0 has no descriptor");
    return {std::move(reply.files[0]), unpack<uint64_t>(reply.payload, 56)};
}

} // namespace vfio_test
