"""The text of a file, from the modules that were folded."""

import re

from .merge import merge

WIDTH = 110


def parameters(names, words, examples):
    """The model's parameters with their defaults, wrapped under each other."""
    sizes = dict(examples)
    for name, size in names.sizes.items():
        if name in words:
            sizes[name] = size
    return [f"{name}: int = {size}" for name, size in sizes.items()]


def wrapped(head, items):
    """`head` and the items with commas, in lines of at most WIDTH."""
    lines, line = [], head
    for item in items:
        word = item + ("" if item is items[-1] else ",")
        if len(line) + len(word) + 1 > WIDTH and line.strip():
            lines.append(line.rstrip())
            line = " " * len(head)
        line += word + " "
    return "\n".join(lines + [line.rstrip()])


def ignored(state, used):
    """Patterns of names of the state_dict that the text does not read."""
    left = [name for name in state if name not in used]
    patterns = {}
    for name in left:
        parts = name.split(".")
        for length in range(1, len(parts)):
            prefix = ".".join(parts[:length])
            if not any(other.startswith(prefix + ".") for other in used):
                name = prefix + ".*"
                break
        patterns[re.sub(r"(?<=\.)\d+(?=\.)", "*", name)] = None
    return [f'ignore {", ".join(f"{chr(34)}{name}{chr(34)}" for name in patterns)}'] \
        if patterns else []


def file_text(folder, source, examples, used):
    """`source` is the Python class; `examples` dim -> its size in the examples."""
    parts = ["hocket 1\n", f"# Made by hocket import of {source}.\n"]
    for module in merge(folder.modules, folder.root):
        head = ", ".join(f"{name}: int" for name in module.parameters)
        parts.append(module.text("module", head))
    root = folder.root
    head = wrapped(f"model {root.name}(", parameters(
        folder.names, folder.root_words, examples))[len(f"model {root.name}("):]
    parts.append(root.text("model", head, ignored(folder.graph.names, used)))
    return "\n".join(parts)
