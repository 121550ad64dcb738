"""Writes safetensors with the standard library: header keys are in order, so the same numbers give the same bytes."""
import json
import struct

KINDS = {"F64": "<f8", "F32": "<f4", "I32": "<i4"}


def save(path, tensors, metadata, kind="F64", kinds=None):
    """Writes the tensors in order. kinds maps a tensor's name to its type; the others have the type kind."""
    header, data = {"__metadata__": metadata}, b""
    for name, tensor in tensors.items():
        dtype = (kinds or {}).get(name, kind)
        values = tensor.detach().contiguous().numpy().astype(KINDS[dtype]).tobytes()
        header[name] = {"dtype": dtype, "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(values)]}
        data += values
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + data)
