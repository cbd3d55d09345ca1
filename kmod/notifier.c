// SPDX-License-Identifier: GPL-2.0-only
/*
 * What happens to an address space that has an endpoint: registered memory is unmapped, or all of it ends. The first is told
 * to the process through its host page before the call that unmaps returns; pages stay pinned until the process
 * unregisters them, so the card's DMA stays harmless.
 */
#include <linux/slab.h>

#include "kmod/myri.h"

/* ---- registered memory ----------------------------------------------------------------------------------- */

static bool invalidate(struct mmu_interval_notifier *notifier, const struct mmu_notifier_range *range, unsigned long seq)
{
	struct myri_watch *watch = container_of(notifier, struct myri_watch, notifier);
	struct myri_window *window = watch->window;
	struct myri_endpoint *endpoint = window->endpoint;
	unsigned long flags;
	u32 *word;

	spin_lock_irqsave(&endpoint->spin, flags);
	mmu_interval_set_seq(notifier, seq);
	switch (range->event) {
	case MMU_NOTIFY_PROTECTION_VMA:
	case MMU_NOTIFY_PROTECTION_PAGE:
	case MMU_NOTIFY_SOFT_DIRTY:
		break; /* the same pages remain: fork copies pinned ones for the child */
	default:
		window->stale = true;
		if (window->index >= 0) {
			word = &endpoint->page->stale[window->index / 32];
			WRITE_ONCE(*word, *word | 1u << window->index % 32);
		}
	}
	spin_unlock_irqrestore(&endpoint->spin, flags);
	return true;
}

static const struct mmu_interval_notifier_ops memory_operations = {
	.invalidate = invalidate,
};

int myri_watch_begin(struct myri_window *window, const struct myri_register *request)
{
	const struct myri_segment *segment;
	struct myri_watch *watch;
	int status;
	u32 n;

	window->watch = kvcalloc(request->count, sizeof(*window->watch), GFP_KERNEL);
	if (!window->watch)
		return -ENOMEM;
	for (n = 0; n < request->count; n++) {
		segment = &request->segment[n];
		if (!segment->length)
			continue;
		watch = &window->watch[window->watches];
		watch->window = window;
		status = mmu_interval_notifier_insert(&watch->notifier, current->mm, (unsigned long)segment->address,
						      (unsigned long)segment->length, &memory_operations);
		if (status == -EINTR)
			return -ERESTARTNOINTR; /* a signal: the request is made again behind it */
		if (status)
			return status == -ENOMEM ? -ENOMEM : -EFAULT;
		window->watches++;
	}
	return 0;
}

void myri_watch_again(struct myri_window *window)
{
	unsigned int n;

	for (n = 0; n < window->watches; n++)
		window->watch[n].seq = mmu_interval_read_begin(&window->watch[n].notifier);
}

bool myri_watch_settled(struct myri_window *window)
{
	bool settled = true;
	unsigned int n;

	spin_lock_irq(&window->endpoint->spin);
	for (n = 0; n < window->watches; n++)
		if (mmu_interval_read_retry(&window->watch[n].notifier, window->watch[n].seq))
			settled = false;
	/* Pinning itself may have moved memory: only what comes from here on counts. */
	if (settled)
		window->stale = false;
	spin_unlock_irq(&window->endpoint->spin);
	return settled;
}

void myri_watch_end(struct myri_window *window)
{
	while (window->watches)
		mmu_interval_notifier_remove(&window->watch[--window->watches].notifier);
	kvfree(window->watch);
	window->watch = NULL;
}

/* ---- the whole address space ----------------------------------------------------------------------------- */

static void address_space_ends(struct mmu_notifier *notifier, struct mm_struct *mm)
{
	struct myri_endpoint *endpoint = container_of(notifier, struct myri_endpoint, exit);

	/* Whoever exits need not wait for the firmware: rings are ours and registered pages pinned. */
	kref_get(&endpoint->kref);
	if (!queue_work(myri_work, &endpoint->end_work))
		myri_endpoint_put(endpoint);
}

static void no_longer_called(struct mmu_notifier *notifier)
{
	struct myri_endpoint *endpoint = container_of(notifier, struct myri_endpoint, exit);

	/* Not here: the last reference is given up by a caller that may sleep. */
	queue_work(myri_work, &endpoint->put_work);
}

static const struct mmu_notifier_ops exit_operations = {
	.release = address_space_ends,
	.free_notifier = no_longer_called,
};

int myri_exit_watch_begin(struct myri_endpoint *endpoint)
{
	int status;

	endpoint->exit.ops = &exit_operations;
	kref_get(&endpoint->kref);
	status = mmu_notifier_register(&endpoint->exit, current->mm);
	if (status) {
		myri_endpoint_put(endpoint);
		return status == -EINTR ? -ERESTARTNOINTR : status; /* a signal: the request is made again behind it */
	}
	endpoint->mm = current->mm;
	return 0;
}

void myri_exit_watch_end(struct myri_endpoint *endpoint)
{
	endpoint->mm = NULL; /* `exit` keeps it no longer, and cannot be used again */
	mmu_notifier_put(&endpoint->exit);
}
