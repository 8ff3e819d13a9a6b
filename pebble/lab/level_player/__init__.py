"""A pebbling with several memory levels as a page to step through: one HTML file, without network or server."""

from pebble.lab.level_player.level_page import LevelPage, play_levels

__all__ = ["LevelPage", "play_levels"]
