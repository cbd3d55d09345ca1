/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
#include "firmware/quiet.h"
#include "firmware/dma.h"
#include "firmware/pull.h"
#include "firmware/serve.h"
#include "firmware/transmit.h"

void quiet_endpoint(uint32_t endpoint) {
    pull_end(endpoint, FW_WINDOWS);
    serve_end(endpoint, FW_WINDOWS);
}

void quiet_window(uint32_t endpoint, uint32_t window) {
    pull_end(endpoint, window);
    serve_end(endpoint, window);
}

struct quiet_mark quiet_mark_now(int only_dma) {
    struct quiet_mark mark = {
        .packets = transmit.pushed, .queued = transmit.queue_tail, .only_dma = (uint8_t)only_dma};
    for (unsigned channel = 0; channel < LANAI_DMA_CHANNELS; channel++)
        mark.dma[channel] = dma[channel].queued;
    return mark;
}

static int passed(uint32_t counter, uint32_t mark) { return (int32_t)(counter - mark) >= 0; }

int quiet_reached(struct quiet_mark* mark) {
    for (unsigned channel = 0; channel < LANAI_DMA_CHANNELS; channel++)
        if (!passed(dma[channel].done, mark->dma[channel]))
            return 0;
    if (mark->only_dma)
        return 1;
    if (!mark->passed_queue) {
        if (!passed(transmit.queue_head, mark->queued))
            return 0;
        /* What stood in the queue is in the port now. */
        mark->passed_queue = 1;
        mark->packets = transmit.pushed;
    }
    return passed(transmit.sent, mark->packets);
}
