#!/usr/bin/env python3
"""Checks the answers of a server against serve/openapi.json, and that file against the sources.

    tests/support/check_openapi.py URL RULES CYCLE      URL: a server with a database of these rules, and with searches

Every answer must match the schema that the description gives for its path and code. Every member that
the description documents must occur in an answer, except for those in RARE."""
import json
import pathlib
import re
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

import jsonschema

URL, RULES, CYCLE = sys.argv[1:]
START = "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S"

# Members that no request below causes: they need rules in which a slam ends the game, or a slow search.
RARE = {"Position.nobody", "ExactAnalysis.nobody", "End.winner", "Moves.moves.ends"}

description = json.load(urllib.request.urlopen(f"{URL}/api/v1/openapi.json"))
seen = set()


def resolve(schema):
    """Returns the schema to which a reference leads, and its name."""
    name = ""
    while "$ref" in schema and len(set(schema) - {"description"}) == 1:
        name = schema["$ref"].rsplit("/", 1)[1]
        schema = description["components"]["schemas"][name]
    return schema, name


def members(schema):
    """Returns the documented members of an object, with those of the schema that it extends."""
    found = dict(resolve({"$ref": schema["$ref"]})[0].get("properties", {})) if "$ref" in schema else {}
    if "$ref" in schema:
        found.update(members(resolve({"$ref": schema["$ref"]})[0]))
    found.update(schema.get("properties", {}))
    return found


def note(answer, schema, path=""):
    """Adds the members of an answer to `seen`."""
    schema, name = resolve(schema)
    path = name or path
    for choice in schema.get("oneOf", []):
        if validator(choice).is_valid(answer):
            note(answer, choice, path)
    if isinstance(answer, dict):
        for key, value in answer.items():
            if key in members(schema):
                seen.add(f"{path}.{key}")
                note(value, members(schema)[key], f"{path}.{key}")
    elif isinstance(answer, list) and "items" in schema:
        for value in answer:
            note(value, schema["items"], path)


def documented(schema, path="", visited=()):
    """Yields the path of every documented member."""
    schema, name = resolve(schema)
    if name in visited:
        return
    path = name or path
    visited = (*visited, name) if name else visited
    for choice in schema.get("oneOf", []):
        yield from documented(choice, path, visited)
    for key, value in members(schema).items():
        yield f"{path}.{key}"
        yield from documented(value, f"{path}.{key}", visited)
    if "items" in schema:
        yield from documented(schema["items"], path, visited)


def validator(schema):
    return jsonschema.Draft202012Validator({**schema, "components": description["components"]})


def schema_of(path, method, code):
    answer = description["paths"][path][method]["responses"][str(code)]
    if "$ref" in answer:
        answer = description["components"]["responses"][answer["$ref"].rsplit("/", 1)[1]]
    return answer["content"]["application/json"]["schema"]


def ask(path, code=200, body=None, kind="text/plain", **arguments):
    """Sends a request, and checks its answer. Returns the answer."""
    address = f"{URL}/api/v1{path}"
    if arguments:
        address += "?" + urllib.parse.urlencode(arguments)
    request = urllib.request.Request(address, data=body and body.encode(), headers={"Content-Type": kind} if body else {})
    try:
        with urllib.request.urlopen(request, timeout=300) as response:
            status, text = response.status, response.read()
    except urllib.error.HTTPError as error:
        status, text = error.code, error.read()
    assert status == code, f"{address}: {status}, not {code}: {text}"
    answer = json.loads(text)
    schema = schema_of(path, "post" if body else "get", code)
    for error in validator(schema).iter_errors(answer):
        sys.exit(f"{address}: {error.json_path}: {error.message}\n{text.decode()}")
    note(answer, schema)
    return answer


def ask_until(done, path, **arguments):
    for _ in range(3000):
        answer = ask(path, **arguments)
        if done(answer):
            return answer
        time.sleep(0.1)
    sys.exit(f"{path}: not done: {answer}")


