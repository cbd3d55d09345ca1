// SPDX-License-Identifier: GPL-2.0-only
/* /sys/kernel/debug/myri/myriN: registers, endpoints and their rings, and the fault that can be injected from here. */
#include <linux/debugfs.h>
#include <linux/seq_file.h>

#include "abi/faults.h"
#include "kmod/myri.h"

static struct dentry *root;

static int registers_show(struct seq_file *seq, void *unused)
{
	struct myri_card *card = seq->private;

	mutex_lock(&card->lock);
	if (card->dead)
		seq_printf(seq, "dead: %s\n", card->dead_reason);
#define R true
#define RW true
#define W false
#define SHOW(name, offset, bits, mode, text)                                                                         \
	if (mode && !card->dead)                                                                                     \
		seq_printf(seq, "%03x %-20s %08x %s\n", offset, #name, myri_register_read(card, LANAI_##name, bits), \
			   text);
	LANAI_REGISTERS(SHOW)
#undef SHOW
#undef R
#undef RW
#undef W
	mutex_unlock(&card->lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(registers);

static void show_endpoint(struct seq_file *seq, struct myri_card *card, const struct myri_endpoint *endpoint)
{
	unsigned int n, windows = 0;

	for (n = 0; n < FW_WINDOWS; n++)
		windows += READ_ONCE(endpoint->window[n]) != NULL;
	seq_printf(seq, "endpoint %u: pid %d uid %u session %08x windows %u wakes %u%s\n", endpoint->id, endpoint->pid,
		   from_kuid_munged(&init_user_ns, endpoint->user), endpoint->session, windows,
		   card->dead ? 0 : board_endpoint_wake_count(&card->board, endpoint->id), endpoint->held ? " held" : "");
	seq_printf(seq, "  events   %8zu bytes at bus %pad\n", endpoint->part[MYRI_PART_EVENTS].bytes,
		   &endpoint->part[MYRI_PART_EVENTS].bus);
	seq_printf(seq, "  receive  %8zu bytes at bus %pad\n", endpoint->part[MYRI_PART_RECEIVE].bytes,
		   &endpoint->part[MYRI_PART_RECEIVE].bus);
	seq_printf(seq, "  send     %8zu bytes at bus %pad\n", endpoint->part[MYRI_PART_SEND].bytes,
		   &endpoint->part[MYRI_PART_SEND].bus);
	seq_printf(seq, "  bounce   %8zu bytes at bus %pad\n", endpoint->part[MYRI_PART_BOUNCE].bytes,
		   &endpoint->part[MYRI_PART_BOUNCE].bus);
}

static int rings_show(struct seq_file *seq, void *unused)
{
	struct myri_card *card = seq->private;
	u32 id;

	mutex_lock(&card->lock);
	for (id = 0; id < FW_ENDPOINTS; id++)
		if (card->endpoint[id])
			show_endpoint(seq, card, card->endpoint[id]);
	mutex_unlock(&card->lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(rings);

/* The processor is held in reset: the firmware stands still, DMA and ports go on. */
static int stall_set(void *data, u64 value)
{
	struct myri_card *card = data;
	int status = -ENODEV;

	if (value != 1)
		return -EINVAL;
	mutex_lock(&card->lock);
	if (!card->dead) {
		card->board.ops->write32(card, LANAI_BAR0_CONTROL_WORD, LANAI_CONTROL_CPU_RESET_ON);
		status = 0;
	}
	mutex_unlock(&card->lock);
	return status;
}
DEFINE_DEBUGFS_ATTRIBUTE(stall, NULL, stall_set, "%llu\n");

static const struct file_operations *const faults[MYRI_FAULT_KINDS] = {
	[MYRI_FAULT_STALL] = &stall,
};

static const char *const fault_names[MYRI_FAULT_KINDS] = {
#define NAME(id, name, scope, where, text) [MYRI_FAULT_##id] = name,
	MYRI_FAULTS(NAME)
#undef NAME
};

void myri_debugfs_init(void)
{
	root = debugfs_create_dir(MYRI_NAME, NULL);
}

void myri_debugfs_exit(void)
{
	debugfs_remove(root);
}

void myri_debugfs_add(struct myri_card *card)
{
	int fault;

	card->debugfs = debugfs_create_dir(dev_name(&card->dev), root);
	debugfs_create_file("registers", 0400, card->debugfs, card, &registers_fops);
	debugfs_create_file("rings", 0400, card->debugfs, card, &rings_fops);
	for (fault = 0; fault < MYRI_FAULT_KINDS; fault++)
		if (faults[fault])
			debugfs_create_file(fault_names[fault], 0200, card->debugfs, card, faults[fault]);
}
