"""U-Nets of 1 to 3 levels as one model, and schedules that cut their rows.

unets.py RANKS CUT HEIGHT... prints them: each height with each number of
levels, one of the ways down and one of the ways up, in turn, down to two rows. CUT is `aligned`
by the product of strides, `even`, or `uneven`, sizes that fit no stride.
"""

import sys

DOWN = {  # name: (member or None, call, rows that come of n)
    "pool": (None, "max_pool1d({x}, 2)", lambda n: n // 2),
    "ceil": (None, "avg_pool1d({x}, 2, ceil_mode = true)", lambda n: (n + 1) // 2),
    "patch": ("Conv1d(1, 1, kernel = 2, stride = 2)", "{m}({x})", lambda n: n // 2),
    "odd": ("Conv1d(1, 1, kernel = 3, stride = 2, padding = 1)", "{m}({x})", lambda n: (n + 1) // 2),
    "wide": ("Conv1d(1, 1, kernel = 4, stride = 2, padding = 1)", "{m}({x})", lambda n: n // 2),
}
UP = {
    "nearest": (None, "interpolate({x}, scale = 2)"),
    "linear": (None, "interpolate({x}, scale = 2, mode = linear)"),
    "patch": ("ConvTranspose1d(1, 1, kernel = 2, stride = 2)", "{m}({x})"),
    "odd": ("ConvTranspose1d(1, 1, kernel = 3, stride = 2, padding = 1, output_padding = 1)", "{m}({x})"),
    "wide": ("ConvTranspose1d(1, 1, kernel = 4, stride = 2, padding = 1)", "{m}({x})"),
}


def unet(name, height, levels, down, up):
    members, body, skips, rows = [], [], [], [height]

    def member(kind, constructor):
        path = f"{kind}_{name}"
        members.append(f"  {path} = {constructor}")
        return path

    x = f"x_{name}"
    for level in range(levels):
        conv = member(f"in{level}", "Conv1d(1, 1, kernel = 3, padding = 1)")
        body.append(f"    a{level}_{name} = {conv}({x})")
        skips.append(f"a{level}_{name}")
        constructor, call, result = DOWN[down]
        m = constructor and member(f"down{level}", constructor)
        body.append(f"    d{level}_{name} = " + call.format(m=m, x=skips[-1]))
        x = f"d{level}_{name}"
        rows.append(result(rows[-1]))
    for level in reversed(range(levels)):
        constructor, call = UP[up]
        m = constructor and member(f"up{level}", constructor)
        made, wanted = 2 * rows[level + 1], rows[level]
        call = call.format(m=m, x=x)
        if made > wanted:
            call = f"crop_end({call}, like = {skips[level]})"
        elif made < wanted:
            call = f"pad({call}, axis = 2, before = 0, after = {wanted - made})"
        body.append(f"    u{level}_{name} = tanh({call} + {skips[level]})")
        x = f"u{level}_{name}"
    return members, body, x


def sizes(height, ranks):
    """Uneven, the first part the largest, one of them odd."""
    parts, left = [], height
    for rank in range(ranks - 1):
        parts.append(left * 3 // 5)
        left -= parts[-1]
    return f" sizes ({', '.join(map(str, parts + [left]))})"


def main(ranks, cut, heights):
    ways = [(d, u) for d in DOWN for u in UP]
    arguments, members, body, results, shards = [], [], [], [], []
    for height in heights:
        for levels in (1, 2, 3):
            if height >> levels < 2:
                continue
            down, up = ways[len(results) * 7 % len(ways)]
            name = f"{height}_{levels}_{down}_{up}"
            own, lines, result = unet(name, height, levels, down, up)
            arguments.append(f"x_{name}: f32[1, 1, {height}]")
            members += own
            body += lines
            results.append(result)
            clause = {"aligned": f" aligned {2 ** levels}", "even": "", "uneven": sizes(height, ranks)}[cut]
            shards.append(f"  shard x_{name} axis 2 over h{clause}")
    print("hocket 1\n\nmodel Unets() {")
    print("\n".join(members))
    print(f"  forward({', '.join(arguments)}) {{")
    print("\n".join(body))
    print(f"    return {', '.join(results)}\n  }}\n}}\n")
    print(f"schedule rows for Unets {{\n  mesh (h = {ranks})")
    print("\n".join(shards))
    print("  halo ** axis 2 over h\n}")


main(int(sys.argv[1]), sys.argv[2], [int(height) for height in sys.argv[3:]])
