// SPDX-License-Identifier: GPL-2.0-only
/* Sleeping until the card has written an event that the process has not seen. */
#include <linux/hrtimer.h>
#include <linux/io.h>
#include <linux/poll.h>
#include <linux/wait.h>

#include "kmod/myri.h"

/* Event `count`, or one of a later lap, stands in its place. Caller holds endpoint->spin. */
static bool entered(const struct myri_endpoint *endpoint, u32 count)
{
	const u32 entries = endpoint->event_entries;
	const u32 found = be16_to_cpu(READ_ONCE(endpoint->events[count % entries].generation));

	return found & 0x8000 && ((found - FW_GENERATION(count, entries)) & 0x7fff) < 0x4000;
}

/*
 * The ring is the process's to write: what it says about itself harms nobody. A thread may ask late: events of a later
 * lap count, and so does a ring without what the thread has seen, because another one has come back after a restart
 * and everything counts from 0.
 */
static bool event_there(struct myri_endpoint *endpoint, u32 seen)
{
	bool there = false;
	unsigned long flags;

	spin_lock_irqsave(&endpoint->spin, flags);
	if (endpoint->events)
		there = entered(endpoint, seen) || (seen && !entered(endpoint, seen - 1));
	spin_unlock_irqrestore(&endpoint->spin, flags);
	return there;
}

static bool awaited(struct myri_endpoint *endpoint)
{
	return atomic_read(&endpoint->sleepers) ||
	       (READ_ONCE(endpoint->poll_armed) && event_there(endpoint, READ_ONCE(endpoint->poll_seen)));
}

void myri_wake(struct myri_endpoint *endpoint)
{
	if (wq_has_sleeper(&endpoint->news) && awaited(endpoint))
		wake_up_interruptible_all(&endpoint->news);
}

/* A restart, death or the end: nothing comes any more before the process has done something. */
static bool told(struct myri_endpoint *endpoint)
{
	return READ_ONCE(endpoint->held) || READ_ONCE(endpoint->card->dead) ||
	       READ_ONCE(endpoint->state) != MYRI_ENDPOINT_LIVES;
}

/*
 * What the process stored into its SRAM window before is in the card afterwards, and what the card wrote before it saw
 * that is in memory: a read is answered behind both.
 */
static void flush_stores(struct myri_endpoint *endpoint)
{
	wmb(); /* out of the write-combining buffers */
	mutex_lock(&endpoint->view_lock);
	if (endpoint->view == MYRI_VIEW_CARD) /* the card is there as long */
		ioread32(endpoint->card->stretch[MYRI_SRAM_WINDOWS] + endpoint->id * FW_ENDPOINT_WINDOW_SIZE);
	mutex_unlock(&endpoint->view_lock);
	rmb(); /* the ring is looked at behind it */
}

int myri_wait(struct myri_endpoint *endpoint, struct myri_wait *wait)
{
	ktime_t timeout = wait->timeout_us == MYRI_ANY ? KTIME_MAX : ns_to_ktime((u64)wait->timeout_us * NSEC_PER_USEC);
	int status;

	status = myri_endpoint_check(endpoint, wait->endpoint);
	if (status)
		return status;
	flush_stores(endpoint);
	status = 0;
	if (wait->timeout_us == 0) {
		WRITE_ONCE(endpoint->poll_seen, wait->events_seen);
		WRITE_ONCE(endpoint->poll_armed, true);
		if (!event_there(endpoint, wait->events_seen) && !told(endpoint))
			status = -ETIMEDOUT;
	} else {
		atomic_inc(&endpoint->sleepers);
		status = wait_event_interruptible_hrtimeout(
			endpoint->news, event_there(endpoint, wait->events_seen) || told(endpoint), timeout);
		atomic_dec(&endpoint->sleepers);
		if (status == -ETIME)
			status = -ETIMEDOUT;
		else if (status)
			status = -EINTR;
	}
	if (READ_ONCE(endpoint->card->dead))
		return -ENODEV;
	return READ_ONCE(endpoint->state) == MYRI_ENDPOINT_LIVES ? status : -EINVAL;
}

__poll_t myri_poll(struct file *file, struct poll_table_struct *table)
{
	struct myri_endpoint *endpoint = file->private_data;

	poll_wait(file, &endpoint->news, table);
	if (READ_ONCE(endpoint->card->dead) || READ_ONCE(endpoint->state) != MYRI_ENDPOINT_LIVES)
		return EPOLLERR | EPOLLHUP;
	if (READ_ONCE(endpoint->held))
		return EPOLLIN | EPOLLRDNORM;
	if (READ_ONCE(endpoint->poll_armed) && event_there(endpoint, READ_ONCE(endpoint->poll_seen)))
		return EPOLLIN | EPOLLRDNORM;
	return 0;
}
