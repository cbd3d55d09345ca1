/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The control program's loop.
 *
 * Contract of the idle pass (emulators skip passes that repeat): a pass that finds nothing to do stores nothing and
 * reads no clock. Receiving goes before sending; each pass takes one packet and one request of each endpoint.
 */
#include "firmware/command.h"
#include "firmware/interrupt.h"
#include "firmware/pull.h"
#include "firmware/receive.h"
#include "firmware/serve.h"
#include "firmware/short_message.h"
#include "firmware/stop.h"
#include "firmware/tick.h"

#define TIMERS (LANAI_ISR_TIME(0) | LANAI_ISR_TIME(1))
#define FAILURES (LANAI_ISR_DMA_ERROR | LANAI_ISR_PARITY)
#define LOOKED_AT                                                                                                  \
    (LANAI_ISR_DMA_DONE(DMA_READ) | LANAI_ISR_DMA_DONE(DMA_WRITE) | LANAI_ISR_DMA_DONE(DMA_LISTS) |                \
     LANAI_ISR_DMA_DONE(DMA_BENCH) | LANAI_ISR_P0_SENT | TIMERS | FAILURES)

static _Noreturn __attribute__((noinline)) void failed(uint32_t isr) {
    if (isr & LANAI_ISR_PARITY)
        firmware_stop_parity();
    COUNT(dma_errors);
    firmware_stop(FW_ERROR_DMA);
}

static void interrupts(uint32_t isr) {
    if (isr & FAILURES)
        failed(isr); /* PARITY_INT is left for the host to see */
    register_store32(ISR, isr); /* before looking for the cause: what comes later sets the bit again */
    if (isr & LANAI_ISR_DMA_DONE(DMA_READ)) { /* first of all: a packet may have waited for it */
        dma_look(DMA_READ);
        if (transmit.queue_head != transmit.queue_tail)
            transmit_pump();
    }
    if (isr & LANAI_ISR_P0_SENT) {
        transmit_collect();
        transmit_look();
    }
    if (isr & LANAI_ISR_DMA_DONE(DMA_WRITE)) {
        receive_collect();
        if (interrupt_causes)
            event_wake_due();
    }
    if (isr & LANAI_ISR_DMA_DONE(DMA_LISTS))
        dma_look(DMA_LISTS);
    if (isr & LANAI_ISR_DMA_DONE(DMA_BENCH))
        dma_look(DMA_BENCH);
    if (isr & TIMERS)
        tick_interrupt(isr);
}

/* Everything that is not a short message: kept out of the loop, whose length is part of every message's latency. */
static __attribute__((noinline)) void rest(uint32_t isr) {
    if (isr & LOOKED_AT)
        interrupts(isr & LOOKED_AT);
    if (pull_work)
        pull_step();
    if (serves_active)
        serve_step();
    if (transmit.due)
        transmit_pump();
    if (command_waits())
        command_step();
}

/* The label of the loop's head below. An assembler label: clang relocates the address of a C label wrongly. */
extern const char idle_loop[];

int main(void) {
    store32(&globals.idle_loop, (uint32_t)(uintptr_t)idle_loop);
    globals_init();
    dma_init();
    transmit_init();
    receive_init();
    tick_init();
    store32(&globals.status, FW_STATUS_RUN);
    for (;;) {
        __asm__ volatile(".globl idle_loop\nidle_loop:" ::: "memory");
        uint32_t arrived = receive_ready();
        if (arrived && !receive_short(arrived))
            receive_take();
        struct endpoint* e = endpoint_ring;
        if (e) {
            struct endpoint* begin = e;
            do {
                uint32_t last_word = slot_last_word(e);
                if (slot_is_new(e, last_word)) {
                    if (!slot_short(e, last_word) && !slot_take(e)) {
                        /* It has to wait, and so had the others: see what can be released. It will be the first then. */
                        if (endpoint_ring != e)
                            endpoint_ring = e;
                        break;
                    }
                    /* Read again: kept over the call it would stand on the stack, and an idle pass stores nothing. */
                    begin = endpoint_ring;
                }
                e = e->next;
            } while (e != begin);
        }
        /* One branch for all the rest. */
        uint32_t isr = register_load32(ISR);
        uint32_t command = load32(&globals.mailbox.request) ^ command_done;
        if ((isr & LOOKED_AT) | pull_work | serves_active | transmit.due | command)
            rest(isr);
    }
}
