# SPDX-License-Identifier: BSD-3-Clause
"""The test bed of one kernel: an emulated fabric, guests whose PCI bus holds its cards, results as TAP."""
import os
import re
import shutil
import sys
import tempfile
import time

import fabric
import machine

# What a kernel log must not hold.
TROUBLE = re.compile(r"\bWARNING:|\bBUG\b|\bOops\b|Call Trace|general protection|use-after-free|refcount_t|[Bb]ad page|\b[Ll]eak"
                     r"|blocked for more than|soft lockup|rcu: .*stall|irq \d+: nobody cared|Kernel panic|Tainted")


class Failure(Exception):
    """A check that failed, in words."""


class Skip(Exception):
    """What the case needs is not there."""


class Cases(list):
    """The tests of a bed, in their order: (title, function of a Bed, whether only in the long form)."""

    def add(self, title, long=False):
        def mark(function):
            self.append((title, function, long))
            return function
        return mark


class Tap:
    def __init__(self):
        self.count = self.failed = self.skipped = 0
        self._start = time.monotonic()

    def result(self, title, failure=None, skip=None):
        self.count += 1
        if failure is not None:
            self.failed += 1
        if skip:
            self.skipped += 1
        seconds = time.monotonic() - self._start
        self._start = time.monotonic()
        mark = f" # SKIP {skip}" if skip else f" # {seconds:.1f} s"
        print(f"{'not ok' if failure is not None else 'ok'} {self.count} - {title}{mark}", flush=True)
        for line in (failure or "").splitlines():
            print(f"#   {line}", flush=True)

    def end(self):
        """Prints the plan; the totals go to the file that tests/run-tests writes to as well."""
        print(f"1..{self.count}", flush=True)
        if totals := os.environ.get("TEST_TOTALS"):
            with open(totals, "a") as file:
                print(self.count - self.failed - self.skipped, self.failed, self.skipped, file=file)


class Bed:
    """`guests`: keyword arguments of machine.Guest for each guest, n1, n2 ...; `options`: kernel options for all."""

    def __init__(self, qemu, kernel, initrd, build, logs, guests, deadline, options="", long=False):
        self.build, self.logs, self.long = build, logs, long
        self.folder = tempfile.mkdtemp(prefix="myri-vm-")
        self.guests = []
        self.fabric = None
        try:
            self.fabric = fabric.Fabric(build, self.folder, len(guests), f"{logs}/fabric.log")
            for number, one in enumerate(guests, 1):
                append = f"{options} {one.get('append', '')}"
                self.guests.append(machine.Guest(f"n{number}", qemu, kernel.image, initrd, logs, deadline,
                                                 cards=[self.fabric.cards[number - 1]],
                                                 processor=processor_of(number), **dict(one, append=append)))
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        for guest in self.guests:
            guest.stop()
        if self.fabric:
            self.fabric.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    @staticmethod
    def remark(text):
        """A figure for the reader."""
        print(f"# {text}", flush=True)

    def kernel_logs_clean(self):
        for guest in self.guests:
            found = [line for line in guest.console().splitlines() if TROUBLE.search(line)]
            if found:
                raise Failure(f"{guest.console_log}:\n" + "\n".join(found[:20]))


def processor_of(number):
    """Guests share the processors that there are, one each."""
    usable = sorted(os.sched_getaffinity(0))
    return usable[(number - 1) % len(usable)]


def expect(result, status=0, says=(), never=()):
    """Checks the exit status of a machine.Result, and patterns that its output must or must not match."""
    says = (says,) if isinstance(says, str) else says
    never = (never,) if isinstance(never, str) else never
    wrong = [] if result.status == status else [f"exit {result.status}, wanted {status}"]
    wrong += [f"lacks '{pattern}'" for pattern in says if not re.search(pattern, result.output, re.M)]
    wrong += [f"has '{pattern}'" for pattern in never if re.search(pattern, result.output, re.M)]
    if wrong:
        raise Failure(f"{result.command}: {'; '.join(wrong)}\n" + "\n".join(result.output.splitlines()[-15:]))
    return result


def check(good, text):
    if not good:
        raise Failure(text)


def run_cases(bed, cases, tap, essential=()):
    """Runs cases one after another. False: the rest was not run, because a guest is gone or an essential case failed."""
    for title, function in cases:
        try:
            function(bed)
            tap.result(title)
        except Skip as reason:
            tap.result(title, skip=str(reason))
        except machine.GuestFailure as failure:
            tap.result(title, failure=str(failure))
            for guest in bed.guests:
                sys.stdout.writelines(f"# {guest.name}| {line}\n" for line in guest.console().splitlines()[-20:])
            return False
        except Failure as failure:
            tap.result(title, failure=f"{failure}\nlogs: {bed.logs}")
            if function in essential:
                return False
    return True
