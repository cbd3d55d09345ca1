/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What differs between the kernels that the module is built for. Each entry says since when and why; it goes when
 * the last kernel that needs it goes.
 */
#ifndef MYRI_KMOD_COMPAT_H
#define MYRI_KMOD_COMPAT_H

#include <linux/mm.h>
#include <linux/pci.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "myri is built for Linux 6.1 and later"
#endif

#ifndef CONFIG_MMU_NOTIFIER
#error "myri needs a kernel with CONFIG_MMU_NOTIFIER: registered memory must be watched"
#endif

/* 2026-12-01: vma->vm_flags is written through accessors since 6.3. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void vm_flags_mod(struct vm_area_struct *vma, unsigned long set, unsigned long clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}
#endif

/*
 * 2026-12-01: before 6.2 a lasting pin for reading may take the page of zeroes, or one that is about to be copied: what
 * the process writes later would never be seen. Pinned as if for writing the page is its own.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define MYRI_PIN_READ (FOLL_WRITE | FOLL_FORCE)
#else
#define MYRI_PIN_READ 0u
#endif

/* 2026-12-01: PCI_IRQ_LEGACY was renamed in 6.8. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 8, 0)
#define PCI_IRQ_INTX PCI_IRQ_LEGACY
#endif

/*
 * 2026-12-01: MODULE_INFO asserts in 7.3, and not yet in 6.12, that a text's length is what __builtin_strlen says, which sparse 0.6.4 does
 * not take for a constant. The compiler still looks.
 */
#if defined(__CHECKER__) && LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#undef static_assert
#define static_assert(...)
#endif

#endif /* MYRI_KMOD_COMPAT_H */
