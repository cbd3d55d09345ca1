// SPDX-License-Identifier: BSD-3-Clause
//
// A vfio-user client as QEMU is one, written from the protocol's description alone: it shares no definition with the
// server.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace vfio_test {

using Bytes = std::vector<uint8_t>;

// The arguments' own bytes, one behind the other.
template <typename... T> Bytes pack(const T&... values) {
    Bytes all;
    (([&](const auto& value) {
         all.resize(all.size() + sizeof value);
         std::memcpy(all.data() + all.size() - sizeof value, &value, sizeof value);
     }(values)),
     ...);
    return all;
}
template <typename T> T unpack(const Bytes& bytes, size_t offset) {
    T value;
    if (offset + sizeof value > bytes.size())
        throw std::runtime_error("the reply is too short");
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}
inline Bytes joined(Bytes a, std::span<const uint8_t> b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

// An open file: closed at the end.
class File {
public:
    explicit File(int fd = -1) : fd_(fd) {}
    File(File&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    File& operator=(File&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~File();
    int get() const { return fd_; }

private:
    int fd_;
};
File memfd(size_t bytes, bool sealed = true);
File eventfd();
// How often it has fired since the last look.
uint64_t fired(const File& eventfd);
size_t open_descriptors(int pid = 0); // of a process, 0: this one

inline constexpr uint16_t VERSION = 1, DMA_MAP = 2, DMA_UNMAP = 3, GET_INFO = 4, REGION_INFO = 5, IRQ_INFO = 7,
                          SET_IRQS = 8, READ = 9, WRITE = 10, RESET = 13;
inline constexpr uint32_t BAR0 = 0, CONFIG = 7, INTX = 0, MSI = 1;

struct Reply {
    uint16_t id = 0, command = 0;
    uint32_t flags = 0, error = 0;
    Bytes payload;
    std::vector<File> files;
};

class Client {
public:
    // `pump` lets the server work for a moment; it is called while a reply is missing.
    Client(File socket, std::function<void()> pump) : socket_(std::move(socket)), pump_(std::move(pump)) {}
    int fd() const { return socket_.get(); }
    void hang_up() { socket_ = File(); }

    // Sends without waiting; returns the message's id.
    uint16_t send(uint16_t command, const Bytes& payload, std::span<const int> files = {}, uint32_t flags = 0);
    void send_raw(const Bytes& bytes, std::span<const int> files = {});
    Reply receive();
    // A request and its reply, which must belong to it.
    Reply ask(uint16_t command, const Bytes& payload, std::span<const int> files = {});
    // The errno of the reply, 0 for success.
    uint32_t error_of(uint16_t command, const Bytes& payload, std::span<const int> files = {});
    // True once the server has closed the connection.
    bool thrown_out();

    void greet();
    Bytes read(uint32_t region, uint64_t offset, uint32_t count);
    void write(uint32_t region, uint64_t offset, const Bytes& bytes);
    template <typename T> T config(uint32_t offset) { return unpack<T>(read(CONFIG, offset, sizeof(T)), 0); }
    template <typename T> void set_config(uint32_t offset, T value) { write(CONFIG, offset, pack(value)); }
    // A word of the card, which is big-endian.
    uint32_t card_word(uint64_t offset);
    void set_card_word(uint64_t offset, uint32_t value);
    uint32_t map(uint64_t address, uint64_t size, int file = -1, uint64_t offset = 0, uint32_t rights = 3);
    uint32_t unmap(uint64_t address, uint64_t size);
    uint32_t set_irqs(uint32_t flags, uint32_t index, uint32_t count, int file = -1);
    // The descriptor of SRAM, and its size.
    std::pair<File, uint64_t> sram();

private:
    Bytes receive_bytes(size_t count, std::vector<File>* files);

    File socket_;
    std::function<void()> pump_;
    uint16_t next_id_ = 0;
};

} // namespace vfio_test
