/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module's own structures. What a process sees is in abi/driver.h, what the card sees in abi/firmware.h, how a
 * card is driven in board/board.h.
 *
 * Concepts
 *  card      one board: PCI device, running firmware, /dev/myriN.
 *  endpoint  one open file of /dev/myriN, and what MYRI_ENDPOINT_OPEN gave it: an SRAM window of the card, rings.
 *  part      a piece of an endpoint that the process maps: the SRAM window, a ring, the host page, the bounce area.
 *  window    registered memory: pinned pages (or bytes of the bounce area), their page list, their watches.
 *
 * Lock order, outermost first:
 *
 *   endpoint->lock   mutex: one request at a time on an endpoint; its state, rings and windows
 *   card->lock       mutex: the board (all of board/), firmware commands, the table of endpoints, peers
 *   mmap_lock        taken by the kernel: by pinning (which holds none of the above) and accounting, and around
 *                    mmap and page faults, which take
 *   endpoint->view_lock   mutex: what mappings of the endpoint show
 *   card->table_lock spinlock, interrupts off: the table of endpoints, for the interrupt handler
 *   endpoint->spin   spinlock, interrupts off: the event ring for sleepers, stale registrations
 *
 * The interrupt handler takes these two only; notifier callbacks take endpoint->spin only.
 *
 * Memory that the card may write is freed only after the firmware has said that it has let go of it, or the card has
 * been reset (myri_quiesce).
 */
#ifndef MYRI_KMOD_MYRI_H
#define MYRI_KMOD_MYRI_H

#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/dma-mapping.h>
#include <linux/firmware.h>
#include <linux/fs.h>
#include <linux/kref.h>
#include <linux/mmu_notifier.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/scatterlist.h>
#include <linux/spinlock.h>
#include <linux/uidgid.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "abi/driver.h"
#include "board/board.h"
#include "kmod/compat.h"

#define MYRI_NAME "myri"
#define MYRI_VERSION "0.1"
#define MYRI_IMAGE "myri/lanaix.bin"

/* ---- card ------------------------------------------------------------------------------------------------ */

/* BAR0 in stretches, because the endpoints' SRAM windows are mapped write-combined and everything else uncached. */
enum myri_stretch { MYRI_SRAM_LOW, MYRI_SRAM_WINDOWS, MYRI_SRAM_HIGH, MYRI_CONTROL, MYRI_SPECIAL, MYRI_STRETCHES };

struct myri_card {
	struct device dev; /* holds the structure's life */
	struct cdev cdev;
	struct pci_dev *pdev; /* there until the last endpoint has ended */
	int number;
	u8 revision;
	void __iomem *stretch[MYRI_STRETCHES];
	const struct firmware *image;
	struct page *blank; /* what mappings of a dead card show */
	bool bounces; /* streaming mappings would go through a bounce buffer of the system */
	u32 core_khz, pci_khz, pci_bits;
	int original_read_size; /* PCI-X read byte count, given back at the end; 0: left alone */
	struct dentry *debugfs;

	struct mutex lock; /* protects everything from here to `interrupts` */
	struct board board;
	int dead; /* 0: running. Else EIO or ENODEV, for good */
	char dead_reason[80];
	struct myri_endpoint *endpoint[FW_ENDPOINTS]; /* written also under table_lock */
	struct myri_peer *peer; /* by index; kvmalloc, FW_PEERS of them or NULL. MAC 0: nobody stands there */
	u32 peer_count, peers_known; /* indices in use; peers among them */
	struct board_watchdog watch;
	struct delayed_work watchdog;
	u32 restarts;
	u64 failed_ms; /* when the last failure was; 0: never */
	u64 msi_address; /* as the firmware was told last */
	u32 msi_data;

	int irq;
	bool msi;
	bool listening; /* interrupts are the firmware's, `board` is set up */
	atomic_t interrupts;
	wait_queue_head_t answered; /* a command may be done */
	spinlock_t table_lock;
};

/* ---- endpoint -------------------------------------------------------------------------------------------- */

enum myri_part_kind {
	MYRI_PART_WINDOW,
	MYRI_PART_EVENTS,
	MYRI_PART_RECEIVE,
	MYRI_PART_SEND,
	MYRI_PART_PAGE,
	MYRI_PART_BOUNCE,
	MYRI_PARTS
};

