# SPDX-License-Identifier: BSD-3-Clause
"""The beds, in the order they run: name, a set of options for each guest, cases."""
import cases_basic
import cases_ends
import cases_failure
import cases_messages
import cases_protection
from bed import Cases, expect

# The older and the newer name; the last where the kernel has KFENCE.
ALLOCATOR_CHECKS = "slub_debug=FZPU slab_debug=FZPU kfence.sample_interval=10"

FIRST = cases_basic.CASES[:2]  # boot and load
LAST = Cases()


NARROW = Cases()


@NARROW.add("one card goes through bounce buffers, the other interrupts by INTx")
def narrow(bed):
    n1, n2 = bed.guests
    expect(n1.run("cat /sys/class/myri/myri0/bounces"), says="^1$")
    expect(n2.run("cat /sys/class/myri/myri0/bounces"), says="^0$")
    expect(n1.run("dmesg"), says=r"myri0: .*, MSI$")
    expect(n2.run("dmesg"), says=r"myri0: .*, INTx$")


@LAST.add("kernel logs hold no WARNING, BUG, leak or stall")
def clean_logs(bed):
    bed.kernel_logs_clean()


BEDS = [
    # n1 has most of its memory above 4 GiB. n2 has all below; its kernel's allocator checks for use after free and overruns.
    ("pair", [{"memory": 640, "below_4g": 256}, {"memory": 384, "append": ALLOCATOR_CHECKS}],
     cases_basic.CASES + cases_messages.CASES + cases_protection.CASES + cases_ends.CASES + cases_failure.CASES, LAST),
    # A card that reaches only bounce buffers, and one that has no MSI.
    ("narrow", [{"memory": 384, "append": "swiotlb=force"}, {"memory": 384, "append": "pci=nomsi"}],
     cases_basic.CASES + NARROW + cases_messages.SHORT + cases_failure.REMOVAL, LAST),
]
