// SPDX-License-Identifier: GPL-2.0-only
/* Registered windows: a page list for the card, and memory that stays until the card has let go of it. */
#include <linux/slab.h>

#include "kmod/myri.h"

/* Total length of the segments; 0 or -EINVAL, -E2BIG. */
static int measure(const struct myri_register *request, u32 *length)
{
	u64 sum = 0;
	u32 n;

	if (request->count < 1 || request->count > MYRI_SEGMENTS_MAX ||
	    request->flags & ~(MYRI_REGISTER_WRITABLE | MYRI_REGISTER_BOUNCE))
		return -EINVAL;
	for (n = 0; n < request->count; n++) {
		if (request->segment[n].length > FW_WINDOW_MAX - sum)
			return -E2BIG;
		sum += request->segment[n].length;
	}
	*length = (u32)sum;
	return sum ? 0 : -EINVAL;
}

/* ---- page list ------------------------------------------------------------------------------------------- */

struct list_end {
	struct fw_piece *list;
	u64 at; /* in the window's byte stream */
	unsigned int pieces; /* in the present block */
	u64 behind; /* bus address behind the last piece */
};

/* -E2BIG: more pieces in one block than a page list has room for. */
static int append(struct list_end *end, u64 bus, u64 length)
{
	struct fw_piece *piece;
	u32 part;

	for (; length; length -= part, bus += part) {
		if (end->at % WIRE_BLOCK_SIZE == 0)
			end->pieces = 0;
		/* A piece lies in one block and does not cross 4 GiB. */
		part = (u32)min3(length, WIRE_BLOCK_SIZE - end->at % WIRE_BLOCK_SIZE,
				 BIT_ULL(32) - lower_32_bits(bus));
		piece = end->list + end->at / WIRE_BLOCK_SIZE * FW_WINDOW_PIECES + end->pieces;
		if (end->pieces && bus == end->behind && lower_32_bits(bus)) {
			piece--;
			piece->length = cpu_to_be32(be32_to_cpu(piece->length) + part);
		} else if (end->pieces == FW_WINDOW_PIECES) {
			return -E2BIG;
		} else {
			piece->address = cpu_to_be64(bus);
			piece->length = cpu_to_be32(part);
			end->pieces++;
		}
		end->behind = bus + part;
		end->at += part;
	}
	return 0;
}

static int list_pages(struct myri_window *window, struct list_end *end)
{
	struct scatterlist *sg;
	unsigned int n;
	int status;

	for_each_sgtable_dma_sg(&window->table, sg, n) {
		status = append(end, sg_dma_address(sg), sg_dma_len(sg));
		if (status)
			return status;
	}
	return 0;
}

static int list_bounce(struct myri_window *window, const struct myri_register *request, struct list_end *end)
{
	const struct myri_part *bounce = &window->endpoint->part[MYRI_PART_BOUNCE];
	const struct myri_segment *segment;
	int status = 0;
	u32 n;

	for (n = 0; n < request->count && !status; n++) {
		segment = &request->segment[n];
		if (segment->length > bounce->bytes || segment->address > bounce->bytes - segment->length)
			return -EFAULT;
		status = append(end, bounce->bus + segment->address, segment->length);
	}
	return status;
}

static int make_list(struct myri_window *window, const struct myri_register *request)
{
	struct device *device = &window->endpoint->card->pdev->dev;
	struct list_end end = {};
	int status;

	window->list_bytes = DIV_ROUND_UP(window->length, WIRE_BLOCK_SIZE) * FW_WINDOW_PIECES * sizeof(*window->list);
	window->list = dma_alloc_coherent(device, window->list_bytes, &window->list_bus, GFP_KERNEL);
	if (!window->list)
		return -ENOMEM;
	end.list = window->list;
	if (request->flags & MYRI_REGISTER_BOUNCE)
		return list_bounce(window, request, &end);
	status = dma_map_sgtable(device, &window->table, window->writable ? DMA_BIDIRECTIONAL : DMA_TO_DEVICE, 0);
	if (status)
		return status == -ENOMEM ? -ENOMEM : -EIO;
	window->mapped = true;
	return list_pages(window, &end);
}

/* ---- windows --------------------------------------------------------------------------------------------- */

static void destroy(struct myri_window *window)
{
	struct device *device = &window->endpoint->card->pdev->dev;

	if (window->mapped)
		dma_unmap_sgtable(device, &window->table, window->writable ? DMA_BIDIRECTIONAL : DMA_TO_DEVICE, 0);
	if (window->list)
		dma_free_coherent(device, window->list_bytes, window->list, window->list_bus);
	myri_pages_unpin(window);
	kfree(window);
}

static int tell_card(struct myri_window *window)
{
	struct myri_endpoint *endpoint = window->endpoint;

	return board_window_set(&endpoint->card->board, endpoint->id, (u32)window->index,
				endpoint->generation[window->index], window->list_bus, window->length, window->writable);
}

