/* SPDX-License-Identifier: BSD-3-Clause */
/* Return codes of the calls that need no peer: before and after mx_init, bad arguments, names and
 * information.
 *
 *   calls [HOST OTHER]   names of the own host and of another one: n0, n1 */
#include "tests/e2e/two_ends.h"

#include <stdlib.h>
#include <string.h>

static const char *own_host = "n0", *other_host = "n1";
static int handled;
static mx_return_t handled_code, handler_answer;

static mx_return_t handler(char* text, mx_return_t code) {
    handled++;
    handled_code = code;
    check(text != NULL && text[0] != 0, __FILE__, __LINE__, "text");
    return handler_answer;
}

static void before_init(void) {
    mx_endpoint_t ep = NULL;
    uint64_t nic;
    snprintf(label, sizeof label, "before mx_init");
    CHECK_EQ(mx_finalize(), MX_NOT_INITIALIZED);
    CHECK_EQ(mx_open_endpoint(0, 1, FILTER, NULL, 0, &ep), MX_NOT_INITIALIZED);
    CHECK_EQ(mx_board_number_to_nic_id(0, &nic), MX_NOT_INITIALIZED);
    CHECK_EQ(mx_progress(NULL), MX_NOT_INITIALIZED);
    CHECK_EQ(mx__init_api(0), MX_BAD_LIB_VERSION);
    CHECK_EQ(mx__init_api(0x200), MX_BAD_LIB_VERSION);
    CHECK_EQ(mx__init_api(0x401), MX_BAD_LIB_VERSION);
    CHECK_EQ(mx__init_api(0x300), MX_SUCCESS); /* older, compatible */
    CHECK_EQ(mx_init(), MX_ALREADY_INITIALIZED);
    CHECK_EQ(mx_finalize(), MX_SUCCESS);
    CHECK_EQ(mx_init(), MX_SUCCESS); /* again */
}

static void handlers(void) {
    mx_endpoint_t ep = NULL;
    snprintf(label, sizeof label, "error handlers");
    CHECK(mx_set_error_handler(handler) == MX_ERRORS_RETURN);
    handler_answer = MX_NO_MATCH;
    CHECK_EQ(mx_open_endpoint(77, 1, FILTER, NULL, 0, &ep), MX_NO_MATCH); /* its answer is the call's */
    CHECK_EQ(handled, 1);
    CHECK_EQ(handled_code, MX_BOARD_UNKNOWN);
    CHECK_EQ(mx_init(), MX_ALREADY_INITIALIZED);
    CHECK_EQ(handled, 1); /* that is no error */

    mx_param_t own = {MX_PARAM_ERROR_HANDLER, {MX_ERRORS_RETURN}};
    CHECK_EQ(mx_open_endpoint(0, 4, FILTER, &own, 1, &ep), MX_SUCCESS);
    CHECK_EQ(mx_irecv(ep, NULL, 1, 0, 0, NULL, NULL), MX_BAD_SEG_LIST);
    CHECK_EQ(handled, 1); /* the endpoint has its own */
    CHECK_EQ(mx_close_endpoint(ep), MX_SUCCESS);
    CHECK_EQ(mx_open_endpoint(0, 4, FILTER, NULL, 0, &ep), MX_SUCCESS);
    CHECK_EQ(mx_irecv(ep, NULL, 1, 0, 0, NULL, NULL), MX_NO_MATCH);
    CHECK_EQ(handled, 2);
    CHECK(mx_set_error_handler(MX_ERRORS_RETURN) == handler); /* also for endpoints that are open */
    CHECK_EQ(mx_irecv(ep, NULL, 1, 0, 0, NULL, NULL), MX_BAD_SEG_LIST);
    CHECK_EQ(handled, 2);
    CHECK_EQ(mx_close_endpoint(ep), MX_SUCCESS);
}

