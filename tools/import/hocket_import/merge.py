"""Modules of one class of which one is another with some sizes alike become that one:
Conv(c1, c1) needs no module beside Conv(c1, c2)."""

import dataclasses
import re

from .members import listed

CALL = re.compile(r"\b(\w+)\(([^()]*)\)")


def merge(modules, root):
    """The modules that are left, in an order in which each comes after what it has."""
    modules = list(modules)
    merged = False
    for special in list(modules):
        for general in modules:
            names = sizes_of(special, general)
            if names is not None:
                replace(special, general, names, [*modules, root])
                modules.remove(special)
                merged = True
                break
    if not merged:
        return modules
    modules = ordered(modules, root)
    number(modules, root)
    return modules


def sizes_of(special, general):
    """What `general` takes to be `special`: for each parameter one of special's."""
    if general is special or general.kind != special.kind or \
            len(general.parameters) <= len(special.parameters):
        return None
    names, seen, pattern = "|".join(map(re.escape, general.parameters)), set(), ""
    for k, part in enumerate(re.split(rf"\b({names})\b", plain(general))):
        if k % 2 == 0:
            pattern += re.escape(part)
        else:
            pattern += f"(?P={part})" if part in seen else rf"(?P<{part}>\w+)"
            seen.add(part)
    found = re.fullmatch(pattern, plain(special))
    if not found or seen != set(general.parameters) or \
            not set(found.groupdict().values()) <= set(special.parameters):
        return None
    return [found[name] for name in general.parameters]


def plain(module):
    """The text of a module without its own name."""
    return dataclasses.replace(module, name=module.kind).text("module", "")


def replace(special, general, names, modules):
    """Makes what special makes with general."""
    def call(match):
        if match[1] != special.name:
            return match[0]
        given = dict(zip(special.parameters, match[2].split(", ")))
        return f"{general.name}({', '.join(given[name] for name in names)})"

    change(modules, call)


def change(modules, call):
    """Changes calls in all makers; lists are broken anew."""
    for module in modules:
        for name, maker in module.members.items():
            changed = CALL.sub(call, maker)
            if changed != maker and changed.startswith("[") and " for i in " not in changed:
                changed = listed(elements(changed))
            module.members[name] = changed


def elements(text):
    """What stands between the commas of a list."""
    found, depth = [""], 0
    for letter in " ".join(text.split())[1:-1]:
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and not depth:
            found.append("")
        else:
            found[-1] += letter
    return [word.strip() for word in found if word.strip()]


def ordered(modules, root):
    by_name, found = {module.name: module for module in modules}, []

    def visit(module):
        for maker in module.members.values():
            for name, _ in CALL.findall(maker):
                if name in by_name and by_name[name] not in found:
                    visit(by_name[name])
                    found.append(by_name[name])

    visit(root)
    return found


def number(modules, root):
    """Names modules of one class anew: Conv, Conv2, ..."""
    names, used = {}, {root.name}
    for module in modules:
        free = (f"{module.kind}{k}" for k in ("", *range(2, 10**4)))
        names[module.name] = next(name for name in free if name not in used)
        used.add(names[module.name])
    for module in modules:
        module.name = names[module.name]
    change([*modules, root], lambda match: f"{names.get(match[1], match[1])}({match[2]})")
