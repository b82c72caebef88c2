"""numpy arrays sealed in place: the arrays' memory becomes the ciphertext, and the tags are kept apart."""

import gpuctr
import numpy

key = gpuctr.Generator().bytes(32)
cipher = gpuctr.Cipher("LEA-256-GCM", key)
weights = [numpy.full((1000, 1000), n, dtype="float32") for n in range(3)]

# A nonce must never be used twice under a key: here it is the number of the array.
tags = [cipher.seal_into(n.to_bytes(12, "big"), array) for n, array in enumerate(weights)]
assert not (weights[1] == 1).all()

for n, (array, tag) in enumerate(zip(weights, tags)):
    cipher.open_into(n.to_bytes(12, "big"), array, tag)
assert (weights[1] == 1).all()

# Any change is found; the array is then zeros.
tag = cipher.seal_into((3).to_bytes(12, "big"), weights[1])
weights[1].view("uint8")[500, 0] ^= 1
try:
    cipher.open_into((3).to_bytes(12, "big"), weights[1], tag)
except gpuctr.InvalidTag as error:
    print(f"refused: {error}; the array has {numpy.count_nonzero(weights[1])} elements that are not 0")
