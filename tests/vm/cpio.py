# SPDX-License-Identifier: BSD-3-Clause
"""An initramfs: a cpio archive of the "newc" kind, made without root and without a staging folder."""
import os
import stat


class Archive:
    def __init__(self):
        self._entries = {}  # path -> (mode, contents)

    def folder(self, path, mode=0o755):
        parent = os.path.dirname(path)
        if parent and parent not in self._entries:
            self.folder(parent)
        self._entries.setdefault(path, (stat.S_IFDIR | mode, b""))

    def has(self, path):
        return path.lstrip("/") in self._entries

    def _add(self, path, mode, contents):
        path = path.lstrip("/")
        self.folder(os.path.dirname(path))
        self._entries[path] = (mode, contents)

    def text(self, path, text, mode=0o644):
        self._add(path, stat.S_IFREG | mode, text.encode())

    def file(self, path, source):
        with open(source, "rb") as f:
            self._add(path, stat.S_IFREG | (0o755 if os.access(source, os.X_OK) else 0o644), f.read())

    def link(self, path, target):
        self._add(path, stat.S_IFLNK | 0o777, target.encode())

    def write(self, place):
        with open(place, "wb") as f:
            for number, (path, (mode, contents)) in enumerate(sorted(self._entries.items()), 1):
                self._record(f, number, path, mode, contents)
            self._record(f, 0, "TRAILER!!!", 0, b"")

    @staticmethod
    def _record(f, number, path, mode, contents):
        name = path.encode() + b"\0"
        # inode, mode, uid, gid, links, mtime, size, device and rdevice major and minor, name size, check
        fields = (number, mode, 0, 0, 1, 0, len(contents), 0, 0, 0, 0, len(name), 0)
        f.write(b"070701" + b"".join(b"%08X" % value for value in fields))
        f.write(name + b"\0" * (-(110 + len(name)) % 4))
        f.write(contents + b"\0" * (-len(contents) % 4))
