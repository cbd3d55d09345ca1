# SPDX-License-Identifier: BSD-3-Clause
"""Messages between guests, and between a guest and a process of the machine that runs the fabric."""
import re
import time

from bed import Cases, Failure, check, expect

CASES = Cases()


def exchange(bed, tool, sender, receiver, options, receiver_options="", user="ann", timeout=120):
    """Runs both ends of a tool in two guests; both must come to a good end. Returns what the sender printed."""
    job = receiver.start(f"timeout {timeout} {tool} {receiver_options}", user=user)
    sent = sender.run(f"timeout {timeout} {tool} -d {receiver.name} {options}", user=user, timeout=timeout + 20)
    received = receiver.finish(job)
    expect(sent)
    expect(received)
    return sent.output


def rows(output):
    """Lengths that a table of mx_pingpong has."""
    return [int(line.split()[0]) for line in output.splitlines() if re.match(r"^ +\d+ +\d+\.\d+ +\d+\.\d+$", line)]


LENGTHS = "-S 0 -E 1048577 -M 4 -V"
ALL_LENGTHS = [0, 1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576]


@CASES.add("mx_pingpong -V, 0 B to 1 MiB, both directions")
def pingpong(bed):
    n1, n2 = bed.guests
    for sender, receiver in ((n1, n2), (n2, n1)):
        check(rows(exchange(bed, "mx_pingpong", sender, receiver, f"{LENGTHS} -N 5")) == ALL_LENGTHS, "not all lengths")


@CASES.add("the same, blocking")
def blocking(bed):
    n1, n2 = bed.guests
    check(rows(exchange(bed, "mx_pingpong", n1, n2, f"{LENGTHS} -N 5 -w", "-w")) == ALL_LENGTHS, "not all lengths")
    check(rows(exchange(bed, "mx_pingpong", n2, n1, f"{LENGTHS} -N 5 -w")) == ALL_LENGTHS, "not all lengths")


@CASES.add("one damaged byte is found")
def damaged(bed):
    n1, n2 = bed.guests
    job = n2.start("timeout 60 mx_pingpong --damage-one-byte", user="ann")
    expect(n1.run("timeout 60 mx_pingpong -d n2 -S 40000 -E 40001 -N 5 -V", user="ann", timeout=80), status=1)
    expect(n2.finish(job), status=1, says="verification failed: message 0 of 40000 bytes differs at offset 20000")


@CASES.add("a guest and a local process, both directions")
def local(bed):
    for guest in bed.guests:
        job = guest.start("timeout 60 mx_pingpong -w", user="ann")
        sent = bed.fabric.run(["mx_pingpong", "-d", guest.name, *LENGTHS.split(), "-N", "5"])
        received = guest.finish(job)
        check(sent.returncode == 0 and rows(sent.stdout) == ALL_LENGTHS, f"to {guest.name}: {sent.stdout}")
        expect(received)
        process = bed.fabric.start(["mx_pingpong"])
        try:
            sent = guest.run(f"timeout 60 mx_pingpong -d n0 {LENGTHS} -N 5", user="ann", timeout=80)
            check(rows(expect(sent).output) == ALL_LENGTHS, "not all lengths")
            check(process.wait(20) == 0, f"the local receiver: exit {process.returncode}: {process.stdout.read()}")
        finally:
            process.kill()
            process.wait()
            process.stdout.close()


@CASES.add("mx_stream -V, one way and both ways, polling and blocking")
def stream(bed):
    n1, n2 = bed.guests
    for length, options in ((100, "-N 200"), (20000, "-N 50"), (200000, "-N 20"), (200000, "-N 20 -x"), (8192, "-N 50 -x -w")):
        said = exchange(bed, "mx_stream", n1, n2, f"-l {length} {options} -V", "-w" if "-w" in options else "")
        check(re.search(rf"^Total: +{length} ", said, re.M), said)


@CASES.add("mx_dmabench and mx_counters")
def tools(bed):
    for guest in bed.guests:
        said = expect(guest.run("mx_dmabench -N 10 -E 16384", user="ann")).output
        check(len(re.findall(r"^ +\d+ +\d+\.\d+ +\d+\.\d+", said, re.M)) == 9, said)
        said = expect(guest.run("mx_counters", user="ann")).output
        counters = {name.strip(): int(value) for name, value in re.findall(r"^ *([^:\n]+): +(\d+)", said, re.M)}
        check(counters.get("Packets received", 0) > 0, said)
        check(counters.get("Bad request slots") == 0 and counters.get("DMA errors") == 0, said)


def interrupts(guest):
    """Interrupts of the card so far."""
    lines = [line for line in guest.run("cat /proc/interrupts").output.splitlines() if "myri" in line]
    check(len(lines) == 1, f"not one interrupt of the card: {lines}")
    return int(lines[0].split()[1])


