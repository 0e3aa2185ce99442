"""Writes a file of GPT-2's weights as transformers does for the model with its
head: names begin with "transformer.", and each layer has its causal mask.

    as_transformers.py FROM.safetensors TO.safetensors
"""

import json
import struct
import sys

with open(sys.argv[1], "rb") as file:
    data = file.read()
length = struct.unpack("<Q", data[:8])[0]
tensors, data = json.loads(data[8 : 8 + length]), data[8 + length :]
header = {"__metadata__": {"format": "pt"}}
for name, tensor in tensors.items():
    if name != "__metadata__":
        header["transformer." + name] = tensor
layers = {name.split(".")[1] for name in tensors if name.startswith("h.")}
for layer in sorted(layers):
    header[f"transformer.h.{layer}.attn.bias"] = {
        "dtype": "BOOL",
        "shape": [1, 1, 4, 4],
        "data_offsets": [len(data), len(data) + 16],
    }
    data += bytes(i % 4 <= i // 4 for i in range(16))
text = json.dumps(header).encode()
with open(sys.argv[2], "wb") as file:
    file.write(struct.pack("<Q", len(text)) + text + data)
