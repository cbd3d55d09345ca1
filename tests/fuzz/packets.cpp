// SPDX-License-Identifier: BSD-3-Clause
// The library with a peer that sends whatever it likes, but knows the sessions and makes right checksums, and a card
// that reports whatever it likes. The library may drop, refuse and give up; it may not touch memory that is not its
// own or the request's, and it must come to an end.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "libmyri/checksum.h"
#include "libmyri/library.h"
#include "mx_extensions.h"
#include "tests/libmyri/fake_fabric.h"

using namespace myri;
using myri::test::FakeFabric;

namespace {

constexpr uint32_t ENDPOINT = 1, PEER = 0; // the library under attack, and who attacks it
constexpr uint32_t LARGE = 70000;

struct Input {
    const uint8_t* at;
    size_t left;
    uint8_t byte() {
        if (left == 0)
            return 0;
        left--;
        return *at++;
    }
    template <typename T> T value() {
        T v{};
        const size_t n = std::min(left, sizeof v);
        std::memcpy(&v, at, n);
        at += n;
        left -= n;
        return v;
    }
};

void must(bool good) {
    if (!good)
        std::abort();
}

struct Ends {
    FakeFabric fabric;
    mx_endpoint_t endpoint = nullptr, peer = nullptr;
    mx_endpoint_addr_t to_peer{}, to_endpoint{};
    std::vector<std::vector<uint8_t>> buffers; // of open receives
    std::vector<uint8_t> sent = std::vector<uint8_t>(LARGE, 7);

    Ends() {
        use_driver(&fabric);
        mx_set_error_handler(MX_ERRORS_RETURN);
        must(mx_init() == MX_SUCCESS && mx_open_endpoint(0, PEER, 7, nullptr, 0, &peer) == MX_SUCCESS &&
             mx_open_endpoint(0, ENDPOINT, 7, nullptr, 0, &endpoint) == MX_SUCCESS);
        must(mx_connect(endpoint, FakeFabric::mac, PEER, 7, 1000, &to_peer) == MX_SUCCESS);
    }
    ~Ends() {
        mx_close_endpoint(endpoint); // with open requests: their buffers must outlive it
        mx_close_endpoint(peer);
        mx_finalize();
        use_driver(nullptr);
    }

    void receive(uint32_t length, uint64_t match) {
        buffers.emplace_back(length);
        mx_segment_t s{buffers.back().data(), length};
        mx_request_t request;
        mx_irecv(endpoint, &s, 1, match, MX_MATCH_MASK_NONE, nullptr, &request);
    }
    void send(uint32_t length, uint64_t match) {
        mx_segment_t s{sent.data(), length};
        mx_isend(endpoint, &s, 1, to_peer, match, nullptr, nullptr);
    }
    void packet(uint8_t kind, Input& in) {
        auto h = in.value<msg_header>();
        uint8_t inline_bytes[WIRE_BODY_INLINE - sizeof h];
        for (uint8_t& b : inline_bytes)
            b = in.byte();
        // Lengths around everything that has a limit, and any other.
        static constexpr uint16_t lengths[] = {0, 1, 16, 17, 128, 129, 4095, 4096};
        const uint8_t choice = in.byte();
        const uint32_t length = choice < 128 ? lengths[choice % 8] : in.value<uint16_t>() % (WIRE_DATA_MAX + 1);
        std::vector<uint8_t> body(sizeof h), data;
        const uint32_t inlined = choice % 2 ? 0 : std::min<uint32_t>(in.byte(), sizeof inline_bytes);
        if (inlined)
            body.insert(body.end(), inline_bytes, inline_bytes + inlined);
        else if (length)
            data.assign(length, in.byte());
        if (!data.empty())
            body.insert(body.end(), inline_bytes, inline_bytes + sizeof inline_bytes);
        const bool connect = kind == WIRE_CONNECT;
        const uint32_t session = fabric.session(PEER);
        uint32_t crc = checksum_prefix(FakeFabric::mac << 16 | PEER, FakeFabric::mac << 16 | ENDPOINT, session,
                                       connect && h.kind != MSG_CONNECT_REPLY ? 0 : fabric.session(ENDPOINT));
        h.crc.raw = 0;
        crc = checksum_data(checksum_header(crc, h), body.data() + sizeof h, inlined);
        crc = checksum_data(crc, data.data(), static_cast<uint32_t>(data.size()));
        h.crc = cpu_to_be32(crc);
        std::memcpy(body.data(), &h, sizeof h);
        fabric.inject(PEER, kind, ENDPOINT, std::move(body), std::move(data));
    }
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    if (size > 2000)
        return -1;
    Ends ends;
    ends.receive(100, 1);
    ends.receive(LARGE, 2);
    Input in{bytes, size};
    while (in.left > 0) {
        const uint8_t what = in.byte();
        switch (what % 8) {
        case 0:
        case 1:
        case 2:
            ends.packet(WIRE_MESSAGE, in);
            break;
        case 3:
            ends.packet(WIRE_CONNECT, in);
            break;
        case 4: {
            fw_event nack{};
            nack.type = FW_EVENT_PACKET;
            nack.u.packet.header = in.value<wire_header>();
            nack.u.packet.header.kind = WIRE_NACK;
            nack.u.packet.header.length = cpu_to_be16(sizeof(wire_nack));
            nack.u.packet.header.src_card = cpu_to_be32(static_cast<uint32_t>(FakeFabric::mac));
            const auto body = in.value<wire_nack>();
            std::memcpy(nack.u.packet.body, &body, sizeof body);
            ends.fabric.inject(ENDPOINT, nack);
            break;
        }
        case 5: {
            fw_event report{};
            report.type = static_cast<uint8_t>(FW_EVENT_BAD_SLOT + in.byte() % 5);
            report.u.brief.a = in.value<be32>();
            report.u.brief.b = in.value<be32>();
            report.argument = in.value<be32>();
            ends.fabric.inject(ENDPOINT, report);
            break;
        }
        case 6:
            if (ends.buffers.size() < 16)
                ends.receive(what & 8 ? LARGE : what, in.byte() % 4);
            break;
        case 7:
            ends.send(what & 8 ? LARGE : what & 16 ? 5000 : what, in.byte() % 4);
            break;
        }
        mx_progress(ends.endpoint);
        if (what & 128)
            mx_progress(ends.peer);
    }
    return 0;
}
