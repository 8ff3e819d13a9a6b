"""Lower bounds whose constants a computer proves by branch and bound.

Reading order: :mod:`.parameters` (rows of parameters, and the best bound that they give), :mod:`.forward_rows` and
:mod:`.backward_rows` (the bounds), :mod:`.branch_and_bound` (how a constant is proved), :mod:`.multipliers` and
:mod:`.convex_multipliers` (how good bounds on boxes are found), :mod:`.backward_work` (the work of B3 and B4, and its
bound), and ``prove_…`` for each bound.

A further bound takes a table ``<name>.csv``, a :class:`~.parameters.ParameterRow` with the value of its theorem, and a
:class:`~.multipliers.MultiplierSearch` with its segment and its Lagrange function.
"""
