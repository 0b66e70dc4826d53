#!/usr/bin/env python3
"""archive.py dist|kit FOLDER VERSION: build an archive of this tree, the same bytes each time, and print its name.

dist  iteragpu-lab-VERSION.tar.gz, every tracked file
kit   iteragpu-lab-kit-VERSION.zip, what is used beside the program: scripts, notebook, protocol, grid, example prices, licence

Each holds one folder with a MANIFEST.json: every member with its size and SHA-256, itself without a digest.
Members are sorted, dated 1980-01-01 (or SOURCE_DATE_EPOCH), owned by nobody, and of mode 644 or 755; nothing else of this machine
gets in. verify_archive.py checks an extracted folder against its manifest.
"""
import gzip
import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
import time
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", 315532800))
MANIFEST = "MANIFEST.json"

# member of the kit: file of this tree
KIT = {
    "README.md": "kit/README.md",
    "LICENSE.txt": "LICENSE.txt",
    "first-measurement.sh": "kit/first-measurement.sh",
    "cost-of-a-result.sh": "kit/cost-of-a-result.sh",
    "iteragpu-lab.ipynb": "docs/notebook/iteragpu-lab.ipynb",
    "quality-protocol.md": "docs/quality-protocol.md",
    "protocole-qualite.md": "docs/protocole-qualite.md",
    "results-grid.csv": "data/results-grid.csv",
    "tariffs.example.csv": "data/tariffs.example.csv",
    "verify_archive.py": "tools/verify_archive.py",
}


def tracked_files():
    """By git; in an unpacked source archive, by its manifest."""
    git = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], capture_output=True, text=True)
    if git.returncode == 0 and git.stdout:
        return {path: path for path in git.stdout.split("\0") if path}
    try:
        with open(os.path.join(ROOT, MANIFEST), encoding="utf-8") as file:
            return {m["path"]: m["path"] for m in json.load(file)["members"] if m["path"] != MANIFEST}
    except OSError:
        sys.exit("archive: neither a git tree nor an unpacked source archive: " + (git.stderr.strip() or "nothing is tracked"))


def read_members(files):
    members = {}
    for name, path in files.items():
        path = os.path.join(ROOT, path)
        try:
            file = open(path, "rb")
        except OSError as error:
            sys.exit(f"archive: {error}")
        with file:
            members[name] = (file.read(), 0o755 if os.access(path, os.X_OK) else 0o644)
    return members


def manifest(name, version, members):
    """The manifest holds its own size, so the text is made again until the size that it names is its own."""
    rows = [{"path": path, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()} for path, (data, _) in members.items()]
    size = 0
    while True:
        rows_now = sorted(rows + [{"path": MANIFEST, "bytes": size, "sha256": None}], key=lambda row: row["path"])
        text = (json.dumps({"name": name, "version": version, "members": rows_now}, indent=2) + "\n").encode()
        if len(text) == size:
            return text
        size = len(text)


def tar_gz(folder, members):
    raw = io.BytesIO()
    with gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=EPOCH) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
            for path, (data, mode) in sorted(members.items()):
                info = tarfile.TarInfo(folder + "/" + path)
                info.size, info.mode, info.mtime = len(data), mode, EPOCH
                tar.addfile(info, io.BytesIO(data))
    return raw.getvalue()


def zip_file(folder, members):
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, (data, mode) in sorted(members.items()):
            info = zipfile.ZipInfo(folder + "/" + path, time.gmtime(EPOCH)[:6])
            info.compress_type, info.create_system, info.external_attr = zipfile.ZIP_DEFLATED, 3, (0o100000 | mode) << 16
            archive.writestr(info, data)
    return raw.getvalue()


def main():
    kind, target, version = sys.argv[1:]
    name = {"dist": "iteragpu-lab", "kit": "iteragpu-lab-kit"}[kind]
    folder = f"{name}-{version}"
    members = read_members(tracked_files() if kind == "dist" else KIT)
    members[MANIFEST] = (manifest(name, version, members), 0o644)
    os.makedirs(target, exist_ok=True)
    path = os.path.join(target, folder + (".tar.gz" if kind == "dist" else ".zip"))
    with open(path, "wb") as file:
        file.write((tar_gz if kind == "dist" else zip_file)(folder, members))
    print(path)


if __name__ == "__main__":
    main()
