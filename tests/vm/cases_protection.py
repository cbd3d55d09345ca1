# SPDX-License-Identifier: BSD-3-Clause
"""What a process can do to itself, to others and to the kernel: nothing but to itself."""
import random

from bed import Cases, check, expect
from cases_messages import exchange
from image import USERS

CASES = Cases()


@CASES.add("the driver's contract")
def contract(bed):
    for guest in bed.guests:
        expect(guest.run("/usr/local/vm/contract", user="ann", timeout=120), says=" 0 failed$")


@CASES.add("two users of one card: grants, windows and endpoints of the other are out of reach")
def two_users(bed):
    for guest in bed.guests:
        result = guest.run(f"/usr/local/vm/protection {USERS['bob']} {USERS['ann']}", timeout=120)
        expect(result, status=(77 if "bounce area" in result.output else 0))


@CASES.add("anything at all, while another user's messages go on")
def hostile(bed):
    n1, n2 = bed.guests
    rounds, seed = (400, random.randrange(1 << 30)) if bed.long else (12, 1)
    victim = n2.start("mx_pingpong -s -e 5", user="bob")
    attack = n1.start(f"/usr/local/vm/hostile {seed} {rounds}", user="ann")
    for _ in range(2):
        said = n1.run("timeout 100 mx_pingpong -e 5 -d n2 -r 5 -S 0 -E 300000 -M 9 -N 20 -V", user="bob", timeout=120)
        expect(said)
    said = expect(n1.finish(attack, 900), says=" 0 failed$")
    check("SIGKILL" in said.output, said.output)
    n2.run("kill -INT $(pidof mx_pingpong)")
    n2.finish(victim)
    exchange(bed, "mx_pingpong", n1, n2, "-S 0 -E 70000 -M 9 -N 5 -V")


@CASES.add("a limit of locked memory that is too small: said so, and smaller messages go on")
def memlock(bed):
    n1, n2 = bed.guests
    receiver = n2.start("mx_pingpong -s", user="ann")
    small = n1.run("ulimit -l 64; mx_pingpong -d n2 -S 0 -E 32769 -M 8 -N 5 -V", user="ann")
    large = n1.run("ulimit -l 64; mx_pingpong -d n2 -S 1048576 -E 1048577 -N 5 -V", user="ann")
    again = n1.run("mx_pingpong -d n2 -S 1048576 -E 1048577 -N 5 -V", user="ann")
    n2.run("kill -INT $(pidof mx_pingpong)")
    n2.finish(receiver)
    expect(small)
    expect(large, status=1, says=r"RLIMIT_MEMLOCK|locked memory")
    expect(again)
