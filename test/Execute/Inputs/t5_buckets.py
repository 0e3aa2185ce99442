"""Whether distances fall into the buckets that T5 has for them (transformers,
T5Attention._relative_position_bucket, bidirectional): t5_buckets.py EXAMPLE FOLDER.
"""

import json
import math
import struct
import subprocess
import sys

SEQ, BUCKETS, REACH = 40, 32, 30


def bucket(distance):
    half = BUCKETS // 2
    near = half // 2
    first = half if distance > 0 else 0
    distance = abs(distance)
    if distance < near:
        return first + distance
    far = math.log(distance / near) / math.log(REACH / near) * (half - near)
    return first + min(near + int(far), half - 1)


def write(path, tensors):
    header, data = {}, b""
    for name, (shape, values) in tensors.items():
        packed = struct.pack(f"<{len(values)}f", *values)
        header[name] = {"dtype": "F32", "shape": shape,
                        "data_offsets": [len(data), len(data) + len(packed)]}
        data += packed
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def read(path, name):
    with open(path, "rb") as file:
        (size,) = struct.unpack("<Q", file.read(8))
        entry = json.loads(file.read(size))[name]
        begin, end = entry["data_offsets"]
        file.seek(8 + size + begin)
        return struct.unpack(f"<{(end - begin) // 4}f", file.read(end - begin))


MODEL = f"""
model Buckets() {{
  positions = Positions(1, {BUCKETS}, {REACH}, {SEQ})
  forward(x: f32[1]) -> f32[1, {SEQ}, {SEQ}] {{
    return positions() + x
  }}
}}
"""

example, folder = sys.argv[1:]
with open(example) as file, open(f"{folder}/buckets.hkt", "w") as copy:
    copy.write(file.read() + MODEL)
write(f"{folder}/weights.safetensors",
      {"positions.table.weight": ([BUCKETS, 1], [float(n) for n in range(BUCKETS)])})
write(f"{folder}/in.safetensors", {"x": ([1], [0.0])})
subprocess.run(["hocket", "compile", f"{folder}/buckets.hkt", "--model", "Buckets",
                "-o", f"{folder}/app"], check=True)
subprocess.run([f"{folder}/app", "--weights", f"{folder}/weights.safetensors", "--input",
                f"{folder}/in.safetensors", "--output", f"{folder}/out.safetensors"],
               check=True)
found = read(f"{folder}/out.safetensors", "output")
for query in range(SEQ):
    for key in range(SEQ):
        here = found[query * SEQ + key]
        assert here == bucket(key - query), (query, key, here, bucket(key - query))
