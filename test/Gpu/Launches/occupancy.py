"""How many warps of a kernel a multiprocessor holds at once.

The limits are those of NVIDIA's CUDA C++ Programming Guide 13.0 (Compute
Capabilities, tables of technical specifications and of shared memory) and of the
occupancy calculator of Nsight Compute: registers come to a warp in units of 256,
shared memory to a block in units of 128 bytes, of which 1 KiB a block is the
system's.
"""

import math
from dataclasses import dataclass

WARP = 32
UNIT_OF_REGISTERS = 256  # of a warp
UNIT_OF_SHARED = 128  # bytes
SHARED_OF_SYSTEM = 1024  # bytes, of each block
WARPS_TOGETHER = 4  # warps are handed out to four parts of a multiprocessor


@dataclass(frozen=True)
class Chip:
    """What one multiprocessor has."""

    warps: int
    blocks: int
    registers: int
    shared: int  # bytes


CHIPS = {
    "sm_80": Chip(64, 32, 65536, 164 * 1024),
    "sm_90": Chip(64, 32, 65536, 228 * 1024),
    "sm_100": Chip(64, 32, 65536, 228 * 1024),
}


def up(number, unit):
    return -(-number // unit) * unit


def blocks_at_once(chip, threads, registers, shared):
    """Of `threads` threads with so many registers each, and bytes of shared memory."""
    warps = -(-threads // WARP)
    of_warp = max(up(registers * WARP, UNIT_OF_REGISTERS), UNIT_OF_REGISTERS)
    by_registers = chip.registers // of_warp // WARPS_TOGETHER * WARPS_TOGETHER // warps
    by_shared = chip.shared // (up(shared, UNIT_OF_SHARED) + SHARED_OF_SYSTEM)
    return min(chip.blocks, chip.warps // warps, by_registers, by_shared)


def occupancy(name, threads, registers, shared):
    """The part of a multiprocessor's warps that can be there at once."""
    chip = CHIPS[name]
    warps = -(-threads // WARP)
    return blocks_at_once(chip, threads, registers, shared) * warps / chip.warps
