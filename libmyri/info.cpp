// SPDX-License-Identifier: BSD-3-Clause
// mx_get_info.
#include <stdio.h>
#include <string.h>

#include "abi/firmware.h"
#include "libmyri/call.h"
#include "libmyri/error.h"
#include "libmyri/library.h"

using namespace myri;

namespace {

const char* const name = "mx_get_info";

#define LABEL(field, text) text,
const char* const counter_labels[] = {FW_COUNTERS(LABEL)};
#undef LABEL

struct Out {
    Endpoint* endpoint;
    void* value;
    uint32_t length;

    mx_return_t too_long(size_t size) const {
        return fail(endpoint, MX_BAD_INFO_LENGTH, name, "the answer has %zu bytes, there is room for %u",
                    size, length);
    }
    mx_return_t bytes(const void* from, size_t size) const {
        if (size > length)
            return too_long(size);
        memcpy(value, from, size);
        return MX_SUCCESS;
    }
    mx_return_t number(uint32_t n) const { return bytes(&n, sizeof n); }
    // As much as fits of at most MX_MAX_STR_LEN, always with its end.
    mx_return_t text(const char* t) const {
        const size_t size = strlen(t) + 1;
        return bytes(t, size > MX_MAX_STR_LEN ? static_cast<size_t>(MX_MAX_STR_LEN) : size);
    }
};

mx_return_t nic_ids(const Out& out) {
    uint64_t ids[MYRI_BOARDS_MAX + 1] = {};
    for (uint32_t b = 0; b < library.board_count; ++b)
        ids[b] = library.boards[b].info.mac;
    return out.bytes(ids, (library.board_count + 1) * sizeof(uint64_t));
}

mx_return_t counter_texts(const Out& out, uint32_t count) {
    constexpr uint32_t known = sizeof counter_labels / sizeof counter_labels[0];
    if (static_cast<uint64_t>(count) * MX_MAX_STR_LEN > out.length)
        return out.too_long(count * static_cast<size_t>(MX_MAX_STR_LEN));
    memset(out.value, 0, count * static_cast<size_t>(MX_MAX_STR_LEN));
    for (uint32_t i = 0; i < count; ++i)
        snprintf(static_cast<char*>(out.value) + i * MX_MAX_STR_LEN, MX_MAX_STR_LEN, "%s",
                 i < known ? counter_labels[i] : "Unknown");
    return MX_SUCCESS;
}

mx_return_t counters(const Out& out, mx_get_info_key_t key, uint32_t board) {
    mx_return_t wrong;
    if (wrong_thread(name, wrong, out.endpoint))
        return wrong;
    myri_counters c = {};
    c.board = board;
    const int status = seam.request(MYRI_COUNTERS, &c, sizeof c);
    if (status < 0)
        return fail(out.endpoint, code_of_errno(status), name, "the counters of board %u: %s", board,
                    strerror(-status));
    if (c.count > MYRI_COUNTERS_MAX)
        c.count = MYRI_COUNTERS_MAX;
    if (key == MX_COUNTERS_COUNT)
        return out.number(c.count);
    return key == MX_COUNTERS_LABELS ? counter_texts(out, c.count)
                                     : out.bytes(c.value, c.count * sizeof(uint32_t));
}

} // namespace

extern "C" mx_return_t mx_get_info(mx_endpoint_t endpoint, mx_get_info_key_t key, void* in_val,
                                   uint32_t in_len, void* out_val, uint32_t out_len) {
    auto* e = reinterpret_cast<Endpoint*>(endpoint);
    if (!library.ready)
        return fail(nullptr, MX_NOT_INITIALIZED, name, "the library is not initialized");
    if (e && e->magic != endpoint_magic)
        return fail(nullptr, MX_BAD_ENDPOINT, name, "%p is no open endpoint", static_cast<void*>(e));
    if (!out_val)
        return fail(e, MX_BAD_INFO_VAL, name, "no place for the answer");
    const Out out{e, out_val, out_len};
    switch (key) { // what is no board's
    case MX_NIC_COUNT:
        return out.number(library.board_count);
    case MX_NIC_IDS:
        return nic_ids(out);
    case MX_MAX_NATIVE_ENDPOINTS:
        return out.number(FW_ENDPOINTS);
    case MX_NATIVE_REQUESTS:
        return out.number(0xffffffffu); // as many as there is memory
    case MX_PIO_SEND_MAX:
        return out.number(MSG_SMALL_MAX);
    case MX_COPY_SEND_MAX:
        return out.number(MSG_MEDIUM_MAX);
    default:
        break;
    }
    if (key < MX_NIC_COUNT || key > MX_LINE_SPEED)
        return fail(e, MX_BAD_INFO_KEY, name, "key %d", static_cast<int>(key));
    uint32_t board = 0;
    if (e) {
        board = e->board;
    } else if (in_val && in_len == sizeof board) {
        memcpy(&board, in_val, sizeof board);
    } else if (in_val && in_len == 1) {
        board = *static_cast<const uint8_t*>(in_val);
    } else {
        return fail(e, MX_BAD_INFO_LENGTH, name, "a board number of %u bytes: 4 are wanted", in_len);
    }
    if (board >= library.board_count)
        return fail(e, MX_BOARD_UNKNOWN, name, "board %u: there are %u", board, library.board_count);
    const myri_board_info& info = library.boards[board].info;
    char serial[16];
    switch (key) {
    case MX_COUNTERS_COUNT:
    case MX_COUNTERS_LABELS:
    case MX_COUNTERS_VALUES:
        return counters(out, key, board);
    case MX_PRODUCT_CODE:
        return out.text(info.product_code);
    case MX_PART_NUMBER:
        return out.text(info.part_number);
    case MX_SERIAL_NUMBER:
        snprintf(serial, sizeof serial, "%u", info.serial);
        return out.text(serial);
    case MX_PORT_COUNT:
        return out.number(info.ports);
    case MX_NUMA_NODE:
        return out.number(static_cast<uint32_t>(info.numa_node));
    case MX_NET_TYPE:
        return out.number(MX_NET_MYRI);
    case MX_LINE_SPEED:
        return out.number(MX_SPEED_2G);
    default:
        return fail(e, MX_BAD_INFO_KEY, name, "key %d", static_cast<int>(key));
    }
}
