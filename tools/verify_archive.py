#!/usr/bin/env python3
"""verify_archive.py [FOLDER]: compare an extracted kit or source archive with its MANIFEST.json (default: the folder of this file).

Prints every difference: missing, not in the manifest, another size, another content. Exit 0 when there is none, 1 otherwise.
"""
import hashlib
import json
import os
import sys

MANIFEST = "MANIFEST.json"


def files_under(folder):
    for at, folders, names in os.walk(folder):
        for name in names + [f for f in folders if os.path.islink(os.path.join(at, f))]:
            yield os.path.relpath(os.path.join(at, name), folder).replace(os.sep, "/")


def read_manifest(folder):
    try:
        with open(os.path.join(folder, MANIFEST), encoding="utf-8") as file:
            return {row["path"]: (row["bytes"], row["sha256"]) for row in json.load(file)["members"]}
    except (OSError, ValueError, LookupError, TypeError) as error:
        sys.exit(f"{MANIFEST}: cannot be used: {error}")


def difference(folder, path, size, digest):
    full = os.path.join(folder, path)
    if os.path.islink(full) or not os.path.isfile(full):
        return "is not a plain file" if os.path.lexists(full) else "missing"
    with open(full, "rb") as file:
        data = file.read()
    if len(data) != size:
        return f"has {len(data)} bytes, the manifest says {size}"
    if digest is not None and hashlib.sha256(data).hexdigest() != digest:
        return "has another content (SHA-256) than the manifest says"
    return None


def differences(folder):
    listed = read_manifest(folder)
    if MANIFEST not in listed:
        yield MANIFEST, "does not list itself"
    for path, (size, digest) in sorted(listed.items()):
        if digest is None and path != MANIFEST:
            yield path, "has no digest in the manifest"
        what = difference(folder, path, size, digest)
        if what:
            yield path, what
    for path in sorted(set(files_under(folder)) - set(listed)):
        yield path, "is not in the manifest"


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    found = list(differences(folder))
    for path, what in found:
        print(f"{path}: {what}")
    print(f"{len(found)} differences" if found else "every member is as the manifest says")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
