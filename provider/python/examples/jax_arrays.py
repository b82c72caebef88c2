"""JAX arrays, which do not change once they are made: one is sealed to bytes and opened into a new array, and new arrays
are filled with random numbers."""

import gpuctr
import jax
import numpy

key = gpuctr.Generator().bytes(32)
nonce = (1).to_bytes(12, "big")  # must never be used twice under a key
cipher = gpuctr.Cipher("AES-256-GCM", key)
generator = gpuctr.Generator("AES-256-STREAM")


def opened_like(array, sealed):
    """A JAX array of this shape and type with what was sealed."""
    # JAX takes the memory over without a copy where it can: nothing may write there after from_dlpack().
    memory = numpy.empty(array.shape, array.dtype)
    cipher.open_into(nonce, sealed[:-16], sealed[-16:], memory)  # or gpuctr.InvalidTag
    return jax.dlpack.from_dlpack(memory)


def normal(*shape):
    """A JAX array of normal numbers from a cipher: each call makes new memory."""
    return jax.dlpack.from_dlpack(generator.normal_(numpy.empty(shape, "float32")))


weights = normal(784, 100)
sealed = cipher.seal(nonce, weights)  # the ciphertext, and behind it the tag of 16 bytes
again = opened_like(weights, sealed)
assert isinstance(again, jax.Array) and (again == weights).all()

try:
    generator.normal_(weights)
except gpuctr.ReadOnlyError:
    print(f"{weights.nbytes} bytes of a JAX array sealed and opened; deviation {weights.std():.1f}; no array was changed")
