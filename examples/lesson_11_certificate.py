"""Reading a certificate: a claim that anybody can verify without trusting us.

"This computation needs exactly so many words": who says so should hand over the evidence. A certificate is one file
with everything in it: the DAG, a pebbling that shows that so many words are enough, and a bound that shows how many are
needed.
"""

# %%
# ## Make one
#
# For one query, one key, and vectors of length one, with six words of fast memory (DAG, pebbling, load,
# store: [lesson 1](lesson_01_first_game.md); bounds: [lesson 8](lesson_08_lower_bounds.md)):

import copy
import io
import json
from typing import Any

import pebble

dag = pebble.load_dag("attention:N=1,d=1")
certificate = pebble.certify(dag, 6, order="given")
print(certificate)
assert certificate.gap == 0
dag

# %%
# ## Read it
#
# A certificate is a JSON file. What is in it?

document: dict[str, Any] = certificate.to_dict()
print("fields:  ", ", ".join(document))
print("vertices:", ", ".join(document["dag"]["vertices"]))
print("edges:   ", document["dag"]["edges"])
print("outputs: ", document["dag"]["outputs"])
print("M:       ", document["M"], " rules:", document["rules"])

# %%
# The edges are pairs of numbers, counted from 0 in the list of vertices: `[0, 3]` says that the vertex
# number 3 is computed from number 0. The pebbling is a list of moves, and can be played by hand:

print("; ".join(document["pebbling"]))
print(f"{document['reads']} reads + {document['writes']} writes = {document['io']} I/O")
assert document["io"] == sum(move.startswith(("load", "store")) for move in document["pebbling"])

# %%
# And the bound says why it cannot be done with less:

print(document["bound"]["value"], "words are", document["bound"]["name"], "- gap:", document["gap"])

# %%
# ## Verify it
#
# `pebble check FILE` does this on the command line. It believes nothing in the file that can be computed: it
# builds the DAG, plays all moves, and computes the bound again.


def verify(changed: dict[str, Any]) -> str:
    """Return what the checker says of a certificate."""
    return str(pebble.check(io.StringIO(json.dumps(changed))))


print(verify(document))
assert verify(document).startswith("valid certificate")

# %%
# ## Cheat
#
# Less memory, a better figure, a move left out, an edge less: it comes out.

cheats = []
for description in ("M", "io", "pebbling", "dag"):
    changed = copy.deepcopy(document)
    if description == "M":
        changed["M"] = 3
    elif description == "io":
        changed["io"] = 3
    elif description == "pebbling":
        del changed["pebbling"][0]
    else:
        del changed["dag"]["edges"][0]
    verdict = verify(changed)
    cheats.append(verdict)
    print(f"{description}: {verdict}")
assert all(verdict.startswith("not valid") for verdict in cheats)

# %%
# ## Do not trust us
#
# The script [check_certificate.py](../../examples/check_certificate.py) verifies certificates too. It has
# less than four hundred lines, and does not import anything of this package: read it, or write your own from the
# [description of the format](../certificates.md).

import check_certificate

print(check_certificate.check(document))

# %%
# ## What to take away
#
# A number without evidence is an opinion. A pebbling is evidence for "enough", a bound for "needed"; where
# they meet, the question is settled, and anybody can check it.
