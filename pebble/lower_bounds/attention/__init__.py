"""Lower bounds with proved constants for attention, forward and backward."""
