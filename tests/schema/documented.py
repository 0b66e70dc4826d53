#!/usr/bin/env python3
"""documented.py TEXT SCHEMA...: every property that a schema names stands in the text, as `name`, in the section of its kind or in
one that documents share. Reasons of nulls are described once for all."""
import json
import re
import sys


def properties(schema):
    if isinstance(schema, dict):
        named = schema.get("properties")
        yield from named if isinstance(named, dict) else ()
        for value in schema.values():
            yield from properties(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from properties(value)


def words(text):
    """Names inside code marks; `a.b`, `a[]` and `a/b` count as their parts."""
    return set(re.findall(r"[a-z][a-z0-9_]*", " ".join(re.findall(r"`([^`]+)`", text))))


def main(text_file, *schemas):
    with open(text_file, encoding="utf-8") as f:
        sections = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", f.read(), re.M | re.S))
    shared = words(sections["What all documents share"]) | words(sections["environment"])
    # a comparison holds measurements, a diff holds rows of comparisons
    of_others = {"diff": ["compare"]}
    missing = 0
    for name in schemas:
        kind = name.split("/")[-1].split(".")[0]
        known = shared.union(*(words(sections.get(k, "")) for k in [kind, *of_others.get(kind, [])]))
        with open(name, encoding="utf-8") as f:
            named = set(properties(json.load(f)))
        for p in sorted(named):
            if p not in known and not (p.endswith("_reason") and p[: -len("_reason")] in named):
                print(f"{text_file}: section {kind}: `{p}` of {name} is missing")
                missing += 1
    return missing > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