static void opening(void) {
    mx_endpoint_t ep = NULL, other = NULL, all[40];
    mx_endpoint_addr_t address;
    uint32_t id, session, again, count = 0;
    mx_param_t parameter = {MX_PARAM_CONTEXT_ID, {NULL}};
    snprintf(label, sizeof label, "mx_open_endpoint");
    CHECK_EQ(mx_open_endpoint(1, 1, FILTER, NULL, 0, &ep), MX_BOARD_UNKNOWN);
    CHECK_EQ(mx_open_endpoint(0, 32, FILTER, NULL, 0, &ep), MX_BAD_ENDPOINT_ID);
    CHECK_EQ(mx_open_endpoint(0, 1, FILTER, NULL, 1, &ep), MX_BAD_PARAM_LIST);
    parameter.key = (mx_param_key_t)17;
    CHECK_EQ(mx_open_endpoint(0, 1, FILTER, &parameter, 1, &ep), MX_BAD_PARAM_NAME);
    parameter.key = MX_PARAM_CONTEXT_ID;
    parameter.val.context_id.bits = 17;
    parameter.val.context_id.shift = 0;
    CHECK_EQ(mx_open_endpoint(0, 1, FILTER, &parameter, 1, &ep), MX_BAD_PARAM_VAL);
    parameter.val.context_id.bits = 16;
    parameter.val.context_id.shift = 49;
    CHECK_EQ(mx_open_endpoint(0, 1, FILTER, &parameter, 1, &ep), MX_BAD_PARAM_VAL);

    CHECK_EQ(mx_open_endpoint(0, 1, FILTER, NULL, 0, &ep), MX_SUCCESS);
    CHECK_EQ(mx_open_endpoint(0, 1, FILTER, NULL, 0, &other), MX_BUSY);
    CHECK_EQ(mx_get_endpoint_addr(ep, &address), MX_SUCCESS);
    CHECK_EQ(mx_decompose_endpoint_addr2(address, NULL, &id, &session), MX_SUCCESS);
    CHECK_EQ(id, 1);
    CHECK_EQ(mx_close_endpoint(ep), MX_SUCCESS);
    CHECK_EQ(mx_close_endpoint(ep), MX_BAD_ENDPOINT);
    CHECK_EQ(mx_progress(ep), MX_BAD_ENDPOINT);
    CHECK_EQ(mx_open_endpoint(0, 1, FILTER, NULL, 0, &ep), MX_SUCCESS); /* free at once, with a new session */
    CHECK_EQ(mx_get_endpoint_addr(ep, &address), MX_SUCCESS);
    CHECK_EQ(mx_decompose_endpoint_addr2(address, NULL, &id, &again), MX_SUCCESS);
    CHECK(session != again);
    CHECK_EQ(mx_close_endpoint(ep), MX_SUCCESS);

    /* Wildcards take what is free, until nothing is. */
    mx_return_t code;
    while (count < 40 &&
           (code = mx_open_endpoint(MX_ANY_NIC, MX_ANY_ENDPOINT, FILTER, NULL, 0, &all[count])) == MX_SUCCESS)
        count++;
    CHECK_EQ(code, MX_BUSY);
    uint32_t most = 0;
    CHECK_EQ(mx_get_info(NULL, MX_MAX_NATIVE_ENDPOINTS, NULL, 0, &most, sizeof most), MX_SUCCESS);
    CHECK_EQ(count, most);
    while (count > 0)
        CHECK_EQ(mx_close_endpoint(all[--count]), MX_SUCCESS);
}

static void names(void) {
    uint64_t nic = 0, same = 1;
    uint32_t board = 9;
    char name[MX_MAX_HOSTNAME_LEN];
    snprintf(label, sizeof label, "names");
    CHECK_EQ(mx_board_number_to_nic_id(0, &nic), MX_SUCCESS);
    CHECK_EQ(nic >> 24, 0x0060dd); /* Myricom's cards begin with 00:60:dd */
    CHECK_EQ(mx_board_number_to_nic_id(1, &same), MX_BOARD_UNKNOWN);
    CHECK(mx_nic_id_to_board_number(nic, &board) == MX_SUCCESS && board == 0);
    CHECK(mx_nic_id_to_board_number(nic + 1, &board) != MX_SUCCESS);
    CHECK(mx_nic_id_to_hostname(nic, name) == MX_SUCCESS && strncmp(name, own_host, strlen(own_host)) == 0 &&
          strcmp(name + strlen(own_host), ":0") == 0);
    CHECK(mx_nic_id_to_hostname(1, name) != MX_SUCCESS);
    CHECK(mx_hostname_to_nic_id(name, &same) == MX_SUCCESS && same == nic);
    strcpy(name, own_host);
    CHECK(mx_hostname_to_nic_id(name, &same) == MX_SUCCESS && same == nic);
    snprintf(name, sizeof name, "%s:0", other_host);
    CHECK(mx_hostname_to_nic_id(name, &same) == MX_SUCCESS && same != nic);
    strcpy(name, "nobody");
    CHECK_EQ(mx_hostname_to_nic_id(name, &same), MX_HOST_NOT_FOUND);
    CHECK_EQ(mx_hostname_to_nic_id(NULL, &same), MX_BAD_HOSTNAME_ARGS);
}

