"""The manual as a site: `make docs` writes it to docs/_build/html, with nothing fetched."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "src"), str(HERE / "_ext")]

from withhold import __version__  # noqa: E402

project = "withhold"
author = "the withhold authors"
version = release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "filled_pages"]

source_suffix = {".md": "markdown"}
exclude_patterns = ["_build", "_ext", "notebooks/*.py"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 4

default_role = "code"
autodoc_typehints = "none"  # the text of a docstring names what a parameter is; mypy reads the hints
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
nitpick_ignore_regex = [(r"py:.*", r".*")]  # types of numpy and Python: their manuals are not on this machine

smartquotes = False  # it would join the two dashes of an option
html_theme = "furo"
html_title = f"withhold {version}"
html_static_path = ["_static"]
html_css_files = ["manual.css"]
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
templates_path: list[str] = []
