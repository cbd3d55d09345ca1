# SPDX-License-Identifier: BSD-3-Clause
"""Cards that fail, and modules that go while they are needed (case C16 among them)."""
import re

from bed import Cases, check, expect
from cases_basic import load_module
from cases_messages import exchange

CASES = Cases()


def busy(sender, receiver):
    """Messages that go on until they are stopped; returns the two jobs."""
    job = receiver.start("timeout 120 mx_stream -w", user="ann")
    return job, sender.start(f"timeout 120 mx_stream -w -d {receiver.name} -l 100000 -N 3000 -V", user="ann")


@CASES.add("firmware stall: the card is restarted and messages go on")
def stall(bed):
    recovers(bed, "stall")


@CASES.add("SRAM parity error: likewise")
def parity(bed):
    bed.guests[0].run("sleep 61", timeout=80)  # a second failure within 60 s is another matter
    recovers(bed, "parity")


def recovers(bed, fault):
    n1, n2 = bed.guests
    receiver, sender = busy(n1, n2)
    n1.run("sleep 2")
    expect(n1.run(f"echo 1 >/sys/kernel/debug/myri/myri0/{fault}"))
    expect(n1.finish(sender, 120))
    expect(n2.finish(receiver, 20))
    said = n1.run("dmesg").output
    check(re.search(rf"myri.*({fault}|heartbeat|restart)", said, re.I), f"the kernel says nothing of it:\n{said[-2000:]}")
    expect(n1.run("mx_info", user="ann"), says=r"Running")
    exchange(bed, "mx_pingpong", n2, n1, "-S 0 -E 300000 -M 9 -N 5 -V")


@CASES.add("rmmod while an endpoint is open is refused or ends it; the module can be loaded again")
def unload(bed):
    n1, n2 = bed.guests
    receiver, sender = busy(n1, n2)
    n1.run("sleep 1")
    n1.run("rmmod myri")
    n1.run("kill -9 $(pidof mx_stream)")
    n2.run("kill -9 $(pidof mx_stream)")
    n1.finish(sender)
    n2.finish(receiver)
    for _ in range(10 if bed.long else 2):
        n1.run("rmmod myri")
        load_module(bed, n1)
    exchange(bed, "mx_pingpong", n1, n2, "-S 0 -E 300000 -M 9 -N 5 -V")


@CASES.add("no module, a node that nobody serves, a node for root only: three answers, each with what to do")
def no_module(bed):
    n1 = bed.guests[0]
    expect(n1.run("rmmod myri"))
    expect(n1.run("mx_info", user="ann"), status=1, says=(r"looked for /dev/myri0 to /dev/myri3", r"modprobe myri"))
    n1.run("mknod -m 660 /dev/myri0 c 60 0; chgrp myri /dev/myri0")  # a number for local use
    expect(n1.run("mx_info", user="ann"), status=1, says=r"/dev/myri0 is there, but no driver answers")
    n1.run("chmod 600 /dev/myri0; chgrp root /dev/myri0")
    expect(n1.run("mx_info", user="ann"), status=1,
           says=r"/dev/myri0 has mode 0600, owner root and group root; install udev/60-myri.rules")
    n1.run("rm /dev/myri0")
    load_module(bed, n1)


REMOVAL = Cases()


@REMOVAL.add("the card goes away (its server is killed): programs end with words, the module unloads")
def removal(bed):
    n1, n2 = bed.guests
    receiver, sender = busy(n1, n2)
    asleep = n2.start("timeout 60 mx_pingpong -w -e 7", user="bob")
    n1.run("sleep 2")
    bed.fabric.kill()
    for guest, job in ((n1, sender), (n2, receiver), (n2, asleep)):
        said = guest.finish(job, 60)
        check(said.status == 1, f"exit {said.status}, wanted 1 (124: it did not end)\n{said.output}")
        check(re.search("dead|card|removed", said.output, re.I), f"no reason given: {said.output}")
    for guest in bed.guests:
        said = guest.run("mx_info", user="ann")
        check(re.search("dead|No device|no board", said.output, re.I), said.output)
        expect(guest.run("rmmod myri"))
