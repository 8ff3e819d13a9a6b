"""Bugs to plant in the shortcuts: a condition left out, a key too small, a number off by one.

Of each file under ``pebble/`` pairs of texts: what stands there, once, and what is to stand there.
"""

from __future__ import annotations

__all__ = ["BUGS"]

BUGS: dict[str, list[tuple[str, str]]] = {
    "program/machine/rounds.py": [
        # when rounds may be skipped
        ("            or moves != earlier.moves(before)\n", ""),
        ("            or not all(move in (0, self.order.lengths[axis]) for axis, move in moves)\n", ""),
        ("            or not _same_kinds(one.items, two.items)\n", ""),
        (">= b.fewest", ">= 1"),
        (">= b.fewest", ">= 0"),
        ("                enough\n                and self", "                self"),
        ("and self.order.stays(number - 1, earlier, last,", "and self.order.stays(number, before, last,"),
        (
            "                and self.order.stays(number - 1, earlier, last, before.moved(now, last - number))\n",
            "",
        ),
        ("                and self.configurations.holds(before.moved(now, last + 1 - number))\n", ""),
        ("            if left < self.least_left:\n                continue\n", ""),
        # what is accounted for
        ("skipped = last - 1 - number", "skipped = last - number"),
        (
            "self.configurations.write(before.moved(now, last - number))",
            "self.configurations.write(before.moved(now, last + 1 - number))",
        ),
        ("(b - a) * (times * (times + 1) // 2)", "(b - a) * (times * (times - 1) // 2)"),
        # how the last round is checked
        (
            "            final.counts == _later(one.counts, two.counts, skipped + 1)\n            and ",
            "            ",
        ),
        ("            and final.held == _later(one.held, two.held, skipped + 1)\n", ""),
        ("            and _same_items(one.items, two.items, final.items, skipped + 1)\n", ""),
        (
            "            and self._after(last) == before.moved(now, skipped + 2)\n",
            "            and self._after(last)\n",
        ),
        # what a round outside is told
        ("one.numbers == two.numbers and all(", "all("),
        (
            "            a.times == b.times for a, b in zip(one.items, two.items, strict=True)\n",
            "            True for _ in (1,)\n",
        ),
        ('key = ("rounds", id(self.node), two.numbers)', 'key = ("rounds", id(self.node))'),
        ("number, last, fixed=True)", "number, last)"),
        ("return (*self.counts, *self.held, *self.room)", "return (*self.counts, *self.held)"),
        ("return (*self.counts, *self.held, *self.room)", "return (*self.counts, *self.room)"),
        ("return (*self.counts, *self.held, *self.room)", "return (*self.held, *self.room)"),
        # the peak
        ("        self._note_peak(found, one, two, final, skipped)\n", ""),
        ("if less <= 0:", "if less < 0:"),
        ("if less <= 0:", "if less >= 0:"),
        (
            "_later(one.room, two.room, skipped + 1)[0]:",
            "_later(one.room, two.room, skipped + 1)[0] and False:",
        ),
        (
            "_sums(one.held, two.held, times - 1))\n            return",
            "_sums(one.held, two.held, times))\n            return",
        ),
        ("words + _later(one.room, two.room, times)[0]", "words + _later(one.room, two.room, times - 1)[0]"),
        ("(low, middle) if top(middle) >= top(middle + 1)", "(low, middle) if top(middle) > top(middle + 1)"),
        ("low, high = 1, skipped\n", "low, high = 2, skipped\n"),
        (
            '        if machine.M is not None and most > machine.M:\n            raise ShortcutOverflow(\n                f"loop over {self.node.label}: in the middle',
            '        if False:\n            raise ShortcutOverflow(\n                f"loop over {self.node.label}: in the middle',
        ),
        # items
        ("a.key == b.key and (a.times == b.times or not a.fixed)", "(a.times == b.times or not a.fixed)"),
        ("a.key == b.key and (a.times == b.times or not a.fixed)", "a.key == b.key"),
        (
            "        _same_kinds(one, two)\n        and _same_kinds(two, three)\n",
            "        _same_kinds(one, two)\n        and len(two) == len(three)\n",
        ),
        ("        _same_kinds(one, two)\n        and ", "        "),
        ("            c.first - b.first == times * (b.first - a.first)\n            and ", "            "),
        ("            and c.times - b.times == times * (b.times - a.times)\n", ""),
    ],
    "program/machine/order.py": [
        ("_PERIODS_APART = 3", "_PERIODS_APART = 0"),
        ("_PERIODS_APART = 3", "_PERIODS_APART = 1"),
        ("_PERIODS_APART = 3", "_PERIODS_APART = 2"),
        (
            "            self.axis: sorted({(0, 1), (0, self.mask.period)}),",
            "            self.axis: [(0, 1)],",
        ),
        ("sorted({(0, 1), (0, self.mask.period), *((grid.start", "sorted({(0, 1), *((grid.start"),
        (", *((grid.start, grid.tile) for grid in grids)})", "})"),
        ("(grid.start, grid.tile) for grid in grids)", "(0, grid.tile) for grid in grids)"),
        ("[0, family.extents[axis], *self.mask.fixed_places(axis)]", "[0, family.extents[axis]]"),
        ("[0, family.extents[axis], *self.mask.fixed_places(axis)]", "[0, *self.mask.fixed_places(axis)]"),
        (
            "[0, family.extents[axis], *self.mask.fixed_places(axis)]",
            "[family.extents[axis], *self.mask.fixed_places(axis)]",
        ),
        (
            "        self.fixed[self.other] += [place for grid in grids for place in (grid.start, grid.stop)]\n",
            "",
        ),
        ("                self.fixed[visit.axis] += [*visit.tile, *visit.whole]\n", "                pass\n"),
        (
            "                self.fixed[visit.axis] += [*visit.tile, *visit.whole]\n",
            "                self.fixed[visit.axis] += visit.tile\n",
        ),
        ("                self._fix_partners([*visit.tile, *visit.whole])\n", "                pass\n"),
        ("        self.fixed[self.axis] += whole\n", ""),
        ("        self._fix_partners(list(whole))\n", ""),
        ("                self.fixed[axis] += tile\n", "                pass\n"),
        ("may_move = all(self.lengths[axis] % tile == 0 for _, tile in self.grids[axis])", "may_move = True"),
        (
            "            if not np.isin(after - before, (0, may_move * self.lengths[axis] * (last - number))).all():\n                return False\n",
            "",
        ),
        ("for shift in (0, 1):", "for shift in (0,):"),
        ("for shift in (0, 1):", "for shift in (1,):"),
        (
            "        if axis == self.axis and not (\n            part.start <= before[moving].min() and after[moving].max() <= part.stop\n        ):\n            return False\n",
            "",
        ),
        ("for places in (before, after):", "for places in (before,):"),
        ("for places in (before, after):", "for places in (after,):"),
        ("        return self._within_part(now, then)", "        return True"),
        ("one == two or (part.start < one and two < part.stop)", "one == two or two < part.stop"),
        ("one == two or (part.start < one and two < part.stop)", "one == two or part.start < one"),
        ("self._partners(np.maximum(own, 0)),", "self._partners(self.whole[0] + self.node.tile * tiles),"),
        ("                    self._partners(np.maximum(own, 0)),\n", ""),
        ("                    _whole(now.progress[self.other]),\n", ""),
        ("                    _whole(now.cuts[self.other]),\n", ""),
        ("_whole(now.cuts[self.axis]), ", ""),
        (", _whole(now.progress[self.axis])])", "])"),
        ("                    _whole(self.fixed[self.other]),\n", ""),
        (", _whole(self.fixed[self.axis])])", "])"),
        ("self.stretch.round + 1, dtype", "self.stretch.round, dtype"),
        (
            "found = np.clip(found, self.inside[0] - 1, self.inside[1] + 1)",
            "found = np.clip(found, self.inside[0], self.inside[1])",
        ),
        ("((two >= 0) & ((one == 0) == (two == 0)))", "(two >= 0)"),
        ("((two >= 0) & ((one == 0) == (two == 0)))", "((one == 0) == (two == 0))"),
        ("places - 1, 0))[1::2]", "places, 0))[1::2]"),
        (
            "            stays = ~moves & (begins < after).any(axis=1)\n",
            "            stays = moves & False\n",
        ),
    ],
    "program/machine/stretches.py": [
        ("FEWEST_PERIODS = 8", "FEWEST_PERIODS = 2"),
        ("            if any(piece.moves):", "            if True:"),
        ("if mask.has_pairs(axis, (part.start, part.stop), partners):", "if True:"),
        ("        return 2 * part.lines\n", "        return part.lines\n"),
        ("        return 2 * part.lines\n", "        return 0\n"),
        (
            "    if not any(part.moves):\n        return 1\n    return 1 +",
            "    if not any(part.moves):\n        return 0\n    return 1 +",
        ),
        ("return 1 + part.lines * -(", "return part.lines * -("),
        (
            "return 1 + part.lines * -(-max((grid.tile for grid in grids), default=0) // part.partners)",
            "return 1",
        ),
        ("        done = max(done, high)\n", "        done = max(done, low)\n"),
        ("return part.lines // math.gcd(part.lines, tile)", "return 1"),
        (
            "period = part.lines * (period // math.gcd(period, part.partners))",
            "period = period // math.gcd(period, part.partners)",
        ),
        ("period = math.lcm(*(grid.tile for grid in grids))", "period = 1"),
        (
            "(whole[1] - whole[0]) // node.tile)\n        if stop",
            "tile_count(*whole, node.tile))\n        if stop",
        ),
        ("            if node.tile < stop - start:\n", "            if True:\n"),
        (
            "                continue\n            found.append(TileGrid(start, stop, 1))\n",
            "                continue\n",
        ),
        ("first = max(done, -((", "first = max(0, -(("),
        ("            marks |= {part.start + step * part.lines for step in steps}\n", "            pass\n"),
        ("moves and partners[0] <= place + moved < partners[1]", "moves"),
    ],
    "program/machine/loop_tiles.py": [
        (
            "if self.outermost and body.own_lines and self._all_present():",
            "if self.outermost and body.own_lines:",
        ),
        ("if self.outermost or self.mask.period == 1:", "if True:"),
        ("and runs[0].times == 2 * stretch.round", ""),
        ("if not (self.masked and body.ordered) or unrolled:", "if not self.masked or unrolled:"),
        ("if not (body.told or self._asks()) or (", "if not body.told or ("),
        ("if not (body.told or self._asks()) or (self.outermost", "if (self.outermost"),
        ("(self.outermost and not body.own_lines)", "False"),
        ("            isinstance(self.mask, BandMask)\n            and ", "            "),
        ("            and self.body.ordered\n            and not any(", "            and not any("),
        ("                and visits[condition.label].tile == self.machine.tiles.get(axis)\n", ""),
        ("                and visits[condition.label].axis == axis\n", ""),
        ("        for condition in body.untold:\n", "        for condition in body.untold[1:]:\n"),
        (
            "ends = [TileRun(0, 1, True), TileRun(1, count - 2, True), TileRun(count - 1, 1, True)]",
            "ends = [TileRun(0, 1, True), TileRun(1, count - 1, True)]",
        ),
        (
            "ends = [TileRun(0, 1, True), TileRun(1, count - 2, True), TileRun(count - 1, 1, True)]",
            "ends = [TileRun(0, count - 1, True), TileRun(count - 1, 1, True)]",
        ),
    ],
    "program/machine/memo.py": [
        ('Item(("tile", id(self.node)), index, 1, fixed=True)', 'Item(("tile", id(self.node)), index, 1)'),
        ('            self.loops.recorder.add(Item(("tile", id(self.node)), index, 1, fixed=True))\n', ""),
        ('        self.loops.recorder.add(Item(("alone", id(self.node)), index, 1, fixed=True))\n', ""),
        ('Item(("alone", id(self.node)), index, 1, fixed=True)', 'Item(("alone", id(self.node)), index, 1)'),
        (
            'return Item(("alone", id(self.node)), index, times, fixed=True)',
            'return Item(("alone", id(self.node)), index, times)',
        ),
        ("        if sight in self.loops.unlike:\n", "        if False:\n"),
        (
            "Item((id(self.node), run.signature, self._told(sight)), index, times)",
            "Item((id(self.node), run.signature), index, times)",
        ),
        (
            "Item((id(self.node), run.signature, self._told(sight)), index, times)",
            "Item((id(self.node), self._told(sight)), index, times)",
        ),
        (
            "Item((id(self.node), run.signature, self._told(sight)), index, times)",
            "Item((run.signature, self._told(sight)), index, times)",
        ),
        ("return sight if self.masked else", "return 0 if not self.masked else sight if self.masked else"),
        (
            "before.reusable and now == sight and now not in self.loops.passing",
            "before.reusable and now == sight",
        ),
        (
            "before.reusable and now == sight and now not in self.loops.passing",
            "before.reusable and now not in self.loops.passing",
        ),
        ("self.seen.get((run.signature, sight))", "self.seen.get((None, sight))"),
        ("if effect.lasting and effect.whole and level_to >= end:", "if effect.lasting and effect.whole:"),
        ("if effect.lasting and effect.whole and level_to >= end:", "if effect.lasting and level_to >= end:"),
        ("if effect.lasting and effect.whole and level_to >= end:", "if effect.whole and level_to >= end:"),
        ("if not before.lasting or index >= level_to:", "if not before.lasting or index > level_to:"),
        ("if not before.lasting or index >= level_to:", "if index >= level_to:"),
        (
            "        return index > run.first or (self.masked and full)",
            "        return index > run.first or self.masked",
        ),
        (
            "        return index > run.first or (self.masked and full)",
            "        return index > run.first or full",
        ),
        (
            "            if not all(self._is_steady(condition, index, end) for condition in self.body.split_conditions):\n                continue\n",
            "",
        ),
        (
            "                return end\n        return index + 1",
            "                return end\n        return index + 2",
        ),
        ("return found in (0, lines[1] - lines[0])", "return True"),
        ("            return here == self._around(condition)", "            return True"),
        ("(axis, b - a, axis in self.chains and (a == 0, b == self.family.extents[axis]))", "(axis, b - a)"),
        (
            "(axis, b - a, axis in self.chains and (a == 0, b == self.family.extents[axis]))",
            "(axis, axis in self.chains and (a == 0, b == self.family.extents[axis]))",
        ),
        (
            "setdefault((stop - start, context, conditions, split, states)",
            "setdefault((context, conditions, split, states)",
        ),
        (
            "setdefault((stop - start, context, conditions, split, states)",
            "setdefault((stop - start, conditions, split, states)",
        ),
        (
            "setdefault((stop - start, context, conditions, split, states)",
            "setdefault((stop - start, context, split, states)",
        ),
        (
            "setdefault((stop - start, context, conditions, split, states)",
            "setdefault((stop - start, context, conditions, states)",
        ),
        ("with self.loops.recorder.silent() if self.masked else nullcontext():", "with nullcontext():"),
        (
            "with self.loops.recorder.silent() if self.masked else nullcontext():",
            "with self.loops.recorder.silent():",
        ),
        ("            and effect.growth == 0\n", ""),
        (
            "        effect.carries_only = (\n            effect.whole\n            and ",
            "        effect.carries_only = (\n            ",
        ),
        ("self.masked and node.tile == 1 and not body.in_place", "self.masked and node.tile == 1"),
        ("least_left = self.loops.left.get(id(self.node), 1)", "least_left = 1"),
        (
            "names = sorted(touched.changed | touched.read)\n        reach",
            "names = sorted(touched.changed)\n        reach",
        ),
        ("reach = self.body.reach if self.tiles.outermost else None", "reach = self.body.reach"),
        (
            "self.family[name].chain == self.node.axis and mentions(seen, NOT_BEGUN)",
            "mentions(seen, NOT_BEGUN) and False",
        ),
    ],
    "program/machine/recorder.py": [
        ("last.key == item.key and last.first + last.times == item.first", "last.key == item.key"),
        ("                outside += self.items\n", "                pass\n"),
        ("        outside, self.items = self.items, None\n", "        outside = self.items\n"),
    ],
    "program/machine/configuration.py": [
        ("shape.append((name, states.shape))", "shape.append(name)"),
        ("                    shape.append(tuple(cells))\n", "                    pass\n"),
        ("                    shape.append(states[memory].tobytes())\n", "                    pass\n"),
        ("if self.shape != later.shape:", "if False:"),
        ("self.region[axis][0] < place < self.region[axis][1]", "self.region[axis][0] < place"),
        ("self.region[axis][0] < place < self.region[axis][1]", "place < self.region[axis][1]"),
        (
            "self.region[axis][0] < place < self.region[axis][1]",
            "self.region[axis][0] <= place <= self.region[axis][1]",
        ),
        ("room += reach", "room += 0"),
        ("region[other] = max(low - room, 0), min(high + room,", "region[other] = max(low, 0), min(high,"),
        ("{axis: (max(start - room, 0), min(stop + room, mask.extents[axis]))", "{axis: (start, stop)"),
        ("(memory == FAST or array.name in self.moved)", "memory == FAST"),
        ("(memory == FAST or array.name in self.moved)", "True"),
        ("                        self.state.unsure = loop\n", ""),
        ("or (cells == UNKNOWN).any()", ""),
        ("                        cells[...] = UNKNOWN\n", ""),
        ("_MOST_BEHIND = 2", "_MOST_BEHIND = 0"),
        (
            "ends[low + 1 : high] = [next(cuts[axis]) for _ in ends[low + 1 : high]]",
            "ends[low + 1 : high] = [next(cuts[axis]) + 1 for _ in ends[low + 1 : high]]",
        ),
        (
            "        self.join()\n        for name in self.names:\n            field, array = self.state.fields[name], self.family[name]\n            for position, axis in enumerate(array.axes):\n                if axis in behind",
            "        for name in self.names:\n            field, array = self.state.fields[name], self.family[name]\n            for position, axis in enumerate(array.axes):\n                if axis in behind",
        ),
    ],
    "program/machine/lump.py": [
        ("if count <= 4 or not", "if count <= 3 or not"),
        ("self.repeats = count - 3", "self.repeats = count - 2"),
        ("for index in (0, 1, count - 2))", "for index in (0, 1, count - 1))"),
        ("top = machine.peak + max(0, sum(growth.values()))", "top = machine.peak"),
        (
            '            if count_nonzero(state != before):\n                raise ShortcutFails(self.node, f"{array.name} is not left as it was found")\n',
            "",
        ),
        (
            "constant = (state == before) & ((state == 0) | (state == self.machine.family.extents[array.chain]))",
            "constant = state == before",
        ),
        ("(state == before) & ((state == 0) |", "((state == 0) |"),
        ("advanced = (before == self.ends[0]) & (state == self.ends[1])", "advanced = state == self.ends[1]"),
        (
            "advanced = (before == self.ends[0]) & (state == self.ends[1])",
            "advanced = before == self.ends[0]",
        ),
        (
            '        if not (constant | advanced).all():\n            raise ShortcutFails(self.node, f"the chain of {array.name} does not advance tile by tile")\n',
            "",
        ),
        ("        state[advanced] = self.ends[2]\n", ""),
        (
            '            self._require_uniform(array, self.waiting, "the tiles ahead are not all alike")\n',
            "            pass\n",
        ),
        (
            '            self._require_uniform(array, second, "a tile ends in a mixed state")\n',
            "            pass\n",
        ),
        (
            "return [fast, self.state.slow[array.name][box]] if array.name in self.body.moved else [fast]",
            "return [fast]",
        ),
        (
            "return [part.fast, part.slow] if array.name in self.body.moved else [part.fast]",
            "return [part.fast]",
        ),
        ("if sum(growth.values()) > 0:", "if False:"),
        (
            "                counts[name] = count + self.repeats * (count - self.counts[action][name])\n",
            "                counts[name] = count + self.repeats * count\n",
        ),
        ("                machine.occupied += growth[name]\n", ""),
    ],
    "program/machine/tile_runs.py": [
        ("            before,\n            after,\n", "            before,\n            before,\n"),
        ("            before,\n            after,\n", "            after,\n            after,\n"),
        ("            (allowed & started).sum(axis=1),\n", "            started.sum(axis=1),\n"),
        ("            (allowed & finished).sum(axis=1),\n", "            finished.sum(axis=1),\n"),
        ("numbers[:, 1] = numbers[:, 1] > 0", "numbers[:, 1] = 0"),
        ("numbers[:, 2] = numbers[:, 2] == mask.present(other, *partners)", "numbers[:, 2] = 0"),
        ("if exact or mixed.any():", "if exact:"),
        (
            "width = partners[1] - partners[0], mask.present(other, *partners)",
            "width = 0, mask.present(other, *partners)",
        ),
        (
            "width = partners[1] - partners[0], mask.present(other, *partners)",
            "width = partners[1] - partners[0], 0",
        ),
        ("key = (exact, width, numbers.tobytes(), None", "key = (width, numbers.tobytes(), None"),
        ("(allowed + 2 * started + 4 * finished)", "(allowed + 2 * started)"),
        ("(allowed + 2 * started + 4 * finished)", "(allowed + 4 * finished)"),
        ("            and whole[0] + found[-1].first + found[-1].times == start\n", ""),
        ("low, high = -((whole[0] - start) // tile)", "low, high = (start - whole[0]) // tile"),
        ("        np.packbits(box).tobytes(),\n", ""),
        ("        _flags(mask, axis, lines, partners).tobytes(),\n", ""),
        ("        _flags(mask, other, partners, lines).tobytes(),\n", ""),
        ("(first < partners[0]) + 2 * (last >= partners[1])", "2 * (last >= partners[1])"),
        ("(first < partners[0]) + 2 * (last >= partners[1])", "(first < partners[0])"),
        (
            "parts = [TileRun(run.first, changed - run.first, (run.signature, begins))]",
            "parts = [TileRun(run.first, changed - run.first, run.signature)]",
        ),
        ("parts = [TileRun(0, full, True), TileRun(full, 1, True)]", "parts = [TileRun(0, full + 1, True)]"),
        ("        TileRun(index, 1, part.tobytes())\n", "        TileRun(index, 1, True)\n"),
    ],
    "program/machine/sight.py": [
        (
            "return labels.pop() if labels else None\n    if uniform:\n        return Unlike()\n",
            "return labels.pop() if labels else None\n    if uniform:\n        return labels.pop()\n",
        ),
        ("        if len(cells) > 1 and state.words(array, cell) == 0:\n            continue\n", ""),
        (
            "return tuple((_within(cell, box), label) for cell, label in found)",
            "return tuple(label for cell, label in found)",
        ),
        ("    if progress == UNKNOWN:\n        return Unlike()\n", ""),
        ('    if progress == 0:\n        return "none"\n    if tile and', "    if tile and"),
        ('    if progress == state.family.extents[array.chain]:\n        return "all"\n', ""),
        (
            'return "all" if state.is_complete(array, cell, progress) else Unlike()',
            'return "all" if state.is_complete(array, cell, progress) else "some"',
        ),
        (
            'return "none" if state.mask.started(axis, lines, tile[0]) else NOT_BEGUN\n    if',
            'return "none"\n    if',
        ),
        ('return "end", state.is_complete(array, cell, progress)', 'return "end"'),
        (" and state.mask.has_pairs(axis, lines, tile):", ":"),
        ("    if not state.alike(array, cell, progress, tile[0]):\n        return Unlike()\n", ""),
        (
            '    return "start" if state.mask.started(axis, lines, tile[0]) else NOT_BEGUN\n',
            '    return "start"\n',
        ),
        ("return begun in (0, present) and unfinished in (0, present)", "return unfinished in (0, present)"),
        ("return begun in (0, present) and unfinished in (0, present)", "return begun in (0, present)"),
        ("    if None in values or (uniform and len(values) > 1):", "    if None in values:"),
        ("    if None in values or (uniform and len(values) > 1):", "    if uniform and len(values) > 1:"),
        (
            "        if state.words(array, cell) == 0:\n            continue\n        progress",
            "        progress",
        ),
        (
            "        if not all(state.alike(array, part, old, progress) for part, old in before.parts(cell, memory)):\n            changed = True\n",
            "        changed = True\n",
        ),
        ("    if progress == UNKNOWN:\n        return None\n", ""),
        (
            "return (False, final) if state.is_complete(array, cell, progress) else None",
            "return (False, final)",
        ),
        ("for end in reversed(tile) if", "for end in tile if"),
        ("    if tile[0] <= progress <= tile[1]:", "    if tile[0] < progress <= tile[1]:"),
        ("return (False, progress) if progress == final else None", "return (False, progress)"),
    ],
    "program/machine/bodies.py": [
        ("in_tiles = not any(operation.at for operation in operations)", "in_tiles = True"),
        ("told=in_tiles and all(about.told for about in conditions.values())", "told=in_tiles"),
        ("ordered=in_tiles and all(about.ordered for about in conditions.values())", "ordered=in_tiles"),
        (
            "condition for condition, about in conditions.items() if about.split)",
            "condition for condition, about in conditions.items() if False)",
        ),
        ("(axis in masked and tile > 1)", "False"),
        ("any(axis == node.axis or (axis", "any((axis"),
        ("own_lines=not any(axis in masked for axis, _ in axes)\n            and not", "own_lines=not"),
        (
            "            and not any(self.family[name].chain == node.axis for name in touched.changed | touched.read)\n",
            "",
        ),
        ("            and not any(about.masked for about in conditions.values())\n", ""),
        (
            "            and not any(set(masked) <= set(self.family[name].axes) for name in touched.changed | touched.read)\n",
            "",
        ),
        (
            "            and not any(self._computes_masked_chain(operation) for operation in operations),",
            "            ,",
        ),
        (
            "moves_chains=any(self._moves_masked_chain(operation) for operation in operations)",
            "moves_chains=False",
        ),
        (
            "        if any(other in self.family[name].axes for name in touched.changed | touched.read):\n            return None\n",
            "",
        ),
        (
            "return max((loop.tile for loop in loops), default=0)",
            "return min((loop.tile for loop in loops), default=0)",
        ),
        ("(loop.start, loop.stop) == (0, None)", "True"),
        ("within = any(other.axis == loop.axis for other in around)", "within = False"),
        ("at = max(at for at, loop in enumerate(around)", "at = min(at for at, loop in enumerate(around)"),
        ("known[node.condition] = now.both(known.get(node.condition, now))", "known[node.condition] = now"),
        ("masked and split\n", "False\n"),
    ],
    "program/machine/effects.py": [
        ("growth = max(effect.growth, 0) * (times - 1)", "growth = effect.growth * (times - 1)"),
        ("growth = max(effect.growth, 0) * (times - 1)", "growth = max(effect.growth, 0) * times"),
        ("growth = max(effect.growth, 0) * (times - 1)", "growth = 0"),
    ],
    "computations/masks/block_toeplitz.py": [
        ("self.period, self.depth = period, len(near)\n", "self.period, self.depth = 1, len(near)\n"),
        ('"i": _zones(-away, *range(1 - self.depth, 2)),', '"i": _zones(-away, *range(2 - self.depth, 2)),'),
        ("np.minimum(np.maximum(places, 0), end)", "np.maximum(places, 0)"),
        ("return [] if self.period > 1 else self.presence_changes(axis)", "return []"),
        (
            'return (self.depth, whole) if axis == "i" else (0, whole - self.depth)',
            'return (0, whole) if axis == "i" else (0, whole)',
        ),
        (
            'return (self.depth, whole) if axis == "i" else (0, whole - self.depth)',
            'return (self.depth - 1, whole) if axis == "i" else (0, whole - self.depth + 1)',
        ),
        (
            'moves = (False, *moves) if axis == "i" else (*moves, False)',
            'moves = (*moves, False) if axis == "i" else (False, *moves)',
        ),
    ],
    "computations/masks/union_mask.py": [
        ("for place in band.presence_changes(axis)})", "for place in self.presence_changes(axis)})"),
        (
            "np.concatenate([band.ends_of(axis, lines) for band in self.bands])",
            "np.concatenate([band.ends_of(axis, lines) for band in self.bands[:1]])",
        ),
    ],
    "computations/masks/band_mask.py": [
        ("regular = moved.max(axis=1, initial=0) <= 1", "regular = moved.max(axis=1, initial=0) <= 2"),
        (
            "stops = np.append(where[1:], ends[0].length - 1) + 1",
            "stops = np.append(where[1:], ends[0].length - 1) + 2",
        ),
        ("if 0 < place < self.extents[axis]]", "if 0 < place < self.extents[axis] - 1]"),
    ],
    "computations/masks/grouped.py": [
        ("lines=part.lines * group)", "lines=part.lines)"),
        ("part._replace(partners=part.partners * group)", "part"),
    ],
}
