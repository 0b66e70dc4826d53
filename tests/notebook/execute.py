"""execute.py NOTEBOOK PROGRAM, in an empty folder: see run."""
import json
import os
import sys
import traceback

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

notebook, program = sys.argv[1:]
passed = failed = 0


def check(what, test):
    global passed, failed
    try:
        test()
        passed += 1
        print("passed -", what)
    except Exception:
        failed += 1
        print("failed -", what)
        traceback.print_exc(limit=3)


def load():
    return nbformat.read(notebook, as_version=4)


def run(**environment):
    for name in ("ILAB_PROGRAM", "ILAB_DEVICE"):
        os.environ.pop(name, None)
    os.environ.update(environment)
    book = load()
    NotebookClient(book, timeout=300, kernel_name="python3").execute()
    return book


def outputs(book, cell):
    return next(c for c in book.cells if c.get("id") == cell).outputs


def text(book, cell):
    return "".join(o.get("text", "") for o in outputs(book, cell))


def images(book, cell):
    return sum("image/png" in o.get("data", {}) for o in outputs(book, cell))


def stored_without_outputs():
    nbformat.validate(load())
    for cell in load().cells:
        assert cell.cell_type != "code" or (not cell.outputs and cell.execution_count is None), cell.id


def runs_on_the_cpu():
    book = run(ILAB_PROGRAM=program)
    assert "13.0385 GiB" in text(book, "estimate") and "17.0385 GiB" in text(book, "estimate")
    assert "describes a CPU" in text(book, "choose")
    assert "verification: passed" in text(book, "measure") and ": valid, iteragpu-lab/measure/1" in text(book, "measure")
    assert images(book, "time") == 1 and images(book, "memory") == 1
    results = [folder for folder in os.listdir() if folder.startswith("results-")]
    assert len(results) == 1, results
    measure = json.load(open(os.path.join(results[0], "measure.json"), encoding="utf-8"))
    assert measure["environment"]["device"]["type"] == "cpu"
    assert f"{measure['synthetic_model']['parameter_bytes']:,}" in text(book, "memory")


def says_how_to_get_the_program():
    path = os.environ["PATH"]
    try:
        run(PATH="/nonexistent")
    except CellExecutionError as error:
        assert "was not found" in str(error) and "make run" in str(error)
    else:
        raise AssertionError("it ran without the program")
    finally:
        os.environ["PATH"] = path


check("the notebook is stored without outputs", stored_without_outputs)
check("it runs from top to bottom on the CPU device", runs_on_the_cpu)
check("without the program it says how to get it", says_how_to_get_the_program)
print(f"{passed} passed, {failed} failed")
sys.exit(failed != 0)