struct myri_part {
	u64 offset; /* for mmap */
	size_t bytes; /* 0: there is no such part */
	void *memory; /* NULL for the SRAM window */
	dma_addr_t bus; /* of rings and bounce area, which are DMA memory ... */
	struct sg_table pages; /* ... and these are its pages */
};

enum myri_endpoint_state { MYRI_ENDPOINT_NEW, MYRI_ENDPOINT_LIVES, MYRI_ENDPOINT_ENDED };

/* What page faults on an endpoint's mappings give. */
enum myri_view { MYRI_VIEW_NONE, MYRI_VIEW_CARD, MYRI_VIEW_BLANK };

struct myri_endpoint {
	struct myri_card *card;
	struct kref kref;
	struct address_space *mapping; /* of the file */

	struct mutex lock; /* protects from here to `peers_wanted` */
	enum myri_endpoint_state state; /* read by sleepers without the lock */
	u32 id;
	u32 session;
	u32 event_entries;
	kuid_t user;
	pid_t pid;
	struct mm_struct *mm; /* who may use it; kept by `exit`, NULL before and after */
	struct mmu_notifier exit;
	struct work_struct end_work, put_work;
	struct myri_part part[MYRI_PARTS];
	struct myri_window *window[FW_WINDOWS];
	u16 generation[FW_WINDOWS]; /* of the present or last use */
	struct myri_peer *peers_given; /* parts of a new table so far */
	u32 peers_there, peers_wanted;

	struct mutex view_lock; /* protects `view` */
	enum myri_view view;

	bool held; /* card->lock: the card was restarted and knows nothing of it; sleepers read it without */
	struct myri_host_page *page; /* there as long as the file */

	spinlock_t spin; /* protects `events`, the stale bits of `page`, and windows' `index` and `stale` */
	const struct fw_event *events; /* NULL: ended */
	wait_queue_head_t news;
	atomic_t sleepers; /* in MYRI_WAIT */
	u32 poll_seen; /* poll() tells of an event beyond this one ... */
	bool poll_armed; /* ... once it was asked for */
};

/* ---- window ---------------------------------------------------------------------------------------------- */

struct myri_watch {
	struct mmu_interval_notifier notifier;
	struct myri_window *window;
	unsigned long seq; /* when pinning began */
};

struct myri_window {
	struct myri_endpoint *endpoint;
	u32 length;
	bool writable;
	int index; /* -1: not yet in the endpoint's table */
	bool stale;
	struct page **page;
	unsigned long pages; /* pinned */
	struct mm_struct *mm; /* whose pages they are ... */
	unsigned long accounted; /* ... and how many count in its locked_vm */
	struct sg_table table; /* the byte stream, page by page */
	bool mapped; /* ... and its DMA mapping is there */
	struct myri_watch *watch;
	unsigned int watches;
	struct fw_piece *list;
	dma_addr_t list_bus;
	size_t list_bytes;
};

/* ---- module parameters (module.c) ------------------------------------------------------------------------ */

extern unsigned int myri_watchdog_ms;
extern unsigned int myri_endpoints_per_user;
extern unsigned int myri_bounce_kib;
extern bool myri_use_msi;

extern struct class myri_class;
extern struct workqueue_struct *myri_work;
extern dev_t myri_devices; /* first of MYRI_BOARDS_MAX */

/* ---- pci.c, boot.c, interrupt.c -------------------------------------------------------------------------- */

extern struct pci_driver myri_pci_driver;

/* `bits`: as the table of abi/lanai.h says. */
u32 myri_register_read(struct myri_card *card, enum lanai_register reg, unsigned int bits);
bool myri_link_up(struct myri_card *card);
/* Resets the card, loads and starts the firmware. Waits. */
int myri_boot(struct myri_card *card);

int myri_interrupt_start(struct myri_card *card);
void myri_interrupt_stop(struct myri_card *card);
/* Hands address and data of the MSI to the firmware if it was moved, or always. */
void myri_msi_refresh(struct myri_card *card, bool always);

/* ---- commands.c ------------------------------------------------------------------------------------------ */

/*
 * One firmware command, waited for. *value may be NULL. -ENODEV: the card is dead; -EIO: it failed over it and has been
 * restarted, or is dead now; else what the firmware says.
 */
