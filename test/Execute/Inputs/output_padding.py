"""What transposed convolutions with an output_padding give, by their definition.

output_padding.py FOLDER writes weights, an input and the outputs there:
y[o] = bias + the sum of x[i] w[t] over i stride + dilation t - padding = o, for o
of as many positions as PyTorch has, (n - 1) stride - 2 padding + dilation
(kernel - 1) + output_padding + 1.
"""

import json
import random
import struct
import sys

BATCH, IN, ROWS = 2, 2, 7
# name: out, kernel, stride, dilation, padding, output_padding
CONVOLUTIONS = {
    "shown": (3, 2, 1, 3, 2, 2),
    "partly": (2, 3, 2, 4, 1, 3),
    "behind": (2, 2, 1, 3, 0, 2),
}


def write(path, tensors):
    header, data = {}, b""
    for name, (shape, values) in tensors.items():
        begin = len(data)
        data += struct.pack(f"<{len(values)}f", *values)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [begin, len(data)]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def draw(*shape):
    count = 1
    for size in shape:
        count *= size
    return list(shape), [random.randint(-4, 4) / 2 for _ in range(count)]


def transposed(x, weight, bias, out, kernel, stride, dilation, padding, extra):
    size = (ROWS - 1) * stride - 2 * padding + dilation * (kernel - 1) + extra + 1
    y = [bias[o] for _ in range(BATCH) for o in range(out) for _ in range(size)]
    for b in range(BATCH):
        for c in range(IN):
            for o in range(out):
                for i in range(ROWS):
                    for t in range(kernel):
                        at = i * stride + dilation * t - padding
                        if 0 <= at < size:
                            y[(b * out + o) * size + at] += x[(b * IN + c) * ROWS + i] * weight[(c * out + o) * kernel + t]
    return [BATCH, out, size], y


def main(folder):
    random.seed(1)
    x = draw(BATCH, IN, ROWS)
    weights, outputs = {}, {}
    for number, (name, (out, kernel, *numbers)) in enumerate(CONVOLUTIONS.items()):
        weight, bias = draw(IN, out, kernel), draw(out)
        weights[f"{name}.weight"], weights[f"{name}.bias"] = weight, bias
        outputs[f"output{number}"] = transposed(x[1], weight[1], bias[1], out, kernel, *numbers)
    write(f"{folder}/weights.safetensors", weights)
    write(f"{folder}/input.safetensors", {"x": x})
    write(f"{folder}/expected.safetensors", outputs)


main(sys.argv[1])
