"""Schedules of loop nests, found automatically: loop order, fusion and tiles, verified by the machine.

Reading order: ``tiled_nest`` (a phase whose tile sizes are open) with its ``polynomial``s, ``placement`` (where each
operation stands), ``tile_sizes``, ``leaf_options`` and ``phase_search`` (all plans of a phase, and the cheapest),
``fusion`` (which arrays make a phase), ``family_schedule`` (the program, verified).
"""
