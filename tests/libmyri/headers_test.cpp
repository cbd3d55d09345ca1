// SPDX-License-Identifier: BSD-3-Clause
// The public headers: sizes, offsets and numbers of the ABI (reference: the tables of the interface's
// description).
#include <doctest/doctest.h>

#include <cstddef>
#include <cstring>

#include "mx_extensions.h"
#include "myri.h"

TEST_CASE("types have the layout of ABI 0x301 on x86-64") {
    CHECK_EQ(sizeof(mx_endpoint_t), 8u);
    CHECK_EQ(sizeof(mx_request_t), 8u);
    CHECK_EQ(sizeof(mx_endpoint_addr_t), 16u);
    CHECK_EQ(sizeof(mx_segment_t), 16u);
    CHECK_EQ(offsetof(mx_segment_t, segment_length), 8u);
    CHECK_EQ(sizeof(mx_status_t), 48u);
    CHECK_EQ(offsetof(mx_status_t, code), 0u);
    CHECK_EQ(offsetof(mx_status_t, source), 8u);
    CHECK_EQ(offsetof(mx_status_t, match_info), 24u);
    CHECK_EQ(offsetof(mx_status_t, msg_length), 32u);
    CHECK_EQ(offsetof(mx_status_t, xfer_length), 36u);
    CHECK_EQ(offsetof(mx_status_t, context), 40u);
    CHECK_EQ(sizeof(mx_param_t), 16u);
    CHECK_EQ(offsetof(mx_param_t, val), 8u);
}

TEST_CASE("constants have their numbers") {
    CHECK_EQ(MX_API, 0x301);
    CHECK_EQ(MX_ANY_NIC, 0xffffffffu);
    CHECK_EQ(MX_INFINITE, 0);
    CHECK_EQ(MX_MATCH_MASK_NONE, 0xffffffffffffffffull);
    CHECK_EQ(static_cast<int>(MX_BUSY), 20);
    CHECK_EQ(static_cast<int>(MX_BAD_KERNEL_VERSION), 37);
    CHECK_EQ(static_cast<int>(MX_NOT_SUPPORTED_WITH_CONTEXT_ID), 43);
    CHECK_EQ(static_cast<int>(MX_STATUS_TRUNCATED), 5);
    CHECK_EQ(static_cast<int>(MX_STATUS_ENDPOINT_UNREACHABLE), 9);
    CHECK_EQ(static_cast<int>(MX_STATUS_NO_RESOURCES), 16);
    CHECK_EQ(static_cast<int>(MX_LINE_SPEED), 16);
    CHECK_EQ(static_cast<int>(MX_PARAM_CONTEXT_ID), 2);
    CHECK_EQ(MX_U32(0x1122334455667788ull), 0x11223344u);
    CHECK_EQ(MX_L32(0x1122334455667788ull), 0x55667788u);
}

TEST_CASE("every code has a text, unknown ones too") {
    for (int i = 0; i <= 43; ++i)
        CHECK(std::strlen(mx_strerror(static_cast<mx_return_t>(i))) > 0);
    for (int i = 0; i <= 16; ++i)
        CHECK(std::strlen(mx_strstatus(static_cast<mx_status_code_t>(i))) > 0);
    CHECK(std::strlen(mx_strerror(static_cast<mx_return_t>(44))) > 0);
    CHECK(std::strlen(mx_strstatus(static_cast<mx_status_code_t>(17))) > 0);
}

TEST_CASE("the table of variables is complete rows and ends") {
    myri_variable v;
    unsigned n = 0;
    bool found = false;
    for (; myri_environment(n, &v) == 0; ++n) {
        CHECK((std::strncmp(v.name, "MX_", 3) == 0 || std::strncmp(v.name, "MYRI_", 5) == 0));
        CHECK(std::strlen(v.help) > 0);
        found |= std::strcmp(v.name, "MX_CSUM") == 0;
    }
    CHECK(found);
    CHECK_EQ(myri_environment(n + 1000, &v), -1);
}

TEST_CASE("calls before mx_init say so") {
    mx_set_error_handler(MX_ERRORS_RETURN);
    mx_endpoint_t ep = nullptr;
    uint64_t nic;
    CHECK_EQ(mx_open_endpoint(0, 0, 0, nullptr, 0, &ep), MX_NOT_INITIALIZED);
    CHECK_EQ(mx_board_number_to_nic_id(0, &nic), MX_NOT_INITIALIZED);
    CHECK_EQ(mx_progress(nullptr), MX_NOT_INITIALIZED);
    CHECK_EQ(mx_finalize(), MX_NOT_INITIALIZED);
    CHECK_EQ(mx__init_api(0x200), MX_BAD_LIB_VERSION);
    CHECK_EQ(mx__init_api(0), MX_BAD_LIB_VERSION);
}
