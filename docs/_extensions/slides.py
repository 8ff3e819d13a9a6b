"""The slides and the handout of a class, made of the sections that ``docs/teaching.md`` links to.

A slide has a heading, the first sentences of paragraphs, and pictures, tables and what commands print, but no code.
The handout is the page's last section, with the sections it links to first.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

__all__ = ["write"]

_STYLE = """
html { font: 30px/1.35 system-ui, 'DejaVu Sans', sans-serif; color: #171b21; background: #fff }
body { margin: 0 } p, ul, ol { margin: 0 0 .35em } h1 { line-height: 1.15 } a.headerlink { display: none }
pre, code { font-family: 'DejaVu Sans Mono', monospace } code { font-size: .85em }
table { border-collapse: collapse; margin-bottom: .4em }
td, th { padding: .15em .7em; border-bottom: 1px solid #b8c0ca; text-align: left }
td p, th p, li p { margin: 0 } pre { background: #f3f5f7; white-space: pre-wrap; overflow-wrap: anywhere }
.slide { box-sizing: border-box; width: 1280px; height: 720px; padding: 36px 54px 44px; display: flex;
  flex-direction: column; position: relative; overflow: hidden; break-after: page }
.slide h1 { font-size: 44px; margin: 0 0 18px; color: #0b4a94 } .title { justify-content: center }
.slide img { flex: 1; min-height: 0; object-fit: contain; object-position: left }
.slide pre { margin: 8px 0; line-height: 1.25; padding: 8px 12px } .title h1 { font-size: 64px }
.slide footer { position: absolute; right: 30px; bottom: 10px; font-size: 18px; color: #57606a }
@media screen { .live { overflow: hidden; background: #171b21 } .live .slide { display: none; background: #fff;
  transform-origin: 0 0; transform: var(--fit) } .live .shown { display: flex } }
.sheet { font-size: 11pt; max-width: 180mm; margin: auto } .sheet h1 { font-size: 14pt; margin: 14pt 0 4pt }
.sheet > h1 { font-size: 20pt; margin-top: 0 } .sheet pre { font-size: 9pt; padding: 4pt }
.sheet ol li { padding-bottom: 22pt }
"""
_KEYS = """
const slides = document.querySelectorAll('.slide'), root = document.documentElement;
const steps = {ArrowRight: 1, ArrowDown: 1, PageDown: 1, ' ': 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1,
  Home: -1e9, End: 1e9};
let at = 0;
function show(to) {
  at = Math.max(0, Math.min(slides.length - 1, to || 0));
  slides.forEach((one, n) => one.classList.toggle('shown', n === at));
  const by = Math.min(innerWidth / 1280, innerHeight / 720), left = (innerWidth - 1280 * by) / 2;
  root.style.setProperty('--fit', `translate(${left}px, ${(innerHeight - 720 * by) / 2}px) scale(${by})`);
  history.replaceState(null, '', '#' + (at + 1));
}
addEventListener('keydown', key => { if (key.key in steps) { key.preventDefault(); show(at + steps[key.key]); } });
addEventListener('resize', () => show(at));
addEventListener('hashchange', () => show(location.hash.slice(1) - 1));
root.classList.add('live');
show(location.hash.slice(1) - 1);
"""
_SENTENCE = re.compile(r".*?[.:?!](?:</strong>)?(?=</p>|\s+[A-Z(<`])\s*", re.DOTALL)
_ROOM, _SAID = 566, 280
"""Pixels below the heading of a slide; letters of a paragraph on it."""


def write(app: Sphinx) -> None:
    """Write ``slides.html`` and ``handout.html`` into the finished site."""
    if not hasattr(app.builder, "fignumbers"):
        return  # no page has changed, and the builder is not prepared to write any
    plan = _target(app, "teaching.html")
    slides = list(_slides(app, plan, True))
    for link in _links(next(plan.findall(nodes.table))):
        slides += _slides(app, _target(app, link), "#" not in link)
    shown = "".join(f"{one}<footer>{n}</footer></div>" for n, one in enumerate(slides, 1))
    _save(app, "slides", "size: 1280px 720px; margin: 0", f"{shown}<script>{_KEYS}</script>")
    title, first, *rest = plan[-1]
    body = "".join(_html(app, node) for node in [*(_target(app, link) for link in _links(first)), *rest])
    sheet = f'<div class="sheet"><h1>{escape(title.astext())}</h1>{body}</div>'
    _save(app, "handout", "size: A4; margin: 14mm 15mm", sheet)


def _save(app: Sphinx, name: str, page: str, body: str) -> None:
    head = f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>pebble: {name}</title>'
    html = f"{head}<style>@page {{ {page} }}{_STYLE}</style><body>{body}</body></html>\n"
    (Path(app.outdir) / f"{name}.html").write_text(html, encoding="utf-8")


def _links(node: nodes.Node) -> dict[str, None]:
    found = (link.get("refuri") or f"teaching.html#{link['refid']}" for link in node.findall(nodes.reference))
    return dict.fromkeys(found)


def _target(app: Sphinx, link: str) -> nodes.section:
    """Return the section that a link leads to."""
    name, _, anchor = link.partition("#")
    page = app.env.get_and_resolve_doctree(name.removesuffix(".html"), app.builder, tags=app.tags)
    return next(one for one in page.findall(nodes.section) if anchor in ("", *one["ids"]))


def _slides(app: Sphinx, section: nodes.section, head: bool) -> Iterator[str]:
    """Yield the slides of a section, each with as much as there is room for, or the head of a page."""
    title = section[0].astext()
    full = left = _ROOM - 50 * (len(title) > 46)
    begin = shown = f'<div class="slide{" title" * head}"><h1>{escape(title)}</h1>'
    content = section[1:2] if head else [node for node in section[1:] if not isinstance(node, nodes.section)]
    for html, height in _parts(app, content, full):
        if height > left < full:
            yield shown
            shown, left = begin, full
        shown, left = shown + html, left - height
    yield shown


def _parts(app: Sphinx, content: list[nodes.Node], room: int) -> Iterator[tuple[str, int]]:
    """Yield what is shown, with the pixels it takes; a paragraph that ends with a colon stays with what follows."""
    intro, above = "", 0
    for node in content:
        html, height = "", 0
        if image := next(iter(node.findall(nodes.image)), None):
            html, height = _html(app, image), 340
        elif table := next(iter(node.findall(nodes.table)), None):  # themes put tables into containers
            html, height = _html(app, table), 51 * len(list(table.findall(nodes.row)))
        elif isinstance(node, nodes.literal_block) and node.get("language") != "python":
            html, height = _output(node.astext(), room - above)
        elif isinstance(node, nodes.bullet_list | nodes.enumerated_list):
            lines = sum(1 + len(one.astext()) // 74 for one in node.children)
            html, height = _html(app, node), 41 * lines + 10
        elif isinstance(node, nodes.paragraph):
            said, letters = "", 0
            for sentence in _SENTENCE.findall(whole := _html(app, node)) or [whole]:
                letters += len(re.sub("<.*?>", "", sentence))
                if said and letters > _SAID:
                    break
                said += sentence
            html, height = f"{said}</p>", 41 * (1 + len(re.sub("<.*?>", "", said)) // 72) + 10
        if html:
            intro, above = intro + html, above + height
            if not html.endswith(":</p>"):
                yield intro, above
                intro, above = "", 0
    if intro:
        yield intro, above


def _output(text: str, room: int) -> tuple[str, int]:
    """Return what a command prints, as large as there is room; nothing if it would be too small to read."""
    letters = max(map(len, text.splitlines()))
    wide = letters if letters <= 105 else 84
    height = 1.25 * sum(1 + max(0, len(line) - 1) // wide for line in text.splitlines())
    size = int(min(26, 1148 / (0.602 * wide), (room - 34) / height))
    html = f'<pre style="font-size: {size}px">{escape(text)}</pre>'
    return (html, round(size * height) + 34) if size >= 18 else ("", 0)


def _html(app: Sphinx, node: nodes.Node) -> str:
    """Return a part of a page as HTML, with its pictures inside and its links gone."""
    copy: Any = nodes.container("", node.deepcopy())
    for link in list(copy.findall(nodes.reference)):
        link.replace_self(link.children)
    for image in list(copy.findall(nodes.image)):
        data = base64.b64encode((Path(app.srcdir) / image["uri"]).read_bytes()).decode()
        html = f'<img src="data:image/svg+xml;base64,{data}" alt="{escape(image.get("alt", ""))}">'
        image.replace_self(nodes.raw("", html, format="html"))
    builder: Any = app.builder
    return "".join(builder.render_partial(one)["fragment"] for one in copy.children).strip()
