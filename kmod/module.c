// SPDX-License-Identifier: GPL-2.0-only
/* Parameters, the class, the device numbers: what belongs to no single card. */
#include <linux/module.h>
#include <linux/moduleparam.h>

#include "kmod/myri.h"

#define PARAMETER_RANGE(name, low, high)                                              \
	static int set_##name(const char *text, const struct kernel_param *parameter) \
	{                                                                             \
		return param_set_uint_minmax(text, parameter, low, high);             \
	}                                                                             \
	static const struct kernel_param_ops name##_ops = {                           \
		.set = set_##name,                                                    \
		.get = param_get_uint,                                                \
	}

unsigned int myri_watchdog_ms = 4000;
PARAMETER_RANGE(watchdog_ms, 2000, 600000);
module_param_cb(watchdog_ms, &watchdog_ms_ops, &myri_watchdog_ms, 0644);
MODULE_PARM_DESC(watchdog_ms, "Milliseconds without a heartbeat after which a card is restarted, 2000 to 600000 (4000)");

unsigned int myri_endpoints_per_user = 16;
PARAMETER_RANGE(endpoints_per_user, 1, FW_ENDPOINTS);
module_param_cb(endpoints_per_user, &endpoints_per_user_ops, &myri_endpoints_per_user, 0644);
MODULE_PARM_DESC(endpoints_per_user, "Endpoints of a card that one user may have open, 1 to 32 (16); root: all");

unsigned int myri_bounce_kib = 2048;
PARAMETER_RANGE(bounce_kib, 256, 8192);
module_param_cb(bounce_kib, &bounce_kib_ops, &myri_bounce_kib, 0644);
MODULE_PARM_DESC(bounce_kib,
		 "KiB of bounce area of an endpoint, where the card cannot reach all memory, 256 to 8192 (2048)");

bool myri_use_msi = true;
module_param_named(msi, myri_use_msi, bool, 0444);
MODULE_PARM_DESC(msi, "Use message signalled interrupts where they work (Y)");

struct class myri_class = {
	.name = MYRI_NAME,
	.dev_groups = myri_attribute_groups,
};
struct workqueue_struct *myri_work;
dev_t myri_devices;

static int __init myri_init(void)
{
	int status;

	/* abi/driver.h promises parts in units of 4 KiB, and neighbouring SRAM windows must not share a page. */
	BUILD_BUG_ON(PAGE_SIZE != 4096);

	myri_work = alloc_workqueue(MYRI_NAME, WQ_UNBOUND, 0);
	if (!myri_work)
		return -ENOMEM;
	status = class_register(&myri_class);
	if (status)
		goto destroy_workqueue;
	status = alloc_chrdev_region(&myri_devices, 0, MYRI_BOARDS_MAX, MYRI_NAME);
	if (status)
		goto unregister_class;
	myri_debugfs_init();
	status = pci_register_driver(&myri_pci_driver);
	if (status)
		goto remove_debugfs;
	return 0;

remove_debugfs:
	myri_debugfs_exit();
	unregister_chrdev_region(myri_devices, MYRI_BOARDS_MAX);
unregister_class:
	class_unregister(&myri_class);
destroy_workqueue:
	destroy_workqueue(myri_work);
	return status;
}

static void __exit myri_exit(void)
{
	pci_unregister_driver(&myri_pci_driver);
	/* No file is open and no card is left: what remains are the last steps of endpoints that ended before. */
	flush_workqueue(myri_work);
	mmu_notifier_synchronize();
	destroy_workqueue(myri_work);
	myri_debugfs_exit();
	unregister_chrdev_region(myri_devices, MYRI_BOARDS_MAX);
	class_unregister(&myri_class);
}

module_init(myri_init);
module_exit(myri_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Myrinet-2000 cards (LANai X), for processes that use them without the kernel");
MODULE_AUTHOR("libmyri maintainers");
MODULE_VERSION(MYRI_VERSION);
MODULE_FIRMWARE(MYRI_IMAGE);
