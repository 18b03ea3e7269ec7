#!/usr/bin/env python3
"""Makes the small files of files.test: archives by NumPy, images from the PNG specification by hand."""

import struct
import zlib
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(name, width, height, depth, colour, rows, extra=b"", interlaced=0):
    """rows: the bytes of each row as they are stored, without the filter byte."""
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlaced)
    data = zlib.compress(b"".join(b"\0" + bytes(row) for row in rows))
    (HERE / name).write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + extra + chunk(b"IDAT", data)
                              + chunk(b"IEND", b""))


np.savez(HERE / "two.npz", a=np.array([1.5, -2.0]), b=np.arange(6).reshape(2, 3))
np.savez_compressed(HERE / "one.npz", c=np.zeros((3, 2)) + 0.25)
np.save(HERE / "columns.npy", np.asfortranarray(np.arange(6.0).reshape(2, 3)))
np.save(HERE / "big_endian.npy", np.array([1.0, 2.0, -3.5], dtype=">f8"))
np.arange(12, dtype="<f4").tofile(HERE / "twelve.raw")

png("grey.png", 3, 2, 8, 0, [[0, 127, 255], [1, 2, 3]])
png("rgb.png", 2, 2, 8, 2, [[255, 0, 0, 0, 255, 0], [0, 0, 255, 9, 8, 7]])
png("palette.png", 4, 1, 2, 3, [[0b00011011]],
    chunk(b"PLTE", bytes([10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120])))
png("bits.png", 10, 1, 1, 0, [[0b10101010, 0b01000000]])
png("alpha.png", 2, 1, 8, 6, [[1, 2, 3, 255, 4, 5, 6, 0]])
png("grey_alpha.png", 2, 1, 8, 4, [[7, 255, 8, 128]])
png("sixteen.png", 1, 1, 16, 0, [[1, 2]])
# Adam7 of 2 x 2: pass 1 holds (0, 0), pass 6 (1, 0) and pass 7 the second row.
png("interlaced.png", 2, 2, 8, 0, [[11], [22], [33, 44]], interlaced=1)
