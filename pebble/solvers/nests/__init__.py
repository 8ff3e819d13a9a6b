"""Schedules of loop nests, found automatically: loop order, fusion and tiles, verified by the machine.

Reading order: ``tiled_nest`` (a phase whose tile sizes are open), ``placement`` (where each operation stands),
``tile_sizes``, ``leaf_options`` and ``phase_search`` (all plans of a phase, and the cheapest), ``divided_phase``
(an axis cut in two), ``family_schedule`` (which arrays make a phase; the program, verified).
"""
