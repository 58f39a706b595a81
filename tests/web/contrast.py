#!/usr/bin/env python3
"""Checks the contrasts of the page: at least 4.5 : 1 for text and 3 : 1 for graphics, in both themes.

    tests/web/contrast.py [FILE]        from the top folder; FILE: serve/page/style.css

The contrast of two colours is defined by WCAG 2. What the style sheet has for print is black on white, and is not checked. Prints each pair with less, and each colour outside the two
lists of variables, which this script cannot check. Fails then, or if a variable is missing."""

import re
import sys

FILE = sys.argv[1] if len(sys.argv) > 1 else "serve/page/style.css"
TEXT = {  # colours of text, and their possible backgrounds
    "ink": "paper card draw-soft", "faint": "paper card", "card": "accent",
    "win": "win-soft card", "draw": "draw-soft card", "loss": "loss-soft card",
    "on-wood": "wood-light wood wood-dark", "on-pit": "pit pit-deep", "on-seed": "seed best",
}
SIGN = {  # borders, rings and bars, and the colours of which they must contrast with one
    "edge": "paper card", "accent": "paper card draw-soft", "win": "card", "draw": "card", "loss": "card",
    "ring": "pit pit-deep", "best": "pit pit-deep", "seed": "pit pit-deep", "faint": "card",
    "pit": "wood-light wood wood-dark",
}


def themes(css):
    """Returns the variables of both themes; the dark theme overrides variables of the light one."""
    blocks = re.findall(r":root \{(.*?)\n\s*\}", css, re.S)
    found = [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block)) for block in blocks]
    if len(found) != 2:
        raise ValueError(f"{len(found)} lists of colours, not 2")
    return {"light": found[0], "dark": {**found[0], **found[1]}}


def luminance(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear))


def ratio(one, other):
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def main():
    with open(FILE, encoding="utf-8") as file:
        css = file.read().partition("@media print")[0]
    assert abs(ratio("#000000", "#ffffff") - 21) < 1e-9 and 4.54 < ratio("#767676", "#ffffff") < 4.55  # published
    wrong = [f"#{colour} stands outside the variables" for colour in re.findall(r":[^;{}]*#([0-9a-f]{3,8})\b", re.sub(r"--[\w-]+: #\w+;", "", css))]
    for theme, colours in themes(css).items():
        for table, least in ((TEXT, 4.5), (SIGN, 3)):
            for front, backs in table.items():
                for back in backs.split():
                    if front not in colours or back not in colours:
                        wrong.append(f"{theme}: there is no --{front} or --{back}")
                    elif ratio(colours[front], colours[back]) < least:
                        wrong.append(f"{theme}: --{front} on --{back} has {ratio(colours[front], colours[back]):.2f}, not {least}")
    if wrong:
        print("lint: colours of the page can be told apart:", *wrong, sep="\n    ")
    return 1 if wrong else 0


sys.exit(main())
