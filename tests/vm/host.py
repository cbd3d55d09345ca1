# SPDX-License-Identifier: BSD-3-Clause
"""What the test bed needs from outside: QEMU, kernels, the module. `Unavailable` says what is missing and why."""
import ctypes
import glob
import os
import re
import shutil
import signal
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


class Unavailable(Exception):
    pass


class BuildFailure(Exception):
    pass


def _script(name, *arguments):
    done = subprocess.run([f"{HERE}/{name}", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode == 77:
        raise Unavailable(done.stderr.strip())
    if done.returncode != 0:
        raise RuntimeError(f"{name} {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout


def _has_vfio_user(command):
    try:
        listing = subprocess.run([*command, "-device", "help"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    except OSError:
        return False
    return '"vfio-user-pci"' in listing.stdout


def qemu():
    """Command of a QEMU with vfio-user-pci: the system's, else one in the cache."""
    own = shutil.which("qemu-system-x86_64")
    if own and _has_vfio_user([own]):
        return [own]
    tree = _script("packages", "tree", "qemu", "trixie", "-t", "trixie-backports", "qemu-system-x86").strip()
    command = [f"{tree}/usr/lib64/ld-linux-x86-64.so.2", "--library-path", f"{tree}/usr/lib/x86_64-linux-gnu",
               f"{tree}/usr/bin/qemu-system-x86_64", "-L", f"{tree}/usr/share/qemu", "-L", f"{tree}/usr/share/seabios"]
    if not _has_vfio_user(command):
        raise Unavailable(f"the QEMU in {tree} has no vfio-user-pci")
    return command


def udev():
    """A tree with udev and its libraries."""
    return _script("packages", "tree", "udev", "bookworm", "udev").strip()


def clock_options(build):
    """Kernel options that tell a guest how fast its time-stamp counter runs."""
    khz = subprocess.run([f"{build}/bin-vm/tsc"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    return f"tsc=reliable tsc_early_khz={khz}"


def end_with_parent():
    """For preexec_fn: the process ends when this one does, however that is."""
    PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Kernel:
    def __init__(self, version):
        self.version = version
        parts = dict(re.findall(r"^(\w+)=(.*)$", _script("kernel", version), re.M))
        self.image, self.kdir, self.root = parts["image"], parts["kdir"], parts["root"]

    def make_module(self, build, *settings):
        """Builds the module anew with `make kmod`; returns its place and what make said."""
        target = f"{build}/kmod-{self.version}"
        shutil.rmtree(target, ignore_errors=True)
        command = ["make", "--no-print-directory", "kmod", f"KDIR={self.kdir}", f"BUILD={target}", *settings]
        if self.root:
            command = [f"{HERE}/in-root", self.root, *command, "CC=gcc-14"]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        modules = glob.glob(f"{target}/**/myri.ko", recursive=True)
        if done.returncode != 0 or len(modules) != 1:
            raise BuildFailure(f"the module does not build for {self.version}:\n{done.stdout}")
        return modules[0], done.stdout

    def check_module(self, build):
        """Builds with W=1 and sparse; returns the warnings."""
        # Debian 13's sparse is older than the keyword, which 7.3 uses.
        said = self.make_module(build, "W=1", "C=1", "CHECK=sparse -D__typeof_unqual__=__typeof__")[1]
        if "CHECK " not in said:
            raise BuildFailure(f"sparse did not run:\n{said}")
        return [line for line in said.splitlines() if re.search(r"\b(warning|error):|^WARNING", line)]