class SystemCalls:
    """Counts the system calls of all programs of one name, in the kernel (strace would change what it looks at)."""

    TRIGGER = "/sys/kernel/tracing/events/raw_syscalls/sys_enter/trigger"

    def __init__(self, guest, name):
        self._guest, self._what = guest, f"hist:keys=id.syscall if comm == \"{name}\""
        expect(guest.run(f"echo '{self._what}' >{self.TRIGGER}"))

    def end(self):
        """The sum, and the table."""
        table = self._guest.run(f"cat {self.TRIGGER.replace('trigger', 'hist')}; echo '!{self._what}' >{self.TRIGGER}").output
        counts = [int(number) for number in re.findall(r"hitcount: +(\d+)", table)]
        check(counts, f"the kernel counted nothing: {table}")
        return sum(counts), table


def counted(bed, length, setting):
    """What 500 round trips cost their first process: system calls, their table, interrupts, milliseconds."""
    n1, n2 = bed.guests
    job = n2.start("mx_pingpong", user="ann")
    before, calls, since = interrupts(n1), SystemCalls(n1, "mx_pingpong"), time.monotonic()
    expect(n1.run(f"{setting} mx_pingpong -d n2 -S {length} -E {length + 1} -N 500 -W 5", user="ann", timeout=120))
    elapsed = int((time.monotonic() - since) * 1000)
    total, table = calls.end()
    interrupted = interrupts(n1) - before
    expect(n2.finish(job))
    bed.remark(f"500 round trips, {length} B {setting}: {total} system calls, {interrupted} interrupts, {elapsed} ms")
    return total, table, interrupted, elapsed


@CASES.add("polling: no system call and no interrupt for a message")
def polling(bed):
    for length in (0, 100000):
        calls, table, interrupted, elapsed = counted(bed, length, "MX_MONOTHREAD=1")
        # Start, end and the dialogue of the tools take 100 to 500, whatever the number of messages.
        check(calls < 700, f"{length} B: {calls} system calls for 1000 messages\n{table}")
        # An event that lies unread for 10 ms interrupts: so long a busy machine may well stop a guest.
        check(interrupted <= 5 + elapsed // 10, f"{length} B: {interrupted} interrupts in {elapsed} ms")
    counted(bed, 0, "")  # with its progress thread, which looks the more often the busier the machine


@CASES.add("blocking: the process sleeps")
def sleeps(bed):
    n1 = bed.guests[0]
    job = n1.start("mx_pingpong -w", user="ann")
    time.sleep(1)
    said = n1.run("p=$(pidof mx_pingpong); cat /proc/$p/stat; sleep 3; cat /proc/$p/stat; kill -INT $p").output
    n1.finish(job)
    ticks = [sum(int(word) for word in line.rsplit(")", 1)[1].split()[11:13]) for line in said.splitlines() if "mx_pingpong" in line]
    check(len(ticks) == 2 and ticks[1] - ticks[0] <= 15, f"ticks of 10 ms: {ticks}\n{said}")


PROGRAMS = ("truncation", "ordering", "matching", "sizes", "timeouts", "completion", "handler", "closing")


def two_ends(sender, receiver, program, setting="", users=("ann", "ann")):
    """A program of tests/e2e as sender and receiver; both must come to a good end."""
    place = f"{setting} timeout 120 /usr/local/e2e/{program}"
    job = receiver.start(f"{place} receiver {sender.name}", user=users[1])
    sent = sender.run(f"{place} sender {receiver.name}", user=users[0], timeout=140)
    received = receiver.finish(job, 140)
    if sent.status or received.status:
        raise Failure(f"{setting} {program}: exit {sent.status} and {received.status}\n{sent.output}\n{received.output}")
    expect(sent, says="^sender: all as expected$")
    expect(received, says="^receiver: all as expected$")


@CASES.add("the library's tests, two guests")
def library(bed):
    n1, n2 = bed.guests
    for program in PROGRAMS:
        two_ends(n1, n2, program)


@CASES.add("the library's tests, one endpoint with itself and two of one card")
def library_alone(bed):
    n1 = bed.guests[0]
    expect(n1.run("timeout 120 /usr/local/e2e/calls n1 n2", timeout=140), says="all as expected$")  # root: all endpoints
    for program in ("truncation", "ordering", "sizes", "two_threads"):
        expect(n1.run(f"timeout 120 /usr/local/e2e/{program} self", user="ann", timeout=140), says="^self: all as expected$")
    for program in ("ordering", "completion"):
        two_ends(n1, n1, program, users=("ann", "bob"))


def forked_and_remapped(bed):
    n1, n2 = bed.guests
    for cache in (0, 1):
        for program in ("forked", "remapped"):
            two_ends(n1, n2, program, f"MX_RCACHE={cache}")


CASES.add("fork and remapping, with registrations kept and not kept")(forked_and_remapped)

# What is enough to see that data goes right in another configuration.
SHORT = [one for one in CASES if one[1] in (pingpong, blocking, local, damaged, forked_and_remapped)]
