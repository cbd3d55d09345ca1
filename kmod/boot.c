// SPDX-License-Identifier: GPL-2.0-only
/* What board/ needs to reach a card: BAR0 is big-endian and mapped in stretches. */
#include <linux/bits.h>
#include <linux/delay.h>
#include <linux/io.h>
#include <linux/io-64-nonatomic-lo-hi.h>

#include "kmod/myri.h"

static void __iomem *place(struct myri_card *card, u32 offset)
{
	if (offset < FW_SRAM_ENDPOINT_WINDOWS)
		return card->stretch[MYRI_SRAM_LOW] + offset;
	if (offset < FW_SRAM_BUFFERS)
		return card->stretch[MYRI_SRAM_WINDOWS] + (offset - FW_SRAM_ENDPOINT_WINDOWS);
	if (offset < LANAI_BAR0_CONTROL)
		return card->stretch[MYRI_SRAM_HIGH] + (offset - FW_SRAM_BUFFERS);
	if (offset < LANAI_BAR0_SPECIAL)
		return card->stretch[MYRI_CONTROL] + (offset - LANAI_BAR0_CONTROL);
	return card->stretch[MYRI_SPECIAL] + (offset - LANAI_BAR0_SPECIAL);
}

static bool write_combined(u32 offset)
{
	return offset >= FW_SRAM_ENDPOINT_WINDOWS && offset < FW_SRAM_BUFFERS;
}

static uint32_t read32(void *context, uint32_t offset)
{
	return ioread32be(place(context, offset));
}

static void write32(void *context, uint32_t offset, uint32_t value)
{
	iowrite32be(value, place(context, offset));
	if (write_combined(offset))
		wmb(); /* board/ counts on the order of its accesses */
}

/* In the order in which the bytes stand in memory, whatever the processor's. */
static void copy_to_sram(void *context, uint32_t offset, const void *bytes, uint32_t length)
{
	u32 done = 0, word = 0;
	u64 words;

	for (; length - done >= 8 && (offset + done) % 8 == 0; done += 8) {
		memcpy(&words, bytes + done, 8);
		__raw_writeq(words, place(context, offset + done));
	}
	for (; length - done >= 4; done += 4) {
		memcpy(&word, bytes + done, 4);
		__raw_writel(word, place(context, offset + done));
	}
	if (done < length) {
		word = 0;
		memcpy(&word, bytes + done, length - done);
		__raw_writel(word, place(context, offset + done));
	}
	wmb(); /* as in write32 */
}

static void zero_sram(void *context, uint32_t offset, uint32_t length)
{
	u32 done = 0;

	for (; length - done >= 8 && (offset + done) % 8 == 0; done += 8)
		__raw_writeq(0, place(context, offset + done));
	for (; done < length; done += 4)
		__raw_writel(0, place(context, offset + done));
	wmb(); /* as in write32 */
}

static void delay_ms(void *context, uint32_t ms)
{
	fsleep(ms * 1000UL);
}

static void bus_master(void *context, bool on)
{
	struct myri_card *card = context;

	if (on)
		pci_set_master(card->pdev);
	else
		pci_clear_master(card->pdev);
}

static void log_line(void *context, const char *text)
{
	struct myri_card *card = context;

	dev_err_ratelimited(&card->dev, "%s\n", text);
}

static const struct board_ops operations = {
	.read32 = read32,
	.write32 = write32,
	.copy_to_sram = copy_to_sram,
	.zero_sram = zero_sram,
	.delay_ms = delay_ms,
	.bus_master = bus_master,
	.log = log_line,
};

/* A narrow register stands in its byte lane of a big-endian word. */
u32 myri_register_read(struct myri_card *card, enum lanai_register reg, unsigned int bits)
{
	const u32 word = read32(card, LANAI_BAR0_SPECIAL + ((u32)reg & ~3u));

	return word >> (32 - bits - 8 * (reg & 3)) & GENMASK(bits - 1, 0);
}

bool myri_link_up(struct myri_card *card)
{
	return !card->dead && myri_register_read(card, LANAI_ISR, 32) & LANAI_ISR_P0_LINK_READY;
}

int myri_boot(struct myri_card *card)
{
	int status;

	lockdep_assert_held(&card->lock);
	status = board_boot(&card->board, &operations, card, card->core_khz, card->image->data, (u32)card->image->size);
	if (status)
		return status;
	/* Processes map this part of BAR0, and it alone is mapped write-combined. */
	if (card->board.endpoint_windows != FW_SRAM_ENDPOINT_WINDOWS) {
		dev_err(&card->dev, "the firmware's SRAM windows are at 0x%x: this driver needs them at 0x%x\n",
			card->board.endpoint_windows, FW_SRAM_ENDPOINT_WINDOWS);
		board_park(&card->board);
		return -EPROTO;
	}
	return 0;
}
