/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
#include "firmware/command.h"
#include "firmware/bench.h"
#include "firmware/endpoint.h"
#include "firmware/interrupt.h"
#include "firmware/quiet.h"

uint32_t command_done;

static enum { NONE, DRAINING, BENCHING } running;
static struct quiet_mark drain;

static void finish(enum fw_command_result result, uint32_t value) {
    running = NONE;
    store32(&globals.mailbox.result, result);
    store32(&globals.mailbox.result1, value);
    command_done = load32(&globals.mailbox.request);
    store32(&globals.mailbox.done, command_done);
    interrupt_raise();
}

static void drain_then_finish(int only_dma) {
    drain = quiet_mark_now(only_dma);
    running = DRAINING;
}

static void begin(void) {
    uint32_t arg0 = load32(&globals.mailbox.arg[0]);
    uint32_t arg1 = load32(&globals.mailbox.arg[1]);
    switch (load32(&globals.mailbox.opcode)) {
    case FW_COMMAND_OPEN:
        if (arg0 >= FW_ENDPOINTS)
            break;
        endpoint_open(arg0);
        finish(FW_RESULT_OK, 0);
        return;
    case FW_COMMAND_CLOSE:
        if (arg0 >= FW_ENDPOINTS)
            break;
        quiet_endpoint(arg0);
        endpoint_shut(arg0);
        drain_then_finish(0);
        return;
    case FW_COMMAND_RETIRE_WINDOW:
        if (arg0 >= FW_ENDPOINTS || arg1 >= FW_WINDOWS)
            break;
        quiet_window(arg0, arg1);
        drain_then_finish(1);
        return;
    case FW_COMMAND_PEERS:
        if (arg0 > FW_PEERS)
            break;
        peers_take(arg0);
        finish(FW_RESULT_OK, 0);
        return;
    case FW_COMMAND_DMABENCH:
        if (!bench_begin(arg0, arg1, load32(&globals.mailbox.arg[2]), load32(&globals.mailbox.arg[3]),
                         load32(&globals.mailbox.arg[4])))
            break;
        running = BENCHING;
        return;
    default:
        finish(FW_RESULT_BAD_OPCODE, 0);
        return;
    }
    finish(FW_RESULT_BAD_ARGUMENT, 0);
}

void command_step(void) {
    uint32_t cycles;
    switch (running) {
    case NONE:
        begin();
        break;
    case DRAINING:
        if (quiet_reached(&drain))
            finish(FW_RESULT_OK, 0);
        break;
    case BENCHING:
        if (bench_done(&cycles))
            finish(FW_RESULT_OK, cycles);
        break;
    }
}
