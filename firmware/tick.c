/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
#include "firmware/tick.h"
#include "firmware/event.h"
#include "firmware/interrupt.h"
#include "firmware/nack.h"
#include "firmware/pull.h"
#include "firmware/transmit.h"

#define TICKS_PER_US (1000u / LANAI_TIMER_TICK_NS)

static uint32_t wanted;

void tick_init(void) { register_store32(IT0, FW_HEARTBEAT_MS * 1000u * TICKS_PER_US); }

void tick_want(uint32_t who) {
    if (wanted == 0)
        register_store32(IT1, TICK_US * TICKS_PER_US);
    wanted |= who;
}

static void tick(void) {
    uint32_t who = wanted;
    wanted = 0;
    if (who & TICK_WAKES) {
        event_wake_due();
        if (interrupt_causes & ~INTERRUPT_OWED)
            tick_want(TICK_WAKES);
    }
    if (who & TICK_PULLS && pull_tick())
        tick_want(TICK_PULLS);
    if (who & TICK_SLOTS)
        for (struct endpoint** e = open_endpoints; *e; e++)
            slots_report(*e);
}

void tick_interrupt(uint32_t isr) {
    if (isr & LANAI_ISR_TIME(0)) {
        register_store32(IT0, FW_HEARTBEAT_MS * 1000u * TICKS_PER_US);
        store32(&globals.heartbeat, load32(&globals.heartbeat) + 1);
        nack_tick();
    }
    if (isr & LANAI_ISR_TIME(1))
        tick();
}