static void enter(struct myri_window *window, int index)
{
	struct myri_endpoint *endpoint = window->endpoint;
	const u32 bit = 1u << index % 32;
	u32 *word = &endpoint->page->stale[index / 32];

	endpoint->window[index] = window;
	endpoint->generation[index] = endpoint->generation[index] == 0xffff ? 1 : endpoint->generation[index] + 1;
	spin_lock_irq(&endpoint->spin);
	window->index = index;
	WRITE_ONCE(*word, window->stale ? *word | bit : *word & ~bit);
	spin_unlock_irq(&endpoint->spin);
}

static void leave(struct myri_window *window)
{
	struct myri_endpoint *endpoint = window->endpoint;

	endpoint->window[window->index] = NULL;
	spin_lock_irq(&endpoint->spin);
	window->index = -1;
	spin_unlock_irq(&endpoint->spin);
}

static int free_index(const struct myri_endpoint *endpoint)
{
	int n;

	for (n = 0; n < (int)FW_WINDOWS; n++)
		if (!endpoint->window[n])
			return n;
	return -ENOSPC;
}

/* Makes a pinned window usable. Caller holds endpoint->lock. */
static int add(struct myri_window *window, struct myri_register *request)
{
	struct myri_endpoint *endpoint = window->endpoint;
	struct myri_card *card = endpoint->card;
	int status, index;

	status = myri_endpoint_check(endpoint, request->endpoint);
	if (status)
		return status;
	index = free_index(endpoint);
	if (index < 0)
		return index;
	status = make_list(window, request);
	if (status)
		return status;
	enter(window, index);
	mutex_lock(&card->lock);
	if (card->dead)
		status = -ENODEV;
	else if (!endpoint->held) /* otherwise the card gets it when the process comes back */
		status = tell_card(window);
	mutex_unlock(&card->lock);
	if (status) {
		leave(window);
		return status;
	}
	request->window = (u32)index;
	request->generation = endpoint->generation[index];
	return 0;
}

int myri_window_register(struct myri_endpoint *endpoint, struct myri_register *request)
{
	const bool bounce = request->flags & MYRI_REGISTER_BOUNCE;
	struct myri_window *window;
	u32 length;
	int status;

	status = measure(request, &length);
	if (status)
		return status;
	status = myri_endpoint_check(endpoint, request->endpoint);
	if (status)
		return status;
	if (READ_ONCE(endpoint->card->dead))
		return -ENODEV;
	if (bounce != endpoint->card->bounces)
		return bounce ? -EINVAL : -EOPNOTSUPP;
	window = kzalloc(sizeof(*window), GFP_KERNEL);
	if (!window)
		return -ENOMEM;
	window->endpoint = endpoint;
	window->length = length;
	window->writable = request->flags & MYRI_REGISTER_WRITABLE;
	window->index = -1;
	/* Without a lock: memory may be such that its pages do not come for a long time. */
	status = bounce ? 0 : myri_pages_pin(window, request);
	if (status) {
		kfree(window);
		return status;
	}
	mutex_lock(&endpoint->lock);
	status = add(window, request);
	if (status)
		destroy(window);
	mutex_unlock(&endpoint->lock);
	return status;
}

int myri_window_unregister(struct myri_endpoint *endpoint, const struct myri_unregister *request)
{
	struct myri_card *card = endpoint->card;
	const u32 arg[2] = { request->endpoint, request->window };
	struct myri_window *window;
	int status;

	mutex_lock(&endpoint->lock);
	status = myri_endpoint_check(endpoint, request->endpoint);
	if (status)
		goto unlock;
	status = -EINVAL;
	if (request->window >= FW_WINDOWS)
		goto unlock;
	window = endpoint->window[request->window];
	if (!window || endpoint->generation[request->window] != request->generation)
		goto unlock;
	mutex_lock(&card->lock);
	if (!card->dead && !endpoint->held) {
		board_window_clear(&card->board, request->endpoint, request->window);
		myri_quiesce(card, FW_COMMAND_RETIRE_WINDOW, arg, 2);
	}
	mutex_unlock(&card->lock);
	leave(window);
	destroy(window);
	status = 0;
unlock:
	mutex_unlock(&endpoint->lock);
	return status;
}

int myri_windows_restore(struct myri_endpoint *endpoint)
{
	int n, status = 0;

	for (n = 0; n < (int)FW_WINDOWS && !status; n++)
		if (endpoint->window[n])
			status = tell_card(endpoint->window[n]);
	return status;
}

void myri_windows_free(struct myri_endpoint *endpoint)
{
	struct myri_window *window;
	int n;

	for (n = 0; n < (int)FW_WINDOWS; n++) {
		window = endpoint->window[n];
		if (!window)
			continue;
		leave(window);
		destroy(window);
	}
}
