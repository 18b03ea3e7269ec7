"""Reads PNG files of 8-bit grey or RGB without interlacing, to judge what the project reads and writes."""
import struct
import zlib

import numpy as np


def _paeth(left, up, corner):
    guess = left + up - corner
    near = [(abs(guess - left), left), (abs(guess - up), up), (abs(guess - corner), corner)]
    return min(near, key=lambda pair: pair[0])[1]


def _unfilter(kind, line, above, channels):
    """One line of bytes from its filtered form, by the five filters of the PNG standard."""
    out = []
    for x, byte in enumerate(line):
        left = out[x - channels] if x >= channels else 0
        corner = above[x - channels] if x >= channels else 0
        up = above[x]
        out.append((byte + (0, left, up, (left + up) // 2, _paeth(left, up, corner))[kind]) & 255)
    return out


def read_png(path):
    """The picture as u8[h, w] or u8[h, w, 3]. Checksums are tested."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", f"{path} is no PNG"
    at, body = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        chunk = data[at + 8:at + 8 + size]
        assert zlib.crc32(kind + chunk) == struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0], kind
        if kind == b"IHDR":
            width, height, depth, color, _, _, interlaced = struct.unpack(">IIBBBBB", chunk)
            assert depth == 8 and color in (0, 2) and not interlaced
        elif kind == b"IDAT":
            body += chunk
        at += 12 + size
    channels = 1 if color == 0 else 3
    raw, step = zlib.decompress(body), 1 + width * channels
    lines, above = [], [0] * (step - 1)
    for y in range(height):
        above = _unfilter(raw[y * step], raw[y * step + 1:(y + 1) * step], above, channels)
        lines.append(above)
    picture = np.array(lines, dtype=np.uint8)
    return picture if channels == 1 else picture.reshape(height, width, 3)
