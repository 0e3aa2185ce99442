"""Parts of a page: its head, tables, numbers."""

import textwrap


WIDTH = 88


def table(head, rows):
    def line(cells):
        return "| " + " | ".join(map(str, cells)) + " |\n"

    return line(head) + "|" + "---|" * len(head) + "\n" + "".join(map(line, rows))


def paragraph(text):
    return textwrap.fill(" ".join(text.split()), WIDTH, break_long_words=False,
                         break_on_hyphens=False) + "\n"


def milliseconds(seconds):
    return f"{seconds * 1e3:.3g}"


def machine_line(records):
    """Which GPU, driver and sources, in a sentence."""
    record = records["environment"]
    machine, kit = record["data"], record["kit"]
    driver = machine["driver"]
    gpu = driver["devices"][0]
    version = machine["driver_version"]
    devices = sorted({each["device"] for each in records.values()})
    return (f"{record['at'][:10]}; {' and '.join(devices)} (compute capability "
            f"{gpu['capability']}, {gpu['memory'] / 2**30:.0f} GiB), driver "
            f"{version + ', ' if version else ''}CUDA {driver['cuda']}; {machine['system']}; programs "
            f"of commit {kit['commit']}, assembled for {kit['arch']}.")


def commands(small):
    return ("```\ntools/dev/gpu-test pack" + (" --small" if small else "") +
            " gpu-kit\ntools/dev/gpu-test run gpu-kit\ntools/dev/gpu-test report gpu-kit\n```\n")


def head(title, records, is_lookalike):
    warning = ("**These are look-alikes of NVIDIA's libraries and no GPU: times mean nothing.**\n\n"
               if is_lookalike else "")
    small = records["environment"]["kit"]["small"]
    return f"# {title}\n\n{warning}{paragraph(machine_line(records))}\n{commands(small)}\n"


def under(records, prefix):
    """The records of steps below a name, by the rest of their names."""
    return {step.removeprefix(prefix + "/"): record for step, record in records.items()
            if step.startswith(prefix + "/")}


def why(record):
    """What a step says that did not pass, on one line of a table."""
    return " ".join(record.get("why", "").split()).replace("|", "\\|")
