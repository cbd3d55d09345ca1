# SPDX-License-Identifier: BSD-3-Clause
"""What a test guest holds: busybox, udev, our programs with the libraries they need, the module, the firmware."""
import glob
import os
import re
import subprocess

import cpio

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
LIBRARIES = "lib/x86_64-linux-gnu"
LOADER = "lib64/ld-linux-x86-64.so.2"

# ann and bob may use cards, eve may not.
USERS = {"ann": 1001, "bob": 1002, "eve": 1003}
MEMBERS = ("ann", "bob")
GROUP = 900

# Groups that the rules of udev itself name.
SYSTEM_GROUPS = ("tty", "disk", "kmem", "input", "kvm", "render", "video", "audio", "lp", "cdrom", "tape", "dialout", "sgx")


class Image:
    def __init__(self):
        self.archive = cpio.Archive()

    def program(self, path, source, libraries=()):
        """A program and the shared libraries it is linked with; `libraries` are folders to search first."""
        self.archive.file(path, source)
        environment = dict(os.environ, LC_ALL="C")
        environment.pop("LD_LIBRARY_PATH", None)
        if libraries:
            environment["LD_LIBRARY_PATH"] = ":".join(libraries)
        listing = subprocess.run(["ldd", source], capture_output=True, text=True, env=environment)
        if "not a dynamic executable" in listing.stderr or "statically linked" in listing.stdout:
            return
        if listing.returncode != 0 or "not found" in listing.stdout:
            raise RuntimeError(f"ldd {source}: {listing.stdout}{listing.stderr}")
        for name, place in re.findall(r"^\s(\S+) => (\S+) ", listing.stdout, re.M):
            target = f"{LIBRARIES}/{os.path.basename(name)}"
            if not self.archive.has(target):
                self.archive.file(target, place)
        if not self.archive.has(LOADER):
            self.archive.file(LOADER, "/" + LOADER)

    def base(self):
        a = self.archive
        for folder in ("proc", "sys", "dev", "tmp", "run", "root", "mnt"):
            a.folder(folder)
        a.folder("home", 0o755)
        a.file("bin/busybox", "/bin/busybox")
        a.file("init", f"{HERE}/guest/init")
        passwd = ["root:x:0:0:root:/root:/bin/sh"]
        groups = ["root:x:0:", f"myri:x:{GROUP}:{','.join(MEMBERS)}"]
        for name, number in USERS.items():
            passwd.append(f"{name}:x:{number}:{number}::/tmp:/bin/sh")
            groups.append(f"{name}:x:{number}:")
        groups += [f"{name}:x:{100 + i}:" for i, name in enumerate(SYSTEM_GROUPS)]
        a.text("etc/passwd", "\n".join(passwd) + "\n")
        a.text("etc/group", "\n".join(groups) + "\n")
        a.text("root/profile", "PS1='\\h:\\w\\$ '\n")

    def udev(self, tree):
        """udev from an unpacked tree of packages, with our rules and those that make it work."""
        folders = [f"{tree}/lib/x86_64-linux-gnu", f"{tree}/usr/lib/x86_64-linux-gnu"]
        self.program("bin/udevadm", f"{tree}/bin/udevadm", folders)
        self.archive.link("usr/lib/systemd/systemd-udevd", "/bin/udevadm")
        for rules in glob.glob(f"{tree}/lib/udev/rules.d/50-udev-default.rules") + glob.glob(f"{ROOT}/udev/*.rules"):
            self.archive.file(f"usr/lib/udev/rules.d/{os.path.basename(rules)}", rules)

    def programs(self, build):
        """Tools, the library's tests over a device, and the guests' own programs."""
        for source in sorted(glob.glob(f"{build}/bin/mx_*")):
            self.program(f"usr/local/bin/{os.path.basename(source)}", source)
        for folder in ("e2e", "vm"):
            for source in sorted(glob.glob(f"{build}/tests/{folder}/*")):
                self.program(f"usr/local/{folder}/{os.path.basename(source)}", source)
        for script in sorted(glob.glob(f"{HERE}/guest/*.sh")):
            self.archive.file(f"usr/local/vm/{os.path.basename(script)}", script)
        for image in glob.glob(f"{build}/firmware/lanaix.bin"):
            self.archive.file("lib/firmware/myri/lanaix.bin", image)

    def module(self, source):
        self.archive.file("lib/modules/myri.ko", source)

    def write(self, place):
        self.archive.write(place)
