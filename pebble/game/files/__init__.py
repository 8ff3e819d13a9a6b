"""Pebbling files: a header and one move a line, read and written as streams."""
