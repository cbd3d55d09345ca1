// SPDX-License-Identifier: GPL-2.0-only
/* An endpoint's life: opened once in an open file, ended by its process, its file, its address space or its card. */
#include <linux/cred.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "kmod/myri.h"

#define EVENT_ENTRIES 1024u /* if the process does not say */
#define RING_BYTES (1u << 20)

static void end_work(struct work_struct *work)
{
	struct myri_endpoint *endpoint = container_of(work, struct myri_endpoint, end_work);

	myri_endpoint_end(endpoint);
	myri_endpoint_put(endpoint);
}

static void put_work(struct work_struct *work)
{
	myri_endpoint_put(container_of(work, struct myri_endpoint, put_work));
}

struct myri_endpoint *myri_endpoint_new(struct myri_card *card, struct address_space *mapping)
{
	struct myri_endpoint *endpoint = kzalloc(sizeof(*endpoint), GFP_KERNEL);

	if (!endpoint)
		return NULL;
	endpoint->page = (struct myri_host_page *)get_zeroed_page(GFP_KERNEL);
	if (!endpoint->page) {
		kfree(endpoint);
		return NULL;
	}
	endpoint->card = card;
	get_device(&card->dev);
	kref_init(&endpoint->kref);
	endpoint->mapping = mapping;
	mutex_init(&endpoint->lock);
	mutex_init(&endpoint->view_lock);
	spin_lock_init(&endpoint->spin);
	init_waitqueue_head(&endpoint->news);
	INIT_WORK(&endpoint->end_work, end_work);
	INIT_WORK(&endpoint->put_work, put_work);
	return endpoint;
}

static void last_put(struct kref *kref)
{
	struct myri_endpoint *endpoint = container_of(kref, struct myri_endpoint, kref);

	kvfree(endpoint->peers_given);
	free_page((unsigned long)endpoint->page);
	put_device(&endpoint->card->dev);
	kfree(endpoint);
}

void myri_endpoint_put(struct myri_endpoint *endpoint)
{
	kref_put(&endpoint->kref, last_put);
}

int myri_endpoint_check(struct myri_endpoint *endpoint, u32 id)
{
	switch (READ_ONCE(endpoint->state)) {
	case MYRI_ENDPOINT_LIVES:
		if (current->mm != endpoint->mm)
			return -EPERM;
		return id == endpoint->id ? 0 : -EINVAL;
	case MYRI_ENDPOINT_ENDED:
		return READ_ONCE(endpoint->card->dead) ? -ENODEV : -EINVAL;
	default:
		return -EINVAL;
	}
}

static bool possible(u32 value, u32 low, u32 high)
{
	return value >= low && value <= high && is_power_of_2(value);
}

static int complete_sizes(struct myri_endpoint_open *request)
{
	request->event_entries = request->event_entries ? request->event_entries : EVENT_ENTRIES;
	request->receive_bytes = request->receive_bytes ? request->receive_bytes : RING_BYTES;
	request->send_bytes = request->send_bytes ? request->send_bytes : RING_BYTES;
	if (!possible(request->event_entries, 64, 16384) || !possible(request->receive_bytes, 16u << 10, 16u << 20) ||
	    !possible(request->send_bytes, 16u << 10, 16u << 20))
		return -EINVAL;
	return request->endpoint == MYRI_ANY || request->endpoint < FW_ENDPOINTS ? 0 : -EINVAL;
}

static void table_set(struct myri_card *card, u32 id, struct myri_endpoint *endpoint)
{
	spin_lock_irq(&card->table_lock);
	card->endpoint[id] = endpoint;
	spin_unlock_irq(&card->table_lock);
}

/* Takes a place in the card's table. */
static int choose(struct myri_endpoint *endpoint, u32 wanted)
{
	struct myri_card *card = endpoint->card;
	const unsigned int allowed = READ_ONCE(myri_endpoints_per_user);
	u32 id, found = FW_ENDPOINTS, used = 0;
	int status = 0;

	mutex_lock(&card->lock);
	for (id = 0; id < FW_ENDPOINTS; id++) {
		if (card->endpoint[id])
			used += uid_eq(card->endpoint[id]->user, endpoint->user);
		else if (found == FW_ENDPOINTS && (wanted == MYRI_ANY || wanted == id))
			found = id;
	}
	if (card->dead) {
		status = -ENODEV;
	} else if (found == FW_ENDPOINTS) {
		status = -EBUSY;
	} else if (used >= allowed && !uid_eq(endpoint->user, GLOBAL_ROOT_UID)) {
		dev_info_ratelimited(&card->dev, "user %u has %u endpoints open: endpoints_per_user allows %u\n",
				     from_kuid(&init_user_ns, endpoint->user), used, allowed);
		status = -EBUSY;
	} else {
		endpoint->id = found;
		table_set(card, found, endpoint);
	}
	mutex_unlock(&card->lock);
	return status;
}

static u32 new_session(void)
{
	u32 session;

	do {
		session = get_random_u32();
	} while (!session);
	return session;
}

