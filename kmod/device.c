// SPDX-License-Identifier: GPL-2.0-only
/* /dev/myriN: one table of requests, each with the exact size of its structure. */
#include <linux/ioctl.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/utsname.h>

#include "kmod/myri.h"

static int attach(struct myri_endpoint *endpoint, void *argument)
{
	struct myri_attach *request = argument;
	const int status = request->abi == MYRI_DRIVER_ABI ? 0 : -EPROTO;

	memset(request, 0, sizeof(*request));
	request->abi = MYRI_DRIVER_ABI;
	request->boards = 1;
	request->time = MYRI_TIME_REAL;
	request->seed = get_random_u64();
	strscpy(request->host, utsname()->nodename, sizeof(request->host));
	return status;
}

static int board_info(struct myri_endpoint *endpoint, void *argument)
{
	struct myri_card *card = endpoint->card;
	struct myri_board_info *info = argument;
	u32 id;

	memset(info, 0, sizeof(*info));
	info->board = (u32)card->number;
	mutex_lock(&card->lock);
	info->dead = (u32)card->dead;
	info->link_up = myri_link_up(card);
	info->mac = card->board.eeprom.mac;
	info->serial = card->board.eeprom.serial;
	info->ports = card->revision == LANAI_PCI_REVISION_E ? 2 : 1;
	info->lanai_khz = card->core_khz;
	info->pci_khz = card->pci_khz;
	info->pci_bits = card->pci_bits;
	info->sram_bytes = card->board.sram_size;
	info->pci_revision = card->revision;
	info->endpoints = FW_ENDPOINTS;
	for (id = 0; id < FW_ENDPOINTS; id++)
		info->endpoints_open += card->endpoint[id] != NULL;
	info->peer_count = card->peers_known;
	info->numa_node = dev_to_node(&card->dev);
	strscpy(info->hostname, utsname()->nodename, sizeof(info->hostname));
	strscpy(info->product_code, card->board.eeprom.product_code, sizeof(info->product_code));
	strscpy(info->part_number, card->board.eeprom.part_number, sizeof(info->part_number));
	strscpy(info->firmware, card->board.firmware_version, sizeof(info->firmware));
	mutex_unlock(&card->lock);
	return 0;
}

static int peers(struct myri_endpoint *endpoint, void *argument)
{
	return myri_peers_get(endpoint->card, argument);
}

static int set_peers(struct myri_endpoint *endpoint, void *argument)
{
	return myri_peers_take(endpoint, argument);
}

static int counters(struct myri_endpoint *endpoint, void *argument)
{
	struct myri_card *card = endpoint->card;
	struct myri_counters *request = argument;
	int status = -ENODEV;

	memset(request->value, 0, sizeof(request->value));
	mutex_lock(&card->lock);
	if (!card->dead) {
		request->count = min(card->board.counter_count, MYRI_COUNTERS_MAX);
		board_counters_read(&card->board, request->value, request->count);
		if (request->clear)
			board_counters_clear(&card->board);
		status = 0;
	}
	mutex_unlock(&card->lock);
	return status;
}

static int endpoint_open(struct myri_endpoint *endpoint, void *argument)
{
	return myri_endpoint_open(endpoint, argument);
}

static int endpoint_close(struct myri_endpoint *endpoint, void *argument)
{
	const struct myri_endpoint_ref *request = argument;
	const int status = myri_endpoint_check(endpoint, request->endpoint);

	if (!status)
		myri_endpoint_end(endpoint);
	return status;
}

static int endpoint_resume(struct myri_endpoint *endpoint, void *argument)
{
	const struct myri_endpoint_ref *request = argument;
	const int status = myri_endpoint_check(endpoint, request->endpoint);

	return status ? status : myri_endpoint_resume(endpoint);
}

static int register_memory(struct myri_endpoint *endpoint, void *argument)
{
	return myri_window_register(endpoint, argument);
}

static int unregister(struct myri_endpoint *endpoint, void *argument)
{
	return myri_window_unregister(endpoint, argument);
}

static int wait(struct myri_endpoint *endpoint, void *argument)
{
	return myri_wait(endpoint, argument);
}

static int dmabench(struct myri_endpoint *endpoint, void *argument)
{
	return myri_dmabench(endpoint->card, argument);
}

#define REQUEST(request, type, function) [request] = { MYRI_IOCTL(request, type), function }
static const struct {
	unsigned int command;
	int (*carry_out)(struct myri_endpoint *endpoint, void *argument);
} requests[] = {
	REQUEST(MYRI_ATTACH, struct myri_attach, attach),
	REQUEST(MYRI_BOARD_INFO, struct myri_board_info, board_info),
	REQUEST(MYRI_PEERS, struct myri_peers, peers),
	REQUEST(MYRI_COUNTERS, struct myri_counters, counters),
	REQUEST(MYRI_ENDPOINT_OPEN, struct myri_endpoint_open, endpoint_open),
	REQUEST(MYRI_ENDPOINT_CLOSE, struct myri_endpoint_ref, endpoint_close),
	REQUEST(MYRI_REGISTER, struct myri_register, register_memory),
	REQUEST(MYRI_UNREGISTER, struct myri_unregister, unregister),
	REQUEST(MYRI_WAIT, struct myri_wait, wait),
	REQUEST(MYRI_DMABENCH, struct myri_dmabench, dmabench),
	REQUEST(MYRI_SET_PEERS, struct myri_peers, set_peers),
	REQUEST(MYRI_ENDPOINT_RESUME, struct myri_endpoint_ref, endpoint_resume),
};

/* Structures begin with `board`, except that of the request for the version, and are copied whole in both directions. */
static long control(struct file *file, unsigned int command, unsigned long address)
{
	struct myri_endpoint *endpoint = file->private_data;
	const unsigned int number = _IOC_NR(command), size = _IOC_SIZE(command);
	void __user *user = (void __user *)address;
	void *argument;
	long status;

	if (number >= ARRAY_SIZE(requests) || !requests[number].carry_out || requests[number].command != command)
		return -ENOTTY;
	argument = memdup_user(user, size);
	if (IS_ERR(argument))
		return PTR_ERR(argument);
	if (number == MYRI_ATTACH || *(const u32 *)argument == (u32)endpoint->card->number)
		status = requests[number].carry_out(endpoint, argument);
	else
		status = -ENODEV;
	if ((!status || status == -EPROTO) && copy_to_user(user, argument, size))
		status = -EFAULT;
	kfree(argument);
	return status;
}

static int open(struct inode *inode, struct file *file)
{
	struct myri_card *card = container_of(inode->i_cdev, struct myri_card, cdev);

	file->private_data = myri_endpoint_new(card, file->f_mapping);
	return file->private_data ? nonseekable_open(inode, file) : -ENOMEM;
}

static int release(struct inode *inode, struct file *file)
{
	struct myri_endpoint *endpoint = file->private_data;

	myri_endpoint_end(endpoint);
	myri_endpoint_put(endpoint);
	return 0;
}

const struct file_operations myri_file_operations = {
	.owner = THIS_MODULE,
	.open = open,
	.release = release,
	.unlocked_ioctl = control,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = myri_mmap,
	.poll = myri_poll,
};
