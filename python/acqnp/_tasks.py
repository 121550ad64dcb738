"""Tasks of a simulator of your own, as acqnp train and acqnp eval read them: from files, or from a command."""

import json
import os
import signal
import struct
import sys
import tempfile

import numpy as np


def write_tasks(path, batches):
    """Write batches to a tasks file, and return their number. The file appears when it is complete.

    Each batch is (x, y, num_context): arrays [B, N, dx] and [B, N, dy] of B groups with N points, in the numbers that the
    model shall see, about -2 to 2. The first num_context points of each group are known; the model predicts y at all.
    All batches have the same dx and dy; B, N and num_context may differ. batches may be a generator: one is kept at a
    time.
    """
    header, contexts, columns, end = {}, [], None, 0
    folder = os.path.dirname(os.path.abspath(path))
    with tempfile.TemporaryFile(dir=folder) as spool:
        for number, batch in enumerate(batches):
            tensors, context = _tensors(batch, f"batch {number}")
            found = [t.shape[2] for t in tensors.values()]
            if found != (columns := columns or found):
                raise ValueError(f"batch {number}: found {found} columns of x and y, expected {columns} as in batch 0")
            contexts.append(context)
            for name, values in tensors.items():
                header[f"{number}.{name}"], end = _spec(values, end)
                spool.write(values.tobytes())
        if not contexts:
            raise ValueError("found no batch, expected at least one")
        spool.seek(0)
        with tempfile.NamedTemporaryFile(dir=folder, prefix=os.path.basename(path) + ".", delete=False) as out:
            try:
                out.write(_head(header, contexts))
                while piece := spool.read(1 << 20):
                    out.write(piece)
                out.close()
                os.chmod(out.name, 0o666 & ~_umask())
                os.replace(out.name, path)
            except BaseException:
                os.unlink(out.name)
                raise
    return len(contexts)


def answer_tasks(simulate, asked=None, out=None):
    """Answer what ``acqnp train`` asks of the command in ``data.command``, until it asks no more.

    simulate(kind, number) returns the batch of that number, as write_tasks takes it; kind is "train" or "eval". It must
    return the same batch whenever it is asked for the same number, so seed the random numbers with both:
    ``numpy.random.default_rng([kind == "eval", number])``. Each question is a line such as "train 17" of standard input, and
    each answer a tasks file of one batch on standard output. What simulate prints goes to standard error.
    """
    asked, out = asked or sys.stdin, out or sys.stdout.buffer
    sys.stdout = sys.stderr
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # ctrl-C is for the program that asks, which then asks no more
    for line in asked:
        kind, number = line.split()
        tensors, context = _tensors(simulate(kind, int(number)), f"{kind} batch {number}")
        header, end = {}, 0
        for name, values in tensors.items():
            header[f"0.{name}"], end = _spec(values, end)
        out.write(_head(header, [context]) + b"".join(values.tobytes() for values in tensors.values()))
        out.flush()


def _tensors(batch, what):
    """Return x and y of a batch as float32 arrays by name, and its number of known points."""
    x, y, context = batch
    x, y, context = np.ascontiguousarray(x, dtype="<f4"), np.ascontiguousarray(y, dtype="<f4"), int(context)
    if x.ndim != 3 or y.ndim != 3 or x.shape[:2] != y.shape[:2] or 0 in x.shape + y.shape:
        raise ValueError(f"{what}: found x {list(x.shape)} and y {list(y.shape)}, expected [B, N, dx] and [B, N, dy]")
    if not 0 <= context < x.shape[1]:
        raise ValueError(f"{what}: found {context} known points, expected 0 to {x.shape[1] - 1}, of {x.shape[1]} points")
    for name, values in ("x", x), ("y", y):
        if not np.isfinite(values).all():
            at = [int(i) for i in np.argwhere(~np.isfinite(values))[0]]
            raise ValueError(f"{what}: found {values[tuple(at)]} in {name}{at}, expected finite numbers")
    return {"x": x, "y": y}, context


def _spec(values, start):
    end = start + values.nbytes
    return {"dtype": "F32", "shape": list(values.shape), "data_offsets": [start, end]}, end


def _head(header, contexts):
    """Return what comes before the numbers of a safetensors file."""
    text = json.dumps({"__metadata__": {"num_context": json.dumps(contexts)}, **header}, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask
