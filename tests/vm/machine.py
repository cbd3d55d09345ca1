# SPDX-License-Identifier: BSD-3-Clause
"""A guest under QEMU: started on one processor, told what to run line by line, stopped by its process id."""
import os
import re
import select
import shlex
import signal
import subprocess
import time

import host

# A vCPU may be stopped for long on a busy machine: that is no lockup.
KERNEL_OPTIONS = "console=ttyS0 panic=-1 loglevel=7 watchdog_thresh=60"


def card_device(socket):
    """Option of QEMU. The emulator may be kept waiting on a busy machine; the default of 5 s then looks like a removal."""
    return '{"driver":"vfio-user-pci","x-msg-timeout":60000,"socket":{"type":"unix","path":"%s"}}' % socket


class GuestFailure(Exception):
    """The guest has ended, or did not answer in time."""


class Result:
    def __init__(self, command, status, output):
        self.command, self.status, self.output = command, status, output


class Guest:
    """
    The kernel's console goes to LOGS/NAME.console, the dialogue to LOGS/NAME.log. `cards` are the sockets of cards.
    Everything ends at `deadline` (of time.monotonic).
    """

    def __init__(self, name, qemu, kernel, initrd, logs, deadline, cards=(), memory=256, below_4g=None, append="", processor=None):
        self.name, self.deadline = name, deadline
        self.console_log, self.dialogue_log = f"{logs}/{name}.console", f"{logs}/{name}.log"
        machine = "pc,accel=tcg,memory-backend=ram0" + (f",max-ram-below-4g={below_4g}M" if below_4g else "")
        arguments = [*qemu, "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none", "-monitor", "none",
                     "-serial", f"file:{self.console_log}", "-serial", "stdio", "-machine", machine,
                     "-m", f"{memory}M", "-smp", "1", "-cpu", "max",
                     "-object", f"memory-backend-memfd,id=ram0,size={memory}M,share=on",
                     "-kernel", kernel, "-initrd", initrd,
                     "-append", f"{KERNEL_OPTIONS} myri.host={name} {append}".strip()]
        for socket in cards:
            arguments += ["-device", card_device(socket)]
        if processor is not None:
            arguments = ["taskset", "-c", str(processor), *arguments]
        self._dialogue = open(self.dialogue_log, "wb")
        self._errors = open(f"{logs}/{name}.qemu", "w+b")
        self._buffer = b""
        self._jobs = 0
        self._process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors,
                                         preexec_fn=host.end_with_parent)

    def ready(self, timeout=90):
        """Waits for the guest to have booted; its kernel's release."""
        return self._until(rb"@ready (\S+)\r?\n", timeout, "boot").group(1).decode()

    def run(self, command, timeout=60, user=None):
        """Runs a shell command as root or as `user`; stdout and stderr come together."""
        line = f"su {user} -c {shlex.quote(command)}" if user else command
        line = line.strip()
        status = None
        while status is None:  # the guest asks again if a character was lost
            self._send(f"{len(line)} {line}")
            found = self._until(rb"(?s)^(.*?)@(?:status (\d+)|again)\r?\n", timeout, command)
            status = found.group(2)
        return Result(command, int(status), found.group(1).decode(errors="replace").replace("\r\n", "\n"))

    def start(self, command, user=None):
        """Starts a command beside the others; `finish` waits for it."""
        self._jobs += 1
        job = f"/tmp/job.{self._jobs}"
        line = f"su {user} -c {shlex.quote(command)}" if user else command
        self.run(f"({line}; echo $? >{job}.status) >{job} 2>&1 & echo $! >{job}.pid")
        return job

    def finish(self, job, timeout=60):
        self.run(f"n=0; while [ ! -s {job}.status ] && [ $n -lt {timeout * 5} ]; do usleep 200000; n=$((n + 1)); done", timeout + 20)
        result = self.run(f"cat {job}; s=$(cat {job}.status 2>/dev/null); rm -f {job} {job}.*; exit ${{s:-124}}")
        result.command = job
        return result

    def stop(self):
        """Powers off; kills the process if that does not end it. Safe to call again."""
        if self._process.poll() is None:
            try:
                self._process.stdin.close()
                self._process.wait(5)
            except (OSError, subprocess.TimeoutExpired):
                pass
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
        self._process.stdout.close()
        self._dialogue.close()
        self._errors.close()

    def console(self):
        """What the kernel has said so far."""
        with open(self.console_log, errors="replace") as f:
            return f.read()

    def _send(self, line):
        if "\n" in line:
            raise ValueError(f"one line only: {line!r}")
        self._dialogue.write(f"> {line}\n".encode())
        self._dialogue.flush()
        try:
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            self._ended("")

    def _until(self, pattern, timeout, what):
        limit = min(time.monotonic() + timeout, self.deadline)
        pattern = re.compile(pattern)
        while True:
            found = pattern.search(self._buffer)
            if found:
                self._buffer = self._buffer[found.end():]
                return found
            left = limit - time.monotonic()
            if left <= 0:
                raise GuestFailure(f"{self.name}: no answer to '{what}'; see {self.console_log} and {self.dialogue_log}")
            if select.select([self._process.stdout], [], [], left)[0]:
                data = os.read(self._process.stdout.fileno(), 65536)
                if not data:
                    self._ended(what)
                self._dialogue.write(data)
                self._dialogue.flush()
                self._buffer += data

    def _ended(self, what):
        self._process.wait()
        self._errors.seek(0)
        said = self._errors.read().decode(errors="replace").strip()
        raise GuestFailure(f"{self.name} has ended at '{what}' {said}; see {self.console_log} and {self.dialogue_log}")
