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


def is_long(name, maker):
    """The line of a member is broken, so that no column is aligned with it."""
    line = f"  {name} = {maker}"
    return broken(line) != line


def broken(line):
    """A line that is too long: of one call or signature, between what it has in its
    parentheses."""
    head, _, rest = line.partition("(")
    if len(line) <= WIDTH or line.startswith("model "):
        return line
    items, depth = [""], 0
    for place, letter in enumerate(rest):
        quoted = rest[:place].count('"') % 2
        depth += 0 if quoted else (letter in "([") - (letter in ")]")
        if depth < 0:
            items[-1] += rest[place:]
            items = [item.strip() for item in items]
            whole = rest[place + 1:] in ("", " {")
            fits = len(f"{head}({items[0]},") <= WIDTH
            return wrapped(f"{head}(", items) if whole and fits else line
        if depth == 0 and letter == "," and not quoted:
            items.append("")
        else:
            items[-1] += letter
    return line


def lines_broken(text):
    return "\n".join(map(broken, text.split("\n")))


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


def file_text(folder, notes, examples, used):
    """`notes` are lines of the text's head; `examples` dim -> its size in the examples."""
    parts = ["hocket 1\n", "\n".join(notes) + "\n"]
    for module in merge(folder.modules, folder.root):
        head = ", ".join(f"{name}: int" for name in module.parameters)
        parts.append(lines_broken(module.text("module", head)))
    root = folder.root
    head = wrapped(f"model {root.name}(", parameters(
        folder.names, folder.root_words, examples))[len(f"model {root.name}("):]
    parts.append(lines_broken(root.text("model", head, ignored(folder.graph.names, used))))
    return "\n".join(parts)