static void information(void) {
    uint32_t value = 9, board = 0, none = 5, count = 0;
    uint64_t ids[2] = {1, 1}, nic = 0;
    char text[MX_MAX_STR_LEN];
    mx_endpoint_t ep = NULL;
    snprintf(label, sizeof label, "mx_get_info");
    CHECK(mx_get_info(NULL, MX_NIC_COUNT, NULL, 0, &value, sizeof value) == MX_SUCCESS && value == 1);
    CHECK_EQ(mx_get_info(NULL, MX_NIC_IDS, NULL, 0, ids, sizeof ids), MX_SUCCESS);
    CHECK(mx_board_number_to_nic_id(0, &nic) == MX_SUCCESS && ids[0] == nic && ids[1] == 0);
    CHECK_EQ(mx_get_info(NULL, MX_NIC_IDS, NULL, 0, ids, 8), MX_BAD_INFO_LENGTH);
    CHECK(mx_get_info(NULL, MX_PRODUCT_CODE, &board, sizeof board, text, sizeof text) == MX_SUCCESS &&
          strcmp(text, "M3F-PCIXD-2") == 0);
    CHECK(mx_get_info(NULL, MX_PORT_COUNT, &board, sizeof board, &value, sizeof value) == MX_SUCCESS &&
          value == 1);
    CHECK(mx_get_info(NULL, MX_PIO_SEND_MAX, &board, sizeof board, &value, sizeof value) == MX_SUCCESS &&
          value == 128);
    CHECK(mx_get_info(NULL, MX_COPY_SEND_MAX, NULL, 0, &value, sizeof value) == MX_SUCCESS && value == 32768);
    CHECK(mx_get_info(NULL, MX_NET_TYPE, &board, sizeof board, &value, sizeof value) == MX_SUCCESS &&
          value == MX_NET_MYRI);
    CHECK(mx_get_info(NULL, MX_LINE_SPEED, &board, sizeof board, &value, sizeof value) == MX_SUCCESS &&
          value == MX_SPEED_2G);
    CHECK_EQ(mx_get_info(NULL, MX_NUMA_NODE, &board, sizeof board, &value, sizeof value), MX_SUCCESS);
    CHECK_EQ(mx_get_info(NULL, MX_PORT_COUNT, &none, sizeof none, &value, sizeof value), MX_BOARD_UNKNOWN);
    CHECK_EQ(mx_get_info(NULL, (mx_get_info_key_t)99, NULL, 0, &value, sizeof value), MX_BAD_INFO_KEY);
    CHECK_EQ(mx_get_info(NULL, MX_NIC_COUNT, NULL, 0, NULL, 4), MX_BAD_INFO_VAL);
    CHECK_EQ(mx_get_info(NULL, MX_NIC_COUNT, NULL, 0, &value, 2), MX_BAD_INFO_LENGTH);
    CHECK(mx_get_info(NULL, MX_COUNTERS_COUNT, &board, sizeof board, &count, sizeof count) == MX_SUCCESS &&
          count > 10);
    char* labels = calloc(count, MX_MAX_STR_LEN);
    uint32_t* values = calloc(count, sizeof *values);
    REQUIRE(labels && values);
    CHECK_EQ(mx_get_info(NULL, MX_COUNTERS_LABELS, &board, sizeof board, labels, count * MX_MAX_STR_LEN),
             MX_SUCCESS);
    CHECK_EQ(mx_get_info(NULL, MX_COUNTERS_VALUES, &board, sizeof board, values, count * 4), MX_SUCCESS);
    for (uint32_t i = 0; i < count; i++)
        CHECK(labels[i * MX_MAX_STR_LEN] != 0);
    free(labels);
    free(values);
    /* An endpoint stands for its board, whatever `in` says. */
    CHECK_EQ(mx_open_endpoint(0, 1, FILTER, NULL, 0, &ep), MX_SUCCESS);
    CHECK(mx_get_info(ep, MX_PORT_COUNT, &none, sizeof none, &value, sizeof value) == MX_SUCCESS &&
          value == 1);
    CHECK_EQ(mx_close_endpoint(ep), MX_SUCCESS);
}

