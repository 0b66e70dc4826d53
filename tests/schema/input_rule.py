#!/usr/bin/env python3
"""input_rule.py DOCUMENT...: recompute weights_checksum and inputs_checksum of measure documents from the text of docs/methodology.md
alone (sections "The input rule" and "The checksum"), in another language than the program's. Small networks: a few 10,000 values."""
import json
import struct
import sys

MASK = 2**64 - 1


def splitmix64(z):
    z = (z + 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def float32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def stored_bits(dtype, value):
    """Bits of a float32 value in memory, zero-extended."""
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    if dtype == "float16":
        return struct.unpack("<H", struct.pack("<e", value))[0]
    if dtype == "bfloat16":
        low, high = bits & 0xFFFF, bits >> 16
        return high + (low > 0x8000 or (low == 0x8000 and high & 1))
    return bits


def checksum(stream, count, bound, dtype, seed):
    total = 0
    for index in range(count):
        place = (stream * 0xD1342543DE82EF95 + index) & MASK
        h = splitmix64(seed ^ splitmix64(place))
        # 24 bits times 24 bits: exact in a Python float, so that float32() is the one rounding
        value = float32(((h >> 40) - 2**23) * 2.0**-23 * bound)
        total += splitmix64((place * 0x9E3779B97F4A7C15 + stored_bits(dtype, value)) & MASK)
    return total & MASK


def main(files):
    bad = 0
    for name in files:
        with open(name, encoding="utf-8") as f:
            document = json.load(f)
        c, verification = document["configuration"], document["verification"]
        dtype, seed, width, hidden = c["dtype"], int(c["seed"]), c["width"], c["hidden"]
        first, second = float32(width**-0.5), float32(hidden**-0.5)
        weights = (checksum(0, hidden * width, first, dtype, seed) + checksum(1, hidden, first, dtype, seed)
                   + checksum(2, width * hidden, second, dtype, seed) + checksum(3, width, second, dtype, seed)) & MASK
        inputs = checksum(4, c["batch"] * c["context"] * width, 1.0, dtype, seed)
        for what, value in (("weights_checksum", weights), ("inputs_checksum", inputs)):
            if verification[what] != f"{value:016x}":
                print(f"{name}: {what}: {verification[what]}, but the text gives {value:016x}")
                bad += 1
    return bad > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
