"""The machine: it runs a program on boxes and enforces every rule of the game."""