int myri_command(struct myri_card *card, u32 opcode, const u32 *arg, unsigned int args, u32 *value);
/* A command after which memory goes: the firmware has carried it out, or the card has been reset. */
void myri_quiesce(struct myri_card *card, u32 opcode, const u32 *arg, unsigned int args);
int myri_dmabench(struct myri_card *card, struct myri_dmabench *bench);

/* ---- recover.c ------------------------------------------------------------------------------------------- */

void myri_watchdog(struct work_struct *work);
/* The card has failed, as board_watch says: restarts it, or it is dead. */
void myri_fail(struct myri_card *card, int status);
/* No more requests, no more DMA; all are told. */
void myri_die(struct myri_card *card, int reason, const char *why);

/* ---- peers.c --------------------------------------------------------------------------------------------- */

int myri_peers_get(struct myri_card *card, struct myri_peers *request);
int myri_peers_take(struct myri_endpoint *endpoint, struct myri_peers *request);
/* Tells the card the table that it had. */
int myri_peers_restore(struct myri_card *card);

/* ---- device.c, mapping.c, wait.c ------------------------------------------------------------------------- */

extern const struct file_operations myri_file_operations;

int myri_mmap(struct file *file, struct vm_area_struct *vma);
/* From now on page faults give that, and what is mapped goes. */
void myri_view_set(struct myri_endpoint *endpoint, enum myri_view view);

int myri_wait(struct myri_endpoint *endpoint, struct myri_wait *wait);
/* After an interrupt, in its handler: wakes who may find an event. */
void myri_wake(struct myri_endpoint *endpoint);
__poll_t myri_poll(struct file *file, struct poll_table_struct *table);

/* ---- endpoint.c, parts.c --------------------------------------------------------------------------------- */

struct myri_endpoint *myri_endpoint_new(struct myri_card *card, struct address_space *mapping);
void myri_endpoint_put(struct myri_endpoint *endpoint);
int myri_endpoint_open(struct myri_endpoint *endpoint, struct myri_endpoint_open *request);
/* Ends it if it lives; may be called by anyone at any time, without locks. */
void myri_endpoint_end(struct myri_endpoint *endpoint);
int myri_endpoint_resume(struct myri_endpoint *endpoint);
/* 0, or why the caller may not use endpoint `id`: -EINVAL, -EPERM. Caller holds endpoint->lock, or only looks. */
int myri_endpoint_check(struct myri_endpoint *endpoint, u32 id);

/* 0, -EINVAL or -ENOMEM; fills in sizes and offsets of the request. */
int myri_parts_make(struct myri_endpoint *endpoint, struct myri_endpoint_open *request);
/* The host page stays: it is the file's. */
void myri_parts_free(struct myri_endpoint *endpoint);
unsigned long myri_part_pfn(struct myri_endpoint *endpoint, enum myri_part_kind kind, unsigned long page);

/* ---- window.c, pages.c, notifier.c ----------------------------------------------------------------------- */

int myri_window_register(struct myri_endpoint *endpoint, struct myri_register *request);
int myri_window_unregister(struct myri_endpoint *endpoint, const struct myri_unregister *request);
/* After a restart: all of them anew. Caller holds both locks. */
int myri_windows_restore(struct myri_endpoint *endpoint);
/* The card has let go of all. */
void myri_windows_free(struct myri_endpoint *endpoint);

/* Pins and watches what the request names. Caller holds no lock. -EFAULT, -ENOMEM. */
int myri_pages_pin(struct myri_window *window, const struct myri_register *request);
void myri_pages_unpin(struct myri_window *window);

int myri_watch_begin(struct myri_window *window, const struct myri_register *request);
/* False: memory was unmapped meanwhile, pin again. */
bool myri_watch_settled(struct myri_window *window);
void myri_watch_again(struct myri_window *window);
void myri_watch_end(struct myri_window *window);

int myri_exit_watch_begin(struct myri_endpoint *endpoint);
void myri_exit_watch_end(struct myri_endpoint *endpoint);

/* ---- sysfs.c, debugfs.c ---------------------------------------------------------------------------------- */

extern const struct attribute_group *myri_attribute_groups[];

void myri_debugfs_init(void);
void myri_debugfs_exit(void);
void myri_debugfs_add(struct myri_card *card);

#endif /* MYRI_KMOD_MYRI_H */