/* Tells the card of it. Caller holds both locks. */
static int tell_card(struct myri_endpoint *endpoint)
{
	struct myri_card *card = endpoint->card;
	const struct board_rings rings = {
		.event_ring = endpoint->part[MYRI_PART_EVENTS].bus,
		.receive_ring = endpoint->part[MYRI_PART_RECEIVE].bus,
		.send_ring = endpoint->part[MYRI_PART_SEND].bus,
		.event_entries = endpoint->event_entries,
		.receive_size = (u32)endpoint->part[MYRI_PART_RECEIVE].bytes,
		.send_size = (u32)endpoint->part[MYRI_PART_SEND].bytes,
		.session = endpoint->session,
	};
	int status;

	if (card->dead)
		return -ENODEV;
	status = board_endpoint_set(&card->board, endpoint->id, &rings);
	if (!status)
		status = myri_windows_restore(endpoint);
	if (status)
		return status;
	return myri_command(card, FW_COMMAND_OPEN, &endpoint->id, 1, NULL);
}

/* The card lets go of it. */
static void withdraw(struct myri_endpoint *endpoint)
{
	struct myri_card *card = endpoint->card;

	mutex_lock(&card->lock);
	if (!card->dead) {
		board_endpoint_clear(&card->board, endpoint->id);
		myri_quiesce(card, FW_COMMAND_CLOSE, &endpoint->id, 1);
	}
	table_set(card, endpoint->id, NULL);
	mutex_unlock(&card->lock);
}

static void close_locked(struct myri_endpoint *endpoint)
{
	WRITE_ONCE(endpoint->state, MYRI_ENDPOINT_ENDED);
	/* A dead card's processes go on looking at blank pages. */
	if (!READ_ONCE(endpoint->card->dead))
		myri_view_set(endpoint, MYRI_VIEW_NONE);
	withdraw(endpoint);
	myri_windows_free(endpoint);
	spin_lock_irq(&endpoint->spin);
	endpoint->events = NULL;
	spin_unlock_irq(&endpoint->spin);
	wake_up_interruptible_all(&endpoint->news);
	myri_parts_free(endpoint);
}

int myri_endpoint_open(struct myri_endpoint *endpoint, struct myri_endpoint_open *request)
{
	struct myri_card *card = endpoint->card;
	int status;

	status = complete_sizes(request);
	if (status)
		return status;
	mutex_lock(&endpoint->lock);
	status = -EBUSY; /* an open file has one endpoint, once */
	if (endpoint->state != MYRI_ENDPOINT_NEW)
		goto unlock;
	/* First, because a signal ends it; an attempt that fails later leaves it to the next one. */
	status = endpoint->mm ? (endpoint->mm == current->mm ? 0 : -EPERM) : myri_exit_watch_begin(endpoint);
	if (status)
		goto unlock;
	endpoint->user = current_uid();
	endpoint->pid = task_tgid_nr(current);
	endpoint->session = new_session();
	endpoint->event_entries = request->event_entries;
	status = choose(endpoint, request->endpoint);
	if (status)
		goto unlock;
	status = myri_parts_make(endpoint, request);
	if (status)
		goto leave_table;

	mutex_lock(&card->lock);
	status = tell_card(endpoint);
	if (!status) {
		WRITE_ONCE(endpoint->held, false);
		endpoint->page->restarts = 0;
		spin_lock_irq(&endpoint->spin);
		endpoint->events = endpoint->part[MYRI_PART_EVENTS].memory;
		spin_unlock_irq(&endpoint->spin);
		myri_view_set(endpoint, MYRI_VIEW_CARD);
		WRITE_ONCE(endpoint->state, MYRI_ENDPOINT_LIVES);
	}
	mutex_unlock(&card->lock);
	if (status)
		goto withdraw;

	request->endpoint = endpoint->id;
	request->session = endpoint->session;
	request->window_offset = MYRI_MMAP_WINDOW;
	mutex_unlock(&endpoint->lock);
	return 0;

withdraw:
	withdraw(endpoint);
	myri_parts_free(endpoint);
	goto unlock;
leave_table:
	mutex_lock(&card->lock);
	table_set(card, endpoint->id, NULL);
	mutex_unlock(&card->lock);
unlock:
	mutex_unlock(&endpoint->lock);
	return status;
}

void myri_endpoint_end(struct myri_endpoint *endpoint)
{
	mutex_lock(&endpoint->lock);
	if (endpoint->state == MYRI_ENDPOINT_LIVES)
		close_locked(endpoint);
	/* Nothing is opened in it any more. */
	WRITE_ONCE(endpoint->state, MYRI_ENDPOINT_ENDED);
	if (endpoint->mm)
		myri_exit_watch_end(endpoint);
	mutex_unlock(&endpoint->lock);
}

int myri_endpoint_resume(struct myri_endpoint *endpoint)
{
	const struct myri_part *events = &endpoint->part[MYRI_PART_EVENTS];
	int status = 0;

	mutex_lock(&endpoint->lock);
	mutex_lock(&endpoint->card->lock);
	if (endpoint->state != MYRI_ENDPOINT_LIVES || endpoint->card->dead) {
		status = -ENODEV;
	} else if (endpoint->held) {
		/* The card was reset: nobody but the process that asks for this uses the ring. */
		memset(events->memory, 0, events->bytes);
		status = tell_card(endpoint);
		if (!status)
			WRITE_ONCE(endpoint->held, false);
	}
	mutex_unlock(&endpoint->card->lock);
	mutex_unlock(&endpoint->lock);
	return status;
}
