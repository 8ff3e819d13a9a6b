"""Memory in a C file: a buffer of M words that is filled and emptied, or arrays that a cache keeps as it likes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pebble.computations.array import Array
    from pebble.computations.family import Family
    from pebble.lab.cache_trace import Addresses

_EXPLICIT = """
enum {{ WORDS = {M} }};
static WORD fast[WORDS]; /* fast memory: all that a computation reads and writes */
static int unused[WORDS], n_unused, peak;
static long long loads, stores, computes;

static int take(void) {{
  if (!n_unused) fail("fast memory is full");
  int place = unused[--n_unused];
  if (WORDS - n_unused > peak) peak = WORDS - n_unused;
  return place;
}}
static void delete(int *at, int begun) {{
  if (*at < 0) {{ if (begun) fail("delete: the word is not in fast memory"); return; }}
  unused[n_unused++] = *at;
  *at = -1;
}}
static void load(const WORD *slow, int *at, int begun) {{
  if (isnan(*slow)) {{ if (begun) fail("load: the word is not in slow memory"); return; }}
  if (*at < 0) *at = take();
  fast[*at] = *slow;
  loads++;
}}
static void store(WORD *slow, const int *at, int begun) {{
  if (*at < 0) {{ if (begun) fail("store: the word is not in fast memory"); return; }}
  *slow = fast[*at];
  stores++;
}}
static void put(int *at, double value) {{
  if (*at < 0) *at = take();
  fast[*at] = (WORD)value;
  computes++;
}}
static void advance(int *at, double value) {{ /* places the next step of a chain, then deletes the one before */
  int place = take();
  if (*at >= 0) unused[n_unused++] = *at;
  fast[*at = place] = (WORD)value;
  computes++;
}}
static WORD get(int at) {{ if (at < 0) fail("compute: an operand is not in fast memory"); return fast[at]; }}
"""
_COUNTS = """\
  printf("{\\"loads\\": %lld, \\"stores\\": %lld, \\"computes\\": %lld, \\"peak\\": %d}\\n",
         loads, stores, computes, peak);
"""
_TABLES = """
/* Functions that read tables would use the cache too. Which words are touched does not depend on numbers. */
#define cos(x) (x)
#define exp(x) (x)
#define log(x) (x)
#define pow(x, y) (x)
#define sin(x) (x)
#define tanh(x) (x)
"""


def words_of(array: Array, family: Family) -> int:
    """Return how many words an array takes, with the elements that a mask leaves out."""
    return math.prod(family.extents[axis] for axis in array.axes)


def variable(axis: str) -> str:
    """Return the variable for an index; longer names could be words of C."""
    return axis if len(axis) == 1 else f"{axis}_"


class ExplicitMemory:
    """Fast memory of M words; a table says where in it each element is."""

    def __init__(self, family: Family, M: int) -> None:
        self.family, self.M = family, M

    def declarations(self) -> str:
        """Return the two memories, and what is done with a word of them."""
        sizes = ((array.name, words_of(array, self.family)) for array in self.family.arrays)
        arrays = (f"static WORD slow_{name}[{n}]; static int at_{name}[{n}];\n" for name, n in sizes)
        return _EXPLICIT.format(M=self.M) + "".join(arrays)

    def begin(self) -> str:
        """Return how memory is emptied."""
        empty = (
            "  for (n_unused = 0; n_unused < WORDS; n_unused++) unused[n_unused] = WORDS - 1 - n_unused;\n"
        )
        arrays = (
            f"  for (int n = 0; n < {words_of(array, self.family)}; n++)\n"
            f"    at_{array.name}[n] = -1, slow_{array.name}[n] = NAN;\n"
            for array in self.family.arrays
        )
        return empty + "".join(arrays)

    def ready(self) -> str:
        """Return nothing: the inputs are in slow memory."""
        return ""

    def end(self) -> str:
        """Return how the counts are printed."""
        return _COUNTS

    def slow(self, array: Array, at: str) -> str:
        """Return an element in slow memory, by its number."""
        return f"slow_{array.name}[{at}]"

    def get(self, array: Array) -> str:
        """Return an element that is read."""
        return f"get(at_{array.name}[{self._place(array)}])"

    def put(self, array: Array, value: str) -> str:
        """Return how an element is computed."""
        return f"{'advance' if array.chain else 'put'}(&at_{array.name}[{self._place(array)}], {value});"

    def move(self, action: str, array: Array, begun: bool) -> list[str]:
        """Return how an element is loaded, stored or deleted; unless it has ``begun``, it may be nowhere."""
        place = self._place(array)
        slow = "" if action == "delete" else f"&slow_{array.name}[{place}], "
        return [f"{action}({slow}&at_{array.name}[{place}], {int(begun)});"]

    def _place(self, array: Array) -> str:
        return _place(array, [(variable(axis), self.family.extents[axis]) for axis in array.axes])


class CacheMemory:
    """One memory, of which a cache, empty at first, keeps what it likes: nothing is loaded, stored or deleted."""

    def __init__(self, family: Family, layout: Addresses, words: int) -> None:
        self.family, self.layout, self.words = family, layout, words

    def declarations(self) -> str:
        """Return the memory."""
        memory = f"static _Alignas(4096) WORD memory[{self.layout.words}];\n"
        return f"{_TABLES}{memory}static volatile WORD others[{2 * self.words}];\n"

    def begin(self) -> str:
        """Return nothing: there is nothing to be emptied."""
        return ""

    def ready(self) -> str:
        """Return how the inputs are driven out of the cache: by other words."""
        return f"  for (int n = 0; n < {2 * self.words}; n++) others[n] = value;\n"

    def end(self) -> str:
        """Return nothing: the program counts nothing."""
        return ""

    def slow(self, array: Array, at: str) -> str:
        """Return an element by its number."""
        return f"memory[{self.layout.bases[array.name]} + {at}]"

    def get(self, array: Array) -> str:
        """Return an element that is read."""
        places = []
        for axis, length in zip(array.axes, self.layout.lengths[array.name], strict=True):
            whole = length == self.family.extents[axis]
            places.append((variable(axis) if whole else f"{variable(axis)} % {length}", length))
        return self.slow(array, _place(array, places))

    def put(self, array: Array, value: str) -> str:
        """Return how an element is computed."""
        return f"{self.get(array)} = (WORD){value};"

    def move(self, action: str, array: Array, begun: bool) -> list[str]:
        """Return nothing."""
        return []


def _place(array: Array, places: list[tuple[str, int]]) -> str:
    """Return the number of an element, of its places along the axes and how many there are."""
    text = "0"
    for number, (at, length) in enumerate(places):
        text = f"{text if number == 1 else f'({text})'} * {length} + {at}" if number else at
    return text
