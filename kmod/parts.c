// SPDX-License-Identifier: GPL-2.0-only
/* The memory that an endpoint shares with its process and its card. */
#include <linux/mm.h>

#include "kmod/myri.h"

static void free_part(struct myri_endpoint *endpoint, struct myri_part *part)
{
	if (!part->memory)
		return;
	sg_free_table(&part->pages);
	dma_free_coherent(&endpoint->card->pdev->dev, part->bytes, part->memory, part->bus);
	memset(part, 0, sizeof(*part));
}

/* One DMA mapping for the whole part: the card counts places in it from one address, in its low half only. */
static int make_part(struct myri_endpoint *endpoint, enum myri_part_kind kind, u32 bytes, u32 *offset)
{
	struct device *device = &endpoint->card->pdev->dev;
	struct myri_part *part = &endpoint->part[kind];
	int status;

	part->bytes = PAGE_ALIGN(bytes);
	part->offset = MYRI_MMAP_RINGS + (u64)*offset;
	part->memory = dma_alloc_coherent(device, part->bytes, &part->bus, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!part->memory)
		return -ENOMEM;
	status = dma_get_sgtable(device, &part->pages, part->memory, part->bus, part->bytes);
	if (!status && upper_32_bits(part->bus) != upper_32_bits(part->bus + part->bytes - 1)) {
		sg_free_table(&part->pages);
		status = -ENOMEM;
	}
	if (status) {
		dma_free_coherent(device, part->bytes, part->memory, part->bus);
		part->memory = NULL;
		return status;
	}
	*offset += part->bytes;
	return 0;
}

int myri_parts_make(struct myri_endpoint *endpoint, struct myri_endpoint_open *request)
{
	const u32 event_bytes = request->event_entries * FW_EVENT_SIZE;
	struct myri_part *part = endpoint->part;
	u32 at = 0;
	int status;

	part[MYRI_PART_WINDOW].offset = MYRI_MMAP_WINDOW;
	part[MYRI_PART_WINDOW].bytes = FW_ENDPOINT_WINDOW_SIZE;

	request->event_offset = at;
	status = make_part(endpoint, MYRI_PART_EVENTS, event_bytes, &at);
	request->receive_offset = at;
	status = status ?: make_part(endpoint, MYRI_PART_RECEIVE, request->receive_bytes, &at);
	request->send_offset = at;
	status = status ?: make_part(endpoint, MYRI_PART_SEND, request->send_bytes, &at);
	request->page_offset = at;
	part[MYRI_PART_PAGE].offset = MYRI_MMAP_RINGS + (u64)at;
	part[MYRI_PART_PAGE].bytes = PAGE_SIZE;
	at += PAGE_SIZE;
	request->bounce_offset = 0;
	request->bounce_bytes = 0;
	if (!status && endpoint->card->bounces) {
		request->bounce_offset = at;
		request->bounce_bytes = READ_ONCE(myri_bounce_kib) << 10;
		status = make_part(endpoint, MYRI_PART_BOUNCE, request->bounce_bytes, &at);
		request->bounce_bytes = (u32)part[MYRI_PART_BOUNCE].bytes;
	}
	request->ring_bytes = at;
	if (status)
		myri_parts_free(endpoint);
	return status;
}

void myri_parts_free(struct myri_endpoint *endpoint)
{
	free_part(endpoint, &endpoint->part[MYRI_PART_EVENTS]);
	free_part(endpoint, &endpoint->part[MYRI_PART_RECEIVE]);
	free_part(endpoint, &endpoint->part[MYRI_PART_SEND]);
	free_part(endpoint, &endpoint->part[MYRI_PART_BOUNCE]);
}

unsigned long myri_part_pfn(struct myri_endpoint *endpoint, enum myri_part_kind kind, unsigned long page)
{
	struct myri_part *part = &endpoint->part[kind];
	struct scatterlist *sg;
	unsigned int n;

	if (kind == MYRI_PART_PAGE)
		return page_to_pfn(virt_to_page(endpoint->page));
	if (kind == MYRI_PART_WINDOW)
		return ((unsigned long)(pci_resource_start(endpoint->card->pdev, 0) + FW_SRAM_ENDPOINT_WINDOWS +
					endpoint->id * FW_ENDPOINT_WINDOW_SIZE) >> PAGE_SHIFT) + page;
	for_each_sgtable_sg(&part->pages, sg, n) {
		if (page < sg->length >> PAGE_SHIFT)
			return page_to_pfn(sg_page(sg)) + page;
		page -= sg->length >> PAGE_SHIFT;
	}
	return page_to_pfn(endpoint->card->blank); /* not reached: a part's pages cover it */
}
