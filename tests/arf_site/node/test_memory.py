"""What is freed goes back to the system."""

import subprocess
import sys

KEPT = """
import ctypes, psutil
from arf_site.node.memory import give_back

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
held = [libc.malloc(ctypes.c_size_t(4000)) for _ in range(20_000)]
for place in held:
    ctypes.memset(place, 1, 4000)
for place in held[:-1]:
    libc.free(ctypes.c_void_p(place))  # the last one lies at the end of the heap
before = psutil.Process().memory_info().rss
give_back()
print((before - psutil.Process().memory_info().rss) // 2**20)
"""


def test_what_was_freed_between_things_in_use_goes_back():
    """Of 76 MB; in a process whose heap nothing else has touched."""
    told = subprocess.run([sys.executable, "-c", KEPT], check=True, capture_output=True, text=True).stdout
    assert int(told) > 60
