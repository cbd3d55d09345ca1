# SPDX-License-Identifier: BSD-3-Clause
"""Boot, load, who may use a card."""
from bed import Cases, check, expect

CASES = Cases()


def install_peers(bed, guest):
    """Gives a guest's card the fabric's peer table."""
    with open(bed.fabric.peers) as table:
        lines = table.read().splitlines()
    guest.run("rm -f /tmp/peers")
    for line in lines:
        guest.run(f"echo '{line}' >>/tmp/peers")
    expect(guest.run("mx_peers /tmp/peers"))


def load_module(bed, guest):
    expect(guest.run("insmod /lib/modules/myri.ko"))
    expect(guest.run("udevadm settle; ls -l /dev/myri0"), says=r"^crw-rw---- +1 root +myri ")
    install_peers(bed, guest)


@CASES.add("guests boot")
def boot(bed):
    for guest in bed.guests:
        guest.ready()


@CASES.add("insmod finds the card and brings it up")
def load(bed):
    for guest in bed.guests:
        load_module(bed, guest)


@CASES.add("mx_info: a member of group myri sees the card, another gets a clear error")
def information(bed):
    for guest in bed.guests:
        expect(guest.run("mx_info", user="ann"), says=(
            r"^1 Myrinet board installed\.$", r"M3F-PCIXD-2", r"MAC Address:\s+00:60:dd:", r"Running, P0: Link up"))
        said = expect(guest.run("mx_info", user="eve"), status=1, says=r"/dev/myri0")
        check("ermission" in said.output and "myri" in said.output, f"not a clear permission error:\n{said.output}")


@CASES.add("the peer table: root installs it, others may only look")
def peers(bed):
    n1, n2 = bed.guests
    expect(n1.run("mx_peers /tmp/peers", user="ann"), status=1, says="only root may")
    shown = expect(n1.run("mx_peers --show", user="ann"), says=(r" n0:0 ", r" n1:0 ", r" n2:0 ")).output
    expect(n1.run("mx_peers --show >/tmp/shown; mx_peers /tmp/shown"))
    check(expect(n1.run("mx_peers --show")).output == shown, "another table after it was installed again")
    expect(n2.run("mx_info", user="bob"), says=(r"n0:0", r"n1:0", r"n2:0"))
