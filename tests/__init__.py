"""NumPy and scikit-learn calculate in one thread: processes that test share two cores, and more threads would only wait
for each other's. A model trained in two takes seven times the processor time.
"""

import gc
import os

gc.set_threshold(100_000, 20, 100)  # seldom: with Python's own it took a fifteenth of all processor time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # read when a library is loaded
    os.environ.setdefault(variable, "1")
