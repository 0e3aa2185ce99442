"""Reads a file of torch.export.save, or says why it cannot be read."""

import importlib
import logging
import re
import zipfile

import torch

from .refuse import Refused

UNREGISTERED = re.compile(r"Deserializing (\S+) in pytree failed")
SCHEMA = re.compile(r"version SchemaVersion\(major=(\d+), minor=(\d+)\) does not match "
                    r"our current schema version \((\d+), (\d+)\)")
OPERATOR = re.compile(r"failed to resolve torch\.ops\.(\S+) to an operator")


class Cause(logging.Filter):
    """What torch.export.load logs where it fails, kept instead."""

    def __init__(self):
        super().__init__()
        self.error = None

    def filter(self, record):
        self.error = record.exc_info[1] if record.exc_info else self.error
        return False


def load_once(path):
    """(the program, None) or (None, the error, which names what is wrong)."""
    cause, log = Cause(), logging.getLogger("torch.export")
    log.addFilter(cause)
    try:
        return torch.export.load(path), None
    except Exception as error:  # of any kind: what the file ran into
        return None, cause.error or error
    finally:
        log.removeFilter(cause)


def is_export(path):
    """The file is an archive with a program in it."""
    with open(path, "rb") as file:
        if not zipfile.is_zipfile(file):
            return False
    with zipfile.ZipFile(path) as archive:
        return any(re.search(r"(^|/)models/[^/]+\.json$|serialized_exported_program\.json$",
                             name) for name in archive.namelist())


def load(path):
    """The program of a file. The types of its outputs are those of modules that are
    imported for that, as transformers' are."""
    try:
        is_one = is_export(path)
    except OSError as error:
        raise Refused(f"cannot read '{path}': {error.strerror}") from error
    if not is_one:
        raise Refused(f"'{path}' is no file of torch.export.save")
    tried = set()
    while True:
        program, error = load_once(path)
        if program is not None:
            return program
        lacking = UNREGISTERED.search(str(error))
        if not lacking or lacking[1] in tried:
            raise Refused(unreadable(path, error)) from error
        tried.add(lacking[1])
        try:
            importlib.import_module(lacking[1].rpartition(".")[0])
        except (ImportError, ValueError) as absent:
            raise Refused(f"'{path}' has a {lacking[1]}, which cannot be imported: "
                          f"{absent}; export a module that takes and gives tensors") \
                from absent


def first_line(error):
    """Of what an error says, or its class's name."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def unreadable(path, error):
    """Why PyTorch does not read a file."""
    text = str(error)
    if schema := SCHEMA.search(text):
        theirs, ours = f"{schema[1]}.{schema[2]}", f"{schema[3]}.{schema[4]}"
        return (f"'{path}' is of schema {theirs}, and PyTorch {torch.__version__} reads "
                f"{ours}; import it with the version of PyTorch that wrote it, or "
                "export it again")
    if lacking := OPERATOR.search(text):
        return (f"'{path}' has an operator that PyTorch does not know without the "
                f"package that defines it, {lacking[1]}; export a module without it")
    said = first_line(error).split(". ")[0].rstrip(".")
    return f"PyTorch {torch.__version__} cannot read '{path}': {said}"