static void requests(void) {
    mx_endpoint_t ep = NULL, second = NULL;
    mx_request_t request = NULL;
    mx_status_t status;
    uint32_t result;
    void* context;
    snprintf(label, sizeof label, "requests");
    CHECK_EQ(mx_open_endpoint(0, 1, FILTER, NULL, 0, &ep), MX_SUCCESS);
    CHECK_EQ(mx_open_endpoint(0, 2, FILTER, NULL, 0, &second), MX_SUCCESS);
    CHECK_EQ(mx_test(ep, &request, &status, &result), MX_BAD_REQUEST);
    CHECK_EQ(mx_wait(ep, &request, 1, &status, &result), MX_BAD_REQUEST);
    CHECK_EQ(mx_cancel(ep, &request, &result), MX_BAD_REQUEST);
    CHECK_EQ(mx_forget(ep, &request), MX_BAD_REQUEST);
    CHECK_EQ(mx_ibuffered(ep, &request, &result), MX_BAD_REQUEST);
    CHECK_EQ(mx_context(&request, &context), MX_BAD_REQUEST);
    CHECK_EQ(mx_irecv(ep, NULL, 0, 0, 0, NULL, &request), MX_SUCCESS);
    CHECK_EQ(mx_test(second, &request, &status, &result), MX_BAD_REQUEST); /* of another endpoint */
    CHECK_EQ(mx_cancel(ep, &request, &result), MX_SUCCESS);
    CHECK_EQ(mx_close_endpoint(second), MX_SUCCESS);
    CHECK_EQ(mx_close_endpoint(ep), MX_SUCCESS);
}

/* With context ids a receive must say which context it is for. */
static void context_ids(void) {
    mx_endpoint_t ep = NULL;
    mx_request_t request = NULL;
    uint32_t result;
    mx_param_t parameter = {MX_PARAM_CONTEXT_ID, {NULL}};
    snprintf(label, sizeof label, "context ids");
    parameter.val.context_id.bits = 8;
    parameter.val.context_id.shift = 40;
    CHECK_EQ(mx_open_endpoint(0, 1, FILTER, &parameter, 1, &ep), MX_SUCCESS);
    CHECK_EQ(mx_irecv(ep, NULL, 0, 0, 0, NULL, &request), MX_BAD_MATCHING_FOR_CONTEXT_ID_MASK);
    CHECK_EQ(mx_irecv(ep, NULL, 0, 0, UINT64_C(0x00007f0000000000), NULL, &request),
             MX_BAD_MATCHING_FOR_CONTEXT_ID_MASK);
    CHECK_EQ(mx_irecv(ep, NULL, 0, 0, UINT64_C(0x0000ff0000000000), NULL, &request), MX_SUCCESS);
    CHECK(mx_cancel(ep, &request, &result) == MX_SUCCESS && result == 1);
    CHECK_EQ(mx_close_endpoint(ep), MX_SUCCESS);
}

/* Declared, but nobody has them: they say so through the error handler. */
static void not_supported(void) {
    mx_endpoint_t ep = NULL;
    mx_endpoint_addr_t address;
    mx_request_t request = NULL;
    char bytes[4];
    snprintf(label, sizeof label, "not supported");
    CHECK_EQ(mx_open_endpoint(0, 1, FILTER, NULL, 0, &ep), MX_SUCCESS);
    CHECK_EQ(mx_get_endpoint_addr(ep, &address), MX_SUCCESS);
    CHECK_EQ(mx_iput(ep, bytes, 4, address, 0, NULL, &request), MX_FAILURE);
    CHECK_EQ(mx_iget(ep, bytes, 4, address, 0, NULL, &request), MX_FAILURE);
    CHECK_EQ(mx_close_endpoint(ep), MX_SUCCESS);
}

static void strings(void) {
    snprintf(label, sizeof label, "strings");
    for (int code = -1; code < 100; code++) {
        CHECK(mx_strerror((mx_return_t)code) != NULL && mx_strerror((mx_return_t)code)[0]);
        CHECK(mx_strstatus((mx_status_code_t)code) != NULL && mx_strstatus((mx_status_code_t)code)[0]);
    }
}

int main(int argc, char** argv) {
    if (argc == 3) {
        own_host = argv[1];
        other_host = argv[2];
    }
    mx_set_error_handler(MX_ERRORS_RETURN);
    strings();
    before_init();
    handlers();
    opening();
    names();
    information();
    requests();
    context_ids();
    not_supported();
    CHECK_EQ(mx_finalize(), MX_SUCCESS);
    CHECK_EQ(mx_finalize(), MX_NOT_INITIALIZED);
    return report();
}
