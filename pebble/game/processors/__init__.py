"""The elementary game of several devices: words, layouts, moves, rules, counts, and the DAG that a run induces."""
