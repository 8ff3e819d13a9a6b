"""A pebbling as a page to watch and to play: one HTML file that needs no network and no server."""

from pebble.lab.player.documents import first_page, play, play_dag
from pebble.lab.player.page import Page

__all__ = ["Page", "first_page", "play", "play_dag"]
