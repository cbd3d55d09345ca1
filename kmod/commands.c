// SPDX-License-Identifier: GPL-2.0-only
/* Firmware commands, one at a time: card->lock is held until the answer is there. */
#include <linux/jiffies.h>
#include <linux/sched/signal.h>

#include "kmod/myri.h"

/*
 * The longest command is a piece of a DMA benchmark, 16 MiB: 0.1 s on the slowest bus. A card that is merely slow (an
 * emulated one) has a hundred times as long; one that has failed is found by its heartbeat.
 */
#define COMMAND_TIMEOUT_MS 10000
#define LOOK_MS 500 /* between looks at the heartbeat; also finds an answer whose interrupt was lost */
#define BENCH_PIECE (16u << 20)

int myri_command(struct myri_card *card, u32 opcode, const u32 *arg, unsigned int args, u32 *value)
{
	const unsigned long deadline = jiffies + msecs_to_jiffies(COMMAND_TIMEOUT_MS);
	bool done = false;
	u32 answer = 0;
	int status, result = 0;

	lockdep_assert_held(&card->lock);
	if (card->dead)
		return -ENODEV;
	status = board_command_start(&card->board, opcode, arg, args);
	while (!status && !done) {
		wait_event_timeout(card->answered, (done = board_command_finished(&card->board, &result, &answer)),
				   msecs_to_jiffies(LOOK_MS));
		if (done)
			break;
		status = board_watch(&card->board, &card->watch, (u64)ktime_to_ms(ktime_get()), myri_watchdog_ms);
		if (!status && time_after(jiffies, deadline)) {
			dev_err(&card->dev, "command %u has no answer after %u ms\n", opcode, COMMAND_TIMEOUT_MS);
			status = -ETIMEDOUT;
		}
	}
	if (status) {
		myri_fail(card, status);
		return -EIO;
	}
	if (value)
		*value = answer;
	return result;
}

void myri_quiesce(struct myri_card *card, u32 opcode, const u32 *arg, unsigned int args)
{
	const u32 restarts = card->restarts;
	const int status = myri_command(card, opcode, arg, args, NULL);

	/* Neither carried out nor reset meanwhile: it is not to be trusted with memory any more. */
	if (status && !card->dead && card->restarts == restarts) {
		dev_err(&card->dev, "command %u, after which memory is freed, failed: %d\n", opcode, status);
		myri_fail(card, -EIO);
	}
}

/* In pieces, so that others' commands come in between. */
int myri_dmabench(struct myri_card *card, struct myri_dmabench *bench)
{
	u32 left = bench->count, count, cycles, arg[5];
	dma_addr_t bus;
	void *buffer;
	int status = 0;

	if (bench->direction < FW_DMABENCH_READ || bench->direction > FW_DMABENCH_BOTH || bench->bytes < 1 ||
	    bench->bytes > FW_DMABENCH_MAX || bench->count < 1 || bench->count > 65535)
		return -EINVAL;
	bench->cycles = 0;
	bench->core_khz = card->core_khz;
	for (; left && !status; left -= count) {
		if (signal_pending(current))
			return -EINTR;
		count = min(left, max(BENCH_PIECE / bench->bytes, 1u));
		mutex_lock(&card->lock);
		/* Allocated anew under the lock, because no DMA memory may be left when the card is removed. */
		buffer = card->dead ? NULL : dma_alloc_coherent(&card->pdev->dev, 2 * FW_DMABENCH_MAX, &bus, GFP_KERNEL);
		if (buffer) {
			arg[0] = bench->direction;
			arg[1] = bench->bytes;
			arg[2] = count;
			arg[3] = upper_32_bits(bus);
			arg[4] = lower_32_bits(bus);
			status = myri_command(card, FW_COMMAND_DMABENCH, arg, 5, &cycles);
			if (!status)
				bench->cycles += cycles;
			dma_free_coherent(&card->pdev->dev, 2 * FW_DMABENCH_MAX, buffer, bus);
		} else {
			status = card->dead ? -ENODEV : -ENOMEM;
		}
		mutex_unlock(&card->lock);
	}
	return status;
}
