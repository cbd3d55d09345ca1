// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mappings of an endpoint's parts. Pages come by faults only, never in mmap: so what an endpoint shows can be changed at
 * any time, and after myri_view_set() no page of the old view is mapped any more.
 */
#include <linux/mm.h>

#include "kmod/myri.h"

/* Unmapping finds mappings by file offset; all files of a device node share an address space, so endpoints stand apart. */
static u64 first_offset(const struct myri_endpoint *endpoint)
{
	return (u64)endpoint->id << 32;
}

static vm_fault_t fault(struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	struct myri_endpoint *endpoint = vma->vm_file->private_data;
	const enum myri_part_kind kind = (enum myri_part_kind)(unsigned long)vma->vm_private_data;
	const unsigned long pages = vma_pages(vma);
	vm_fault_t result = VM_FAULT_SIGBUS;
	unsigned long n;

	mutex_lock(&endpoint->view_lock);
	if (endpoint->view == MYRI_VIEW_CARD || (endpoint->view == MYRI_VIEW_BLANK && kind == MYRI_PART_PAGE)) {
		/* The whole part at once: it will be used. */
		for (n = 0, result = VM_FAULT_NOPAGE; n < pages && result == VM_FAULT_NOPAGE; n++)
			result = vmf_insert_pfn(vma, vma->vm_start + n * PAGE_SIZE,
						myri_part_pfn(endpoint, kind, n));
	} else if (endpoint->view == MYRI_VIEW_BLANK) {
		result = vmf_insert_pfn_prot(vma, vmf->address & PAGE_MASK, page_to_pfn(endpoint->card->blank),
					     vm_get_page_prot(vma->vm_flags));
	}
	mutex_unlock(&endpoint->view_lock);
	return result;
}

static int may_split(struct vm_area_struct *vma, unsigned long address)
{
	return -EINVAL;
}

static const struct vm_operations_struct operations = {
	.fault = fault,
	.may_split = may_split,
};

int myri_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct myri_endpoint *endpoint = file->private_data;
	const u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	const size_t bytes = vma->vm_end - vma->vm_start;
	enum myri_part_kind kind;
	int status = -EINVAL;

	if (!(vma->vm_flags & VM_SHARED) || vma->vm_flags & VM_EXEC)
		return -EINVAL;
	mutex_lock(&endpoint->view_lock);
	if (endpoint->view == MYRI_VIEW_NONE)
		goto unlock;
	status = -ENODEV;
	if (endpoint->view == MYRI_VIEW_BLANK)
		goto unlock;
	status = -EPERM;
	if (current->mm != endpoint->mm)
		goto unlock;
	for (kind = 0; kind < MYRI_PARTS; kind++)
		if (endpoint->part[kind].bytes == bytes && endpoint->part[kind].offset == offset)
			break;
	status = -EINVAL;
	if (kind == MYRI_PARTS)
		goto unlock;
	/* Not inherited, not grown; not dumped, because reading SRAM is slow and tells nothing. */
	vm_flags_mod(vma, VM_IO | VM_PFNMAP | VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP, VM_MAYEXEC);
	if (kind == MYRI_PART_WINDOW)
		vma->vm_page_prot = pgprot_writecombine(vma->vm_page_prot);
	vma->vm_pgoff += first_offset(endpoint) >> PAGE_SHIFT;
	vma->vm_private_data = (void *)(unsigned long)kind;
	vma->vm_ops = &operations;
	status = 0;
unlock:
	mutex_unlock(&endpoint->view_lock);
	return status;
}

void myri_view_set(struct myri_endpoint *endpoint, enum myri_view view)
{
	mutex_lock(&endpoint->view_lock);
	endpoint->view = view;
	mutex_unlock(&endpoint->view_lock);
	if (view != MYRI_VIEW_CARD)
		unmap_mapping_range(endpoint->mapping, (loff_t)first_offset(endpoint), (loff_t)BIT_ULL(32), 1);
}