game = {"rules": RULES, "cycle": CYCLE}
ones = "1 1 1 1 1 1 / 1 1 1 1 1 1"

# ---- The description itself ----

sources = pathlib.Path("serve/handle.c").read_text()
served = set(re.findall(r'\{"/api(/[a-z]+)", (true|false)', sources))
described = {(path, "true" if method == "post" else "false") for path, methods in description["paths"].items() for method in methods}
assert served == described, f"served and described differ: {served ^ described}"
assert ask("/info")["version"] == description["info"]["version"], "the version of the description"
for name, schema in description["components"]["schemas"].items():
    jsonschema.Draft202012Validator.check_schema(schema)

# ---- Requests ----

for position in (ones, "1-1-1-1-1-1-1-1-1-1-1-1-18-18-S", "0-0-0-0-0-1-1-0-0-0-0-0-23-23-N", "0 0 0 0 0 0 / 0 0 0 0 0 1"):
    for detail in ("value", "moves", "full"):
        ask("/position", p=position, detail=detail, **game)
    ask("/analysis", p=position, **game)
    ask("/moves", p=position, **game)
for database in ask("/info")["databases"]:
    for path in ("/position", "/analysis"):
        ask(path, p="1 0 0 0 0 0 / 0 0 0 0 0 1", rules=database["rules"], cycle=database["cycle"])
ask("/position", 400, p="1 1", **game)
ask("/position", 404, p=START, **game)
ask("/position", 404, p=ones, rules="ware", cycle="own")
ask("/positions", body=f"{ones}\n1 1\n{START}\n", **game)
ask("/positions", body=json.dumps([ones]), kind="application/json", detail="value", **game)
ask("/positions", 400, body="{}", kind="application/json", **game)
ask("/positions", 415, body=ones, kind="text/html", **game)
ask("/analysis", p=START, **game)
ask_until(lambda answer: "nodes" in answer, "/analysis", p=START, **game)
ask("/analysis", 400, p="x", **game)
for level in ("first-steps", "master"):
    ask_until(lambda answer: answer["state"] == "done", "/move", p=ones, level=level, seed=7, **game)
ask_until(lambda answer: answer["state"] == "done", "/move", p="4 4 4 4 4 0 / 5 5 5 5 4 4", level="master", **game)
ask("/move", 400, p=ones, level="god", **game)
ask("/puzzle", seed=1, **game)
ask("/puzzle", 400, seed=0, **game)
ask("/moves", p="0 0 0 0 1 1 / 0 0 0 0 0 0", **game)
ask("/moves", 400, p="", **game)
ask("/stats", **game)
ask("/stats", 404, rules="ware", cycle="own")
ask("/info", 400, p=ones)
covered = '[Result "1-0"]\n[FEN "1-1-1-1-1-1-1-1-1-1-1-1-18-18-S"]\n\n'
for path in ("/game", "/review"):
    ask_until(lambda answer: answer.get("done") == answer.get("count"), path, body=covered + "Ff *", **game)
    ask_until(lambda answer: answer.get("done") == answer.get("count"), path, body="FfEe *", **game)
    # One seed each, far from the other row: the position comes back after ten moves.
    circle = '[FEN "1-0-0-0-0-0-1-0-0-0-0-0-23-23-S"]\n\n'
    ask_until(lambda answer: answer.get("done") == answer.get("count"), path, body=circle + "AaBbCcDdEeFfAaBbCcDdEeFf *", **game)
    ask(path, 400, body="FfXx", **game)
    ask(path, 415, body='["Ff"]', kind="application/json", **game)

missing = set()
for path, methods in description["paths"].items():
    for method, operation in methods.items():
        for name in documented(schema_of(path, method, 200)):
            if name not in seen and name not in RARE:
                missing.add(name)
assert not seen & RARE, f"not so rare: {sorted(seen & RARE)}"
assert not missing, f"documented, but in no answer: {sorted(missing)}"
print(f"{len(seen)} members")
