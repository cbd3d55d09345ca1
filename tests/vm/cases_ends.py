# SPDX-License-Identifier: BSD-3-Clause
"""Processes that end in every way, and what is left of them: nothing."""
import random
import re

from bed import Cases, check, expect
from cases_messages import exchange

CASES = Cases()


class Holdings:
    """What a guest holds for endpoints: pinned pages, open endpoints, memory."""

    def __init__(self, guest):
        said = guest.run("echo 3 >/proc/sys/vm/drop_caches; echo 1 >/proc/sys/vm/stat_refresh; cat /proc/vmstat /proc/meminfo").output
        value = {name: int(number) for name, number in re.findall(r"^(\w+):? +(\d+)", said, re.M)}
        self.pinned = value["nr_foll_pin_acquired"] - value["nr_foll_pin_released"]
        self.available = value["MemAvailable"]
        self.unreclaimable = value["SUnreclaim"]
        self.endpoints = int(guest.run("cat /sys/class/myri/myri0/endpoints_open").output)


def nothing_left(guest, before, kib):
    """Endpoints and pinned pages are as before; memory differs by less than `kib`."""
    after = Holdings(guest)
    for _ in range(20):  # newer kernels keep free pages by the processor for a while
        if before.available - after.available < kib:
            break
        guest.run("echo 1 >/proc/sys/vm/compact_memory; sleep 1")
        after = Holdings(guest)
    check(after.pinned == before.pinned, f"{guest.name}: {after.pinned} pages pinned, {before.pinned} before")
    check(after.endpoints == before.endpoints, f"{guest.name}: {after.endpoints} endpoints open, {before.endpoints} before")
    check(before.available - after.available < kib,
          f"{guest.name}: {before.available - after.available} KiB less memory than before")


@CASES.add("open and close, over and over")
def open_close(bed):
    n1 = bed.guests[0]
    rounds = 1000 if bed.long else 50
    expect(n1.run("/usr/local/vm/opens 5 1", user="ann"))
    before = Holdings(n1)
    expect(n1.run(f"/usr/local/vm/opens {rounds} 1", user="ann", timeout=60 + rounds), says=" 0 failed$")
    expect(n1.run(f"/usr/local/vm/opens {rounds // 10} 8", user="ann", timeout=60 + rounds), says=" 0 failed$")
    nothing_left(n1, before, 2048)


@CASES.add("kill -9 at random points of large transfers")
def killed(bed):
    n1, n2 = bed.guests
    generator = random.Random(1)
    exchange(bed, "mx_stream", n1, n2, "-l 1000000 -N 5 -V")
    before = [Holdings(guest) for guest in bed.guests]
    for number in range(200 if bed.long else 20):
        victim, survivor = (n1, n2) if number % 2 else (n2, n1)
        job = survivor.start("timeout 60 mx_stream -w", user="ann")
        options = f"-d {survivor.name} -l {generator.choice((40000, 1000000, 3000000))} -N 100000 {generator.choice(('', '-x'))}"
        wait_us = generator.randrange(100000, 900000)
        victim.run(f"mx_stream {options} >/dev/null 2>&1 & p=$!; usleep {wait_us}; kill -9 $p; wait $p", user="bob")
        # It finds out by itself, unless the victim was killed before they met; every other one is killed as well.
        patience = 25 if number % 4 < 2 else 0
        survivor.run(f"n=0; while pidof mx_stream >/dev/null && [ $n -lt {patience} ]; do usleep 200000; n=$((n + 1)); done; "
                     "kill -9 $(pidof mx_stream) 2>/dev/null")
        survivor.finish(job)
    exchange(bed, "mx_stream", n1, n2, "-l 1000000 -N 10 -x -V")
    for guest, then in zip(bed.guests, before):
        nothing_left(guest, then, 3072)
