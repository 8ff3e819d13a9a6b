"""What the literature states: bounds with constants, asymptotic curves, and one published exact count.

An asymptotic curve has no constant: its value is the expression under the Θ or Ω, to compare shapes with, and
its status ``"asymptotic"`` keeps it out of every assertion. The curves of FlashAttention's paper are costs of
algorithms, not lower bounds; they are here to be drawn beside them.
"""
