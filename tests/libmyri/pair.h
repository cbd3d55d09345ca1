// SPDX-License-Identifier: BSD-3-Clause
// Two connected endpoints of one process over a fake card, and the shortest way to send between them.
#pragma once

#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <vector>

#include "libmyri/endpoint.h"
#include "libmyri/library.h"
#include "mx_extensions.h"
#include "myri.h"
#include "tests/libmyri/fake_fabric.h"

namespace myri::test {

using Bytes = std::vector<uint8_t>;

inline Bytes pattern(size_t n, uint32_t seed) {
    Bytes b(n);
    for (size_t i = 0; i < n; ++i)
        b[i] = static_cast<uint8_t>((i * 2654435761u + seed * 40503u) >> 13);
    return b;
}

// Two connected endpoints, 0 and 1, of a library on a fake fabric.
struct Pair {
    FakeFabric fabric;
    mx_endpoint_t a = nullptr, b = nullptr;
    mx_endpoint_addr_t to_b{};

    // `bounce`: bytes of each endpoint's bounce area; 0: it has none.
    explicit Pair(uint64_t seed = 1, std::vector<mx_param_t> params = {}, std::array<uint32_t, 2> bounce = {})
        : fabric(seed) {
        fabric.bounce_bytes[0] = bounce[0];
        fabric.bounce_bytes[1] = bounce[1];
        myri::use_driver(&fabric);
        mx_set_error_handler(MX_ERRORS_RETURN);
        REQUIRE_EQ(mx_init(), MX_SUCCESS);
        REQUIRE_EQ(mx_open_endpoint(0, 0, 7, nullptr, 0, &a), MX_SUCCESS);
        REQUIRE_EQ(mx_open_endpoint(0, 1, 7, params.data(), static_cast<uint32_t>(params.size()), &b),
                   MX_SUCCESS);
        REQUIRE_EQ(mx_connect(a, FakeFabric::mac, 1, 7, 1000, &to_b), MX_SUCCESS);
    }
    ~Pair() {
        fabric.faults = {};
        fabric.lose = nullptr;
        if (a)
            mx_close_endpoint(a);
        if (b)
            mx_close_endpoint(b);
        mx_finalize();
        myri::use_driver(nullptr);
    }

    mx_request_t send(const Bytes& data, uint64_t match, bool synchronous = false) {
        mx_segment_t s{const_cast<uint8_t*>(data.data()), static_cast<uint32_t>(data.size())};
        mx_request_t r = nullptr;
        REQUIRE_EQ((synchronous ? mx_issend : mx_isend)(a, &s, 1, to_b, match, nullptr, &r), MX_SUCCESS);
        return r;
    }
    mx_request_t receive(void* to, size_t n, uint64_t match, uint64_t mask = MX_MATCH_MASK_NONE) {
        mx_segment_t s{to, static_cast<uint32_t>(n)};
        mx_request_t r = nullptr;
        REQUIRE_EQ(mx_irecv(b, &s, 1, match, mask, nullptr, &r), MX_SUCCESS);
        return r;
    }
    static mx_status_t wait(mx_endpoint_t ep, mx_request_t r) {
        mx_status_t status{};
        uint32_t result = 0;
        REQUIRE_EQ(mx_wait(ep, &r, 100000, &status, &result), MX_SUCCESS);
        REQUIRE_EQ(result, 1u);
        return status;
    }
    static const myri::Counters& counters(mx_endpoint_t ep) {
        return reinterpret_cast<myri::Endpoint*>(ep)->counters;
    }
};

} // namespace myri::test
