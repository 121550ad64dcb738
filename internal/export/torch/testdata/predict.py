"""Predicts the cases in a folder: predict.py FOLDER. Each has a folder with weights, their program, and cases.json.
The example at the head of each program runs too."""
import importlib.util
import json
import os
import pathlib
import sys

for folder in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    cases = json.loads((folder / "cases.json").read_text())
    spec = importlib.util.spec_from_file_location("program", folder / "weights.py")
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    model = program.load(folder / "weights.safetensors")
    example = [line.strip() for line in program.__doc__.splitlines() if line.startswith("    ") and " import " not in line]
    os.chdir(folder)
    exec("\n".join(example), {"load": program.load, "y": [[1.0] * len(model.units["y"])] * 3})
    results = []
    for c in cases:
        options = {"levels": c["levels"]} if c["levels"] else {}
        d = model.predict(c["context_x"], c["context_y"], c["x"], **options)
        results.append({"mu": d.mu.tolist(), "sigma": d.sigma.tolist(), "weight": d.weight.tolist(),
                        "tau": d.tau.tolist() if hasattr(d, "tau") else None, "mean": d.mean.tolist(), "sd": d.sd.tolist(),
                        "quantiles": d.quantiles(c["quantiles"]).tolist(), "log_density": d.log_density(c["y"]).tolist()})
    (folder / "results.json").write_text(json.dumps(results))
