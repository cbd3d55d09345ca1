# SPDX-License-Identifier: BSD-3-Clause
"""Cards that fail, and modules that go while they are needed (case C16 among them)."""
import re

from bed import Cases, Failure, check, expect
from cases_basic import load_module
from cases_messages import exchange

CASES = Cases()


def busy(sender, receiver):
    """Messages for some seconds; returns the two jobs."""
    job = receiver.start("timeout 240 mx_stream -w", user="ann")
    return job, sender.start(f"timeout 240 mx_stream -w -d {receiver.name} -l 100000 -N 1000 -V", user="ann")


def inject(guest, fault):
    expect(guest.run(f"echo 1 >/sys/kernel/debug/myri/myri0/{fault}"))


def inject_from_outside(bed, guest, *fault):
    done = bed.fabric.inject(guest.name, *fault)
    check(done.returncode == 0, f"myri-fabric inject: {done.stdout}")


def recovers(bed, sender, receiver, fault, make):
    """A fault of the sender's card in the middle of a stream: the stream comes to its good end nevertheless."""
    jobs = busy(sender, receiver)
    sender.run("sleep 1")
    make()
    sent, received = sender.finish(jobs[1], 250), receiver.finish(jobs[0], 30)
    if sent.status or received.status:
        raise Failure(f"exit {sent.status} and {received.status}\n{sent.output}\n{received.output}")
    said = sender.run("dmesg | tail -n 20").output
    check(re.search(rf"myri.*({fault}|heartbeat|restart)", said, re.I), f"the kernel says nothing of it:\n{said}")
    expect(sender.run("mx_info", user="ann"), says="Running")
    exchange(bed, "mx_pingpong", receiver, sender, "-S 0 -E 300000 -M 9 -N 5 -V")


@CASES.add("firmware stall: the card is restarted and messages go on")
def stall(bed):
    n1, n2 = bed.guests
    recovers(bed, n1, n2, "stall", lambda: inject(n1, "stall"))


@CASES.add("SRAM parity error: likewise")
def parity(bed):
    n1, n2 = bed.guests
    recovers(bed, n2, n1, "parity", lambda: inject_from_outside(bed, n2, "parity", "1"))


@CASES.add("a second failure within a minute: the card is dead, with a reason, until the module is loaded again")
def second_failure(bed):
    n1, n2 = bed.guests
    for guest in bed.guests:
        guest.run("rmmod myri")
        load_module(bed, guest)
    inject_from_outside(bed, n2, "stall")
    n2.run("n=0; while [ $(cat /sys/class/myri/myri0/restarts) = 0 ] && [ $n -lt 100 ]; do usleep 200000; n=$((n + 1)); done", 40)
    asleep = n2.start("timeout 60 mx_pingpong -w -e 7", user="bob")
    n2.run("sleep 1")
    inject(n2, "stall")
    said = n2.finish(asleep, 70)
    check(said.status == 1 and re.search("dead|stopped", said.output, re.I), f"exit {said.status}: {said.output}")
    expect(n2.run("mx_info", user="ann"), status=1, says="board 0 is dead")
    expect(n2.run("cat /sys/class/myri/myri0/state", user="ann"), says="failed twice within 60 s: the firmware does not answer")
    expect(n1.run("mx_info", user="ann"), says="Running")  # the other card is unaffected
    n2.run("rmmod myri")
    load_module(bed, n2)
    exchange(bed, "mx_pingpong", n1, n2, "-S 0 -E 300000 -M 9 -N 5 -V")


@CASES.add("a card is taken from its driver while it is busy: programs end with words, and it can be given back")
def unbind(bed):
    n1, n2 = bed.guests
    receiver, sender = busy(n1, n2)
    asleep = n1.start("timeout 60 mx_pingpong -w -e 7", user="bob")
    n1.run("sleep 1")
    refused = n1.run("rmmod myri")
    check(refused.status != 0 and "in use" in refused.output.lower() or "unavailable" in refused.output.lower(),
          f"rmmod of a module in use: exit {refused.status}: {refused.output}")
    n1.run("cd /sys/bus/pci/drivers/myri && echo 0000:* >unbind")
    for job in (sender, asleep):
        said = n1.finish(job, 70)
        check(said.status == 1 and re.search("dead|stopped|removed", said.output, re.I), f"exit {said.status}: {said.output}")
    n2.run("kill -9 $(pidof mx_stream)")
    n2.finish(receiver)
    for _ in range(10 if bed.long else 2):
        expect(n1.run("rmmod myri"))
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
    receiver = n1.start("timeout 240 mx_stream -w", user="ann")
    sender = n1.start("timeout 240 mx_stream -w -e 2 -d n1 -r 1 -l 100000 -N 100000", user="bob")
    asleep = n1.start("timeout 60 mx_pingpong -w -e 7", user="bob")
    n1.run("sleep 2")
    n2.stop()  # QEMU 11.1 may fail itself when the server of a card that uses INTx goes away
    bed.fabric.kill()
    for job in (sender, receiver, asleep):
        said = n1.finish(job, 60)
        check(said.status == 1, f"exit {said.status}, wanted 1 (124: it did not end)\n{said.output}")
        check(re.search("dead|removed", said.output, re.I), f"no reason given: {said.output}")
    expect(n1.run("mx_info", user="ann"), status=1, says="(?i)dead|no board|no device")
    expect(n1.run("rmmod myri"))
