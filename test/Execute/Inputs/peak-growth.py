"""How much more resident memory one program takes at its peak than another.

    peak-growth.py LEAST MOST SMALLER LARGER [ARGUMENT...]

Fails unless the growth in MiB lies between LEAST and MOST.
"""

import os
import subprocess
import sys


def peak(command):
    running = subprocess.Popen(command)
    _, status, used = os.wait4(running.pid, 0)
    if status:
        sys.exit(f"{command[0]} ended with {os.waitstatus_to_exitcode(status)}")
    return used.ru_maxrss // 1024


least, most = int(sys.argv[1]), int(sys.argv[2])
smaller, larger = ([program, *sys.argv[5:]] for program in sys.argv[3:5])
growth = peak(larger) - peak(smaller)
print(f"{growth} MiB more")
sys.exit(not least <= growth <= most)
