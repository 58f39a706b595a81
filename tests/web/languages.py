#!/usr/bin/env python3
"""Checks the texts of the page: every language has all of them, and each text is used.

    tests/web/languages.py [FOLDER]        run in the top folder; FOLDER is that of the page, serve/page

English is the reference. Prints keys that a language lacks, has in addition to English, or has twice; keys that
no source uses, or that a source uses but no language has; placeholders and plural forms that differ; quotes,
dots and spaces that are not those of the language; and elements whose text is in the page itself. A key is a string
"area.name"; `area.${...}` stands for all keys of an area. Fails if it prints anything, or if there are no texts."""

import json
import os
import re
import sys
from glob import glob

FOLDER = sys.argv[1] if len(sys.argv) > 1 else "serve/page"
KEY = r"[a-z]+\.[a-z][a-z-]*"
NAMED = re.compile(rf'"({KEY})"|`({KEY.split(chr(92))[0]}\.)\$\{{')
FORMS = {"en": {"one", "other"}, "nl": {"one", "other"}, "fr": {"one", "many", "other"},
         "es": {"one", "many", "other"}, "it": {"one", "many", "other"}}  # by Unicode's plural rules

# What no text may contain: typewriter quotes and dots, and in French a colon, semicolon, exclamation or question mark or
# guillemet without its narrow no-break space.
TYPEWRITER = r"""['"]|\.\.\."""
SPELLING = {"en": TYPEWRITER, "nl": TYPEWRITER, "es": TYPEWRITER + "|[“”]", "it": TYPEWRITER + "|[“”]",
            "fr": TYPEWRITER + "|[“”]|[^\u202f][:;!?»]|«[^\u202f]"}
SPELLING = {language: re.compile(pattern) for language, pattern in SPELLING.items()}


def once(pairs):
    keys = [key for key, _ in pairs]
    for key in {key for key in keys if keys.count(key) > 1}:
        raise ValueError(f"{key} stands there twice")
    return dict(pairs)


def places(text):
    return sorted(re.findall(r"\{(\w+)\}", text))


def forms(message):
    return message if isinstance(message, dict) else {"": message}


def compare(language, texts, english):
    for key in sorted(set(english) - set(texts)):
        yield f"{language}: {key} lacks"
    for key in sorted(set(texts) - set(english)):
        yield f"{language}: {key} is not in en.json"
    for key in sorted(set(texts) & set(english)):
        here, there = forms(texts[key]), forms(english[key])
        measure = places(there.get("other", there.get("")))
        if ("" in here) != ("" in there):
            yield f"{language}: {key} has plural forms, or English has"
        if "" not in here and not {"one", "other"} <= set(here) <= FORMS[language]:
            yield f"{language}: {key} has the forms {', '.join(sorted(here))}"
        if "" not in here and "count" not in measure:
            yield f"{language}: {key} has plural forms and no {{count}}"
        for form, text in here.items():
            for found in SPELLING[language].findall(text):
                yield f"{language}: {key} {form}: \"{found}\" is not what this language prints"
            if places(text) != measure:
                yield f"{language}: {key} {form}: the places are {places(text)}, those of English {measure}"
            if not text.strip() or text != text.strip():
                yield f"{language}: {key} {form}: is empty, or has a space at an end"


def named():
    """Returns the keys and areas that the sources use, each with a place."""
    found = {}
    for path in sorted(glob(FOLDER + "/*.js") + glob(FOLDER + "/*.html")):
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if re.match(r"\s*(import|} from) ", line):
                    continue
                for key, area in NAMED.findall(re.sub(r'(?:href|src|id)="[^"]*"', "", line)):
                    found.setdefault(key or area, f"{path}:{number}")
    return found


def bare():
    """Finds texts in the page itself, except those for readers whose browser does not run the scripts."""
    with open(FOLDER + "/index.html", encoding="utf-8") as file:
        page = re.sub(r'<noscript>.*?</noscript>|<p [^>]*id="stuck">.*?</p>|<head>.*?</head>', "", file.read(), flags=re.S)
    for text in re.findall(r">([^<>]*[^\W\d_][^<>]*)<", page) + re.findall(r' (?:title|aria-label)="[^"]*"', page):
        if text.strip() != "Wari":
            yield f"index.html: \"{text.strip()}\" is no text of messages/"


def main():
    languages, wrong = {}, []
    for language in FORMS:
        try:
            with open(os.path.join(FOLDER, "messages", language + ".json"), encoding="utf-8") as file:
                languages[language] = json.load(file, object_pairs_hook=once)
        except (OSError, ValueError) as error:
            wrong.append(f"{language}: {error}")
    english = languages.get("en", {})
    for language, texts in languages.items():
        wrong += compare(language, texts, english)
    used = named()
    wrong += [f"{place}: there is no text {key}" for key, place in used.items()
              if key not in english and not (key.endswith(".") and any(each.startswith(key) for each in english))]
    wrong += [f"en: {key} is not used" for key in english if key not in used and key.split(".")[0] + "." not in used]
    wrong += bare()
    if wrong:
        print("lint: every language has all texts of the page, and each is used:", *wrong, sep="\n    ")
    return 1 if wrong or not english else 0


sys.exit(main())
