"""The computation DAG itself: built, read, written, named, traced."""
