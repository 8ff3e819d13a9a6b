"""How the documentation is built: sphinx-build -W --keep-going docs docs/_build/html ."""

from __future__ import annotations

import sys
from importlib.metadata import version as _version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

project = "pebble"
author = "the authors of pebble"
release = version = _version("pebble-io")
copyright = author

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_click", "pages"]
exclude_patterns = ["_build", "_extensions"]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 3
highlight_language = "none"
smartquotes = False
# Words in descriptions of types, "iterable of pairs", that happen to be names of several attributes.
suppress_warnings = ["ref.python"]

autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_google_docstring = False
napoleon_use_rtype = False

html_theme = "furo"
html_title = "pebble"
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_copy_source = False
html_show_sphinx = False
