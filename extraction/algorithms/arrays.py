"""Types of the numpy arrays that the algorithms share, and the memory that they are made in."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
U64 = NDArray[np.uint64]
Flags = NDArray[np.bool_]

_KEPT_BYTES = 1 << 24


@cache
def keep_freed_memory() -> None:
    """Let this process keep up to 32 MB of freed memory for its next arrays. Work that makes arrays batch by batch calls this first.

    By default, glibc gives freed memory back to the system as soon as there is more than about the size of one array. Then each batch has
    to be given the same memory again, page by page, which took a third of the time of shingle vectors. Freeing one large block raises this
    limit to twice the block's size (M_MMAP_THRESHOLD in mallopt(3)). Other C libraries ignore it.
    """
    np.empty(_KEPT_BYTES, np.uint8)
