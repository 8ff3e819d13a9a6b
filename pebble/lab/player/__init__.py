"""A pebbling as a page to watch and to play: one HTML file that needs no network and no server."""

from pebble.lab.player.documents import play, play_dag
from pebble.lab.player.page import Page

__all__ = ["Page", "play", "play_dag"]
