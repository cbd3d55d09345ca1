# SPDX-License-Identifier: BSD-3-Clause
"""Boot, load, who may use a card."""
from bed import Cases, check, expect

CASES = Cases()


@CASES.add("guests boot")
def boot(bed):
    for guest in bed.guests:
        guest.ready()


@CASES.add("insmod finds the card and brings it up")
def load(bed):
    for guest in bed.guests:
        expect(guest.run("insmod /lib/modules/myri.ko"))
        expect(guest.run("udevadm settle; ls -l /dev/myri0"), says=r"^crw-rw---- +1 root +myri ")


@CASES.add("mx_info: a member of group myri sees the card, another gets a clear error")
def information(bed):
    for guest in bed.guests:
        expect(guest.run("mx_info", user="ann"), says=(
            r"^1 Myrinet board installed\.$", r"M3F-PCIXD-2", r"MAC Address:\s+00:60:dd:", r"Link 0 state: +UP|UP"))
        said = expect(guest.run("mx_info", user="eve"), status=1, says=r"/dev/myri0")
        check("ermission" in said.output and "myri" in said.output, f"not a clear permission error:\n{said.output}")
