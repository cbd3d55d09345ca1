# SPDX-License-Identifier: BSD-3-Clause
"""The beds, in the order they run: name, a set of options for each guest, cases."""
import cases_basic

BEDS = [
    # n1 has most of its memory above 4 GiB, n2 all below.
    ("pair", [{"memory": 512, "below_4g": 128}, {"memory": 384}], cases_basic.CASES),
]
