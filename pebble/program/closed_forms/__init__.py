"""The I/O of a program in closed form: exact, and as a formula."""
