"""Figures inside a page: SVG without addresses, whose colours follow the page around it, light, dark or
print.

A figure is drawn on light and on dark paper; the two differ in colours alone. Where they do, the page's
figure has a variable of the style sheet, of which there is one for every pair of colours.
"""

from __future__ import annotations

import re
from html import escape

_COLOUR = re.compile(r"#[0-9a-f]{6}\b")
_GLYPH = re.compile(r'<path id="(DejaVu[^"]+)"( [^>]*)?/>')
_USED = re.compile(r'(?:xlink:href="#|url\(#)([^")]+)')
_PLACES = re.compile(r' (?:d|x|y)="[^"]*"|translate\([^)]*\)')
_LONG = re.compile(r"(\.\d\d)\d+")
_REM = 12
"""Points of a figure to the unit of the page's type."""


def compact(drawn: bytes) -> bytes:
    """A figure's file without comments and line ends, its places to a hundredth of a point."""
    text = re.sub(r"<!--.*?-->", "", drawn.decode(), flags=re.DOTALL)
    text = re.sub(r"\s+", " ", text).replace("> <", "><").replace(' "', '"')
    return _PLACES.sub(lambda found: _LONG.sub(r"\1", found[0]), text).encode() + b"\n"


class Inliner:
    """Figures of one page: `figure` gives one's element; then `style` what they need, and `letters` the
    shapes of all their letters, once."""

    def __init__(self) -> None:
        self._colours: dict[tuple[str, str], str] = {}
        self._glyphs: dict[str, str] = {}
        self._figures = 0

    def figure(self, light: bytes, dark: bytes, alt: str) -> str:
        """The element of a figure drawn on light and on dark paper, both compact."""
        self._figures += 1
        one, other = (self._plain(drawn.decode()) for drawn in (light, dark))
        if _COLOUR.sub("", one) != _COLOUR.sub("", other):
            raise ValueError("a figure differs in more than its colours on dark paper")
        colours = iter(zip(_COLOUR.findall(one), _COLOUR.findall(other), strict=True))
        drawn = _COLOUR.sub(lambda _: self._colour(next(colours)), one)
        width, box = _size(light.decode())
        return (
            f'<svg class="figure" role="img" aria-label="{escape(alt)}" viewBox="{box}" '
            f'style="max-width: {width / _REM:g}rem">{drawn}</svg>'
        )

    @property
    def style(self) -> str:
        """The variables of all colours so far, and how lines end."""
        light, dark = (
            "; ".join(f"{name}: {pair[k]}" for pair, name in self._colours.items()) for k in (0, 1)
        )
        return (
            ".figure * { stroke-linejoin: round; stroke-linecap: butt }\n"
            f":root {{ {light} }}\n"
            f"@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"
            f"@media print {{ :root {{ {light} }} }}\n"
        )

    @property
    def letters(self) -> str:
        """An element that shows nothing and holds the letters."""
        paths = "".join(self._glyphs[name] for name in sorted(self._glyphs))
        return f'<svg class="letters" aria-hidden="true" width="0" height="0"><defs>{paths}</defs></svg>'

    def _colour(self, pair: tuple[str, str]) -> str:
        if pair[0] == pair[1]:
            return pair[0]
        return f"var({self._colours.setdefault(pair, f'--ink{len(self._colours)}')})"

    def _plain(self, text: str) -> str:
        """What stands between a compact SVG's tags: letters left out, and names that no other figure has and
        that do not depend on colours."""
        text = text[text.index("<g id=") : text.rindex("</svg>")]
        for found in _GLYPH.finditer(text):
            self._glyphs[found[1]] = found[0]
        text = _GLYPH.sub("", text).replace("<defs></defs>", "")
        names: dict[str, str] = {}
        for name in _USED.findall(text):
            if not name.startswith("DejaVu"):
                names.setdefault(name, f"f{self._figures}-{len(names)}")
        text = re.sub(r' id="([^"]+)"', lambda found: _named(names.get(found[1])), text)
        text = re.sub(
            r'(xlink:href="#|url\(#)([^")]+)',
            lambda found: found[1].removeprefix("xlink:") + names.get(found[2], found[2]),
            text,
        )
        return text


def _named(name: str | None) -> str:
    return f' id="{name}"' if name else ""


def _size(text: str) -> tuple[float, str]:
    """An SVG's width in points, and its view box."""
    head = text[: text.index(">", text.index("<svg"))]
    width, box = (re.search(rf'{key}="([^"]+)"', head) for key in ("width", "viewBox"))
    assert width is not None
    assert box is not None
    return float(width[1].removesuffix("pt")), box[1]
