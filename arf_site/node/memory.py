"""What a process has freed, given back to the system."""

import ctypes


def give_back() -> None:
    """The C library gives back what is freed at the end of its heap, and keeps what lies between things in use: after
    large requests that is as much again. Takes some ms. Other libraries than glibc have no such call, and need none.
    """
    if trim := getattr(ctypes.CDLL(None), "malloc_trim", None):
        trim(0)
