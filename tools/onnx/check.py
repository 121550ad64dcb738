"""Runs ONNX files of acqnp in onnxruntime and compares them with what `go run ./tools/onnx FOLDER`
wrote beside them. Needs onnx, onnxruntime and numpy.

    python3 tools/onnx/check.py FOLDER
"""

import json
import pathlib
import sys

try:
    import numpy as np
    import onnx
    import onnxruntime
except ImportError as missing:
    sys.exit(f"{missing}: pip install onnx onnxruntime numpy")

# predict computes the network in float32, with sums in another order than onnxruntime.
TOLERANCE = 1e-5


def array(name, value):
    return np.array(value, dtype=np.int64 if name == "resample" else np.float64)


def distance(found, expected):
    """The largest difference, relative to numbers beyond 1."""
    if found.shape != expected.shape:
        return f"shape {found.shape}, expected {expected.shape}"
    return float(np.max(np.abs(found - expected) / np.maximum(1, np.abs(expected)), initial=0))


def inputs(session, run):
    """The inputs of a graph. Without context points, lists do not say how many columns there are."""
    fed = {}
    for i in session.get_inputs():
        fed[i.name] = array(i.name, run["inputs"][i.name])
        if i.name.startswith("context") and fed[i.name].size == 0:
            fed[i.name] = fed[i.name].reshape(len(run["inputs"][i.name]), 0, i.shape[2])
    return fed


def check(path):
    """Returns the largest distance of each output over all runs of a case."""
    worst = {}
    runs = json.loads(path.with_suffix(".json").read_text())
    for file in (path, path.with_name(path.stem + "-density.onnx")):
        onnx.checker.check_model(onnx.load(file), full_check=True)
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        session = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
        for run in runs:
            for output, found in zip(session.get_outputs(), session.run(None, inputs(session, run))):
                if output.name not in run["expected"]:
                    continue
                d = distance(found, array(output.name, run["expected"][output.name]))
                if isinstance(d, str) or not d <= TOLERANCE:
                    sizes = {k: np.shape(v) for k, v in run["inputs"].items()}
                    sys.exit(f"{file}: {output.name} differs by {d} from predict, expected at most {TOLERANCE}; inputs {sizes}")
                worst[output.name] = max(worst.get(output.name, 0), d)
    return worst


def main():
    files = sorted(p for p in pathlib.Path(sys.argv[1]).glob("*.onnx") if not p.stem.endswith("-density"))
    if not files:
        sys.exit(f"found no ONNX file in {sys.argv[1]}")
    for path in files:
        worst = check(path)
        print(f"{path.stem}: " + ", ".join(f"{name} {d:.1e}" for name, d in worst.items()))
    print(f"{len(files)} models agree with predict to {TOLERANCE} in onnxruntime {onnxruntime.__version__}")


main()
