/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
#include "firmware/stop.h"
#include "firmware/dma.h"
#include "firmware/interrupt.h"

static void close_port(void) {
    register_store32(P0_RPL_CONFIG, 0);
    register_store8(P0_SEND_CONTROL, LANAI_SEND_CONTROL_FLUSH);
}

_Noreturn void firmware_stop(enum fw_error reason) {
    close_port();
    store32(&globals.error, reason);
    store32(&globals.status, FW_STATUS_ERROR);
    interrupt_raise();
    if (reason == FW_ERROR_DMA)
        interrupt_raise_last();
    for (;;) {
        if (interrupt_causes & INTERRUPT_OWED) {
            dma_look(DMA_WRITE);
            interrupt_raise();
        }
    }
}

_Noreturn void firmware_stop_parity(void) {
    register_store32(DMA_CONFIG, register_load32(DMA_CONFIG) & ~LANAI_DMA_ENABLE);
    close_port();
    store32(&globals.status, FW_STATUS_PARITY);
    register_store32(ISR, LANAI_ISR_REQ_ACK_1 | LANAI_ISR_REQ_ACK_0);
    while (register_load32(ISR) & LANAI_ISR_REQ_ACK_1) {
    }
    for (;;) {
    }
}
