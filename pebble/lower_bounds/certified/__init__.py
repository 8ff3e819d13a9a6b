"""Lower bounds whose constants a computer proves by branch and bound."""
