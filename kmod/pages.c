// SPDX-License-Identifier: GPL-2.0-only
/* User memory is pinned and counted against RLIMIT_MEMLOCK, watched from before it is pinned. */
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "kmod/myri.h"

#define TRIES 8 /* pinning anew because memory was unmapped meanwhile */

static unsigned long first_page(const struct myri_segment *segment)
{
	return (unsigned long)segment->address & PAGE_MASK;
}

static unsigned long segment_pages(const struct myri_segment *segment)
{
	return ((unsigned long)(segment->address + segment->length - 1) >> PAGE_SHIFT) -
	       (first_page(segment) >> PAGE_SHIFT) + 1;
}

/* Segments' lengths have been checked. */
static int count_pages(const struct myri_register *request, unsigned long *pages)
{
	const struct myri_segment *segment;
	u32 n;

	*pages = 0;
	for (n = 0; n < request->count; n++) {
		segment = &request->segment[n];
		if (!segment->length)
			continue;
		if (segment->address != (unsigned long)segment->address ||
		    !access_ok((void __user *)(unsigned long)segment->address, (unsigned long)segment->length))
			return -EFAULT;
		*pages += segment_pages(segment);
	}
	return 0;
}

static void unpin(struct myri_window *window)
{
	unpin_user_pages_dirty_lock(window->page, window->pages, window->writable);
	window->pages = 0;
}

static int pin_segment(struct myri_window *window, const struct myri_segment *segment)
{
	unsigned int flags = FOLL_LONGTERM | (window->writable ? FOLL_WRITE : MYRI_PIN_READ);
	unsigned long start = first_page(segment), left = segment_pages(segment);
	int got;

	/* MYRI_PIN_READ would get at what the process itself may not read. */
	if (!window->writable &&
	    fault_in_readable((const char __user *)(unsigned long)segment->address, (size_t)segment->length))
		return -EFAULT;
	while (left) {
		got = pin_user_pages_fast(start, (int)left, flags, window->page + window->pages);
		if (got == -EFAULT && !window->writable && flags != FOLL_LONGTERM) {
			flags = FOLL_LONGTERM; /* shared and only to be read: nobody gets a page of his own */
			continue;
		}
		if (got <= 0)
			return got == -ENOMEM || got == -EINTR ? got : -EFAULT;
		window->pages += (unsigned long)got;
		start += (unsigned long)got * PAGE_SIZE;
		left -= (unsigned long)got;
	}
	return 0;
}

static int pin(struct myri_window *window, const struct myri_register *request)
{
	int status = 0;
	u32 n;

	myri_watch_again(window);
	for (n = 0; n < request->count && !status; n++)
		if (request->segment[n].length)
			status = pin_segment(window, &request->segment[n]);
	return status;
}

/* The byte stream: a part of a page for each entry. */
static int make_table(struct myri_window *window, const struct myri_register *request)
{
	struct scatterlist *sg;
	unsigned long page = 0;
	unsigned int offset;
	u64 left;
	u32 n, part;
	int status;

	status = sg_alloc_table(&window->table, (unsigned int)window->pages, GFP_KERNEL);
	if (status)
		return status;
	sg = window->table.sgl;
	for (n = 0; n < request->count; n++) {
		offset = offset_in_page(request->segment[n].address);
		for (left = request->segment[n].length; left; left -= part) {
			part = (u32)min_t(u64, left, PAGE_SIZE - offset);
			sg_set_page(sg, window->page[page++], part, offset);
			sg = sg_next(sg);
			offset = 0;
		}
	}
	return 0;
}

int myri_pages_pin(struct myri_window *window, const struct myri_register *request)
{
	unsigned long pages;
	int status, tries;

	status = count_pages(request, &pages);
	if (status)
		return status;
	status = account_locked_vm(current->mm, pages, true);
	if (status)
		return status;
	mmgrab(current->mm);
	window->mm = current->mm;
	window->accounted = pages;
	window->page = kvcalloc(pages, sizeof(*window->page), GFP_KERNEL);
	status = window->page ? myri_watch_begin(window, request) : -ENOMEM;
	for (tries = 0; !status; tries++) {
		status = pin(window, request);
		if (status || myri_watch_settled(window))
			break;
		unpin(window);
		if (tries == TRIES)
			status = -EFAULT; /* somebody keeps unmapping it */
	}
	if (!status)
		status = make_table(window, request);
	if (status)
		myri_pages_unpin(window);
	return status;
}

void myri_pages_unpin(struct myri_window *window)
{
	myri_watch_end(window);
	sg_free_table(&window->table);
	if (window->page)
		unpin(window);
	kvfree(window->page);
	window->page = NULL;
	if (window->accounted) {
		account_locked_vm(window->mm, window->accounted, false);
		mmdrop(window->mm);
	}
	window->accounted = 0;
}
