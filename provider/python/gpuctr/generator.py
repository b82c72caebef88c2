"""Random numbers by EVP_RAND."""

from __future__ import annotations

import functools
import threading
import weakref
from typing import TYPE_CHECKING, Any, Optional, TypeVar, Union, overload

from . import _crypto
from .errors import ArgumentError, ArrayTypeError, OperationError, UnsupportedError
from .memory import Memory, new_bytes, view
from .provider import Library, Provider, default_provider

if TYPE_CHECKING:
    import numpy

PIECE = 1 << 30  # the module's largest request
Buffer = TypeVar("Buffer")
Bytes = bytes  # the type, where a method has its name
Size = Union[int, tuple[int, ...], None]
TYPES = ("float32", "float64", "float16", "bfloat16", "int32", "int64", "uint8")


@functools.lru_cache(maxsize=64)
def _name_of(dtype: Any) -> str:
    """numpy's and torch's names of types, without the module."""
    return str(dtype).rpartition(".")[2]


def _free(crypto: Any, contexts: list[int]) -> None:
    for context in reversed(contexts):
        crypto.EVP_RAND_CTX_free(context)


class Generator:
    """A random generator of gpuctr: the CTR_DRBG construction of SP 800-90A over a block cipher, or a stream generator.

    A stream generator ("AES-256-STREAM") uses a new key for each request. It also makes random(), uniform(), normal(),
    bernoulli() and permutation(), and integers() faster, at the speed of the cipher.

    Arguments:
        name: name of the generator; `Provider.generators()` lists them.
        personalization: bytes that make this instance differ from others; not secret; a stream generator ignores them.
        seed: for tests and numbers that must be made again, not for secrets: the entropy, as many bytes as the strength
            has (32 for a cipher of 256 bits) or more; of a stream generator the key. Two generators with one name, seed,
            nonce and personalization give the same numbers. Without a seed, entropy comes from the operating system.
        nonce: with a seed only, and not for a stream generator: by default half as many zeros as the strength has bytes.
        prediction_resistance: fresh entropy before every request.
        strength: bits of security that are needed; more than the cipher has is refused.
        provider: by default one that all generators share.

    Generators without a seed notice a fork and reseed; a child gets other numbers than its parent.

    Threads: any number of threads may use one object; requests run one after another. With a seed, use one thread: else
    it is not determined which thread gets which numbers.

    Every method raises a subclass of `gpuctr.Error`. If it fails after it began to write, the output is zeroed.
    """

    def __init__(self, name: str = "AES-256-CTR-DRBG", *, personalization: bytes = b"", seed: Optional[bytes] = None,
                 nonce: Optional[bytes] = None, prediction_resistance: bool = False, strength: int = 0,
                 provider: Optional[Provider] = None) -> None:
        if nonce is not None and seed is None:
            raise ArgumentError("a nonce comes with a seed; without a seed the system gives both")
        self._provider = provider if provider is not None else default_provider()
        library = self._provider._for(False)
        self._name = str(library.crypto.EVP_RAND_get0_name(library.fetch("RAND", name)).decode())
        self._options = (personalization, seed, nonce, prediction_resistance, strength)
        self._prediction_resistance = int(prediction_resistance)
        self._seeded = seed is not None
        self._is_stream = self._name.endswith("-STREAM")
        if self._is_stream and nonce is not None:
            raise ArgumentError(f"{self._name}: a stream generator has no nonce")
        self._lock, self._numbers_lock = threading.Lock(), threading.RLock()
        self._makes: dict[int, dict[str, _crypto.Value]] = {}
        self._calls = 0
        self._library, self._context = library, self._make(library)
        self._on_device: Optional[int] = None

    def _make(self, library: Library) -> int:
        """An instantiated EVP_RAND_CTX."""
        personalization, seed, nonce, resistance, strength = self._options
        crypto, contexts = library.crypto, list[int]()
        weakref.finalize(self, _free, crypto, contexts).atexit = False
        crypto.ERR_clear_error()
        parent = None if seed is None or self._is_stream else self._source(library, contexts, seed, nonce)
        context: int = (crypto.EVP_RAND_CTX_new(library.fetch("RAND", self._name), parent)
                        or _crypto.fail(f"{self._name}: no generator"))
        contexts.append(context)
        if crypto.EVP_RAND_enable_locking(context) != 1:
            _crypto.fail(f"{self._name}: no lock")
        # As OpenSSL's own public generator reseeds; a seeded one does not reseed by itself.
        values: dict[str, _crypto.Value] = {"reseed_requests": 1 << 16, "reseed_time_interval": 7 * 60}
        if seed is not None:
            values = {"reseed_requests": 0, "reseed_time_interval": 0}
        if self._is_stream:
            values = {} if seed is None else {"seed": bytes(seed)}
        parameters = _crypto.Params(values).array if values else None
        if crypto.EVP_RAND_instantiate(context, strength, int(resistance), personalization, len(personalization),
                                       parameters) != 1:
            _crypto.fail(f"{self._name}: it cannot be instantiated")
        return context

    def _source(self, library: Library, contexts: list[int], seed: bytes, nonce: Optional[bytes]) -> int:
        """TEST-RAND of OpenSSL's default provider, which gives the seed as entropy."""
        crypto = library.crypto
        library.load_default()
        source: int = (crypto.EVP_RAND_CTX_new(library.fetch("RAND", "TEST-RAND", b"provider=default"), None)
                       or _crypto.fail("no source of a seed"))
        contexts.append(source)
        # The nonce is half as long as the strength. 16 bytes are enough for every generator.
        parameters = _crypto.Params({"strength": 256, "test_entropy": bytes(seed),
                                     "test_nonce": bytes(16) if nonce is None else bytes(nonce)})
        if crypto.EVP_RAND_instantiate(source, 0, 0, None, 0, parameters.array) != 1:
            _crypto.fail("the seed is refused")
        return source

    @property
    def name(self) -> str:
        """OpenSSL's name of the generator."""
        return self._name

    @property
    def strength(self) -> int:
        """Bits of security."""
        return self._number("strength")

    @property
    def max_request(self) -> int:
        """The most bytes of one EVP_RAND request; bytes() and fill() make as many requests as they need."""
        return self._number("max_request")

    @property
    def reseed_counter(self) -> int:
        """How often the generator was seeded."""
        return self._number("reseed_counter")

    def bytes(self, size: int) -> bytes:
        """`size` random bytes."""
        if size < 0:
            raise ArgumentError(f"{size} bytes")
        made, address = new_bytes(size)
        self._generate(self._context, Memory(address, size, made))
        return made

    def fill(self, out: Buffer, *, additional: Bytes = b"") -> Buffer:
        """Fills a buffer, array or tensor, in ordinary or in device memory, with random bytes, and returns it.

        All bit patterns are equally likely: floating-point arrays get NaN and infinities too. `additional` is the
        additional input of the first request.
        """
        with view(out, "out", writable=True) as memory:
            context = self._context
            if memory.on_device:
                context = self._device_context()
            self._generate(context, memory, additional)
        return out

    @overload
    def integers(self, low: int, high: Optional[int] = None, size: None = None, dtype: Any = None,
                 endpoint: bool = False) -> int: ...

    @overload
    def integers(self, low: int, high: Optional[int], size: Union[int, tuple[int, ...]], dtype: Any = None,
                 endpoint: bool = False) -> numpy.ndarray[Any, Any]: ...

    def integers(self, low: int, high: Optional[int] = None, size: Union[int, tuple[int, ...], None] = None,
                 dtype: Any = None, endpoint: bool = False) -> Any:
        """Integers from `low` (included) to `high` (not included, unless `endpoint`), each equally likely.

        As numpy's Generator.integers: with one bound, from 0 to it. Without `size`, one int of any magnitude. With it,
        a numpy array of that shape, of type `dtype` (int64 by default), which needs numpy. There is no bias: numbers
        out of the range are drawn again, so the time depends on the numbers drawn.
        """
        if high is None:
            low, high = 0, low
        count = high - low + bool(endpoint)
        if count <= 0:
            raise ArgumentError(f"there is no integer from {low} to {high}")
        if size is None:
            return low + self._below(count)
        import numpy

        kind = numpy.dtype(numpy.int64 if dtype is None else dtype)
        if kind.kind not in "iu":
            raise ArgumentError(f"{kind} is no type of integers")
        range_of = numpy.iinfo(kind)
        if low < range_of.min or low + count - 1 > range_of.max:
            raise ArgumentError(f"{low} to {low + count - 1} is more than {kind} holds")
        shape = (size,) if isinstance(size, int) else tuple(size)
        total = 1
        for length in shape:
            total *= length
        if self._is_stream and kind.name in ("int32", "int64", "uint8"):
            whole = numpy.empty(shape, kind)
            self._numbers(whole, "integers", low=low, high=low + count)
            return whole
        made = self._words_below(numpy, count, total)
        # Modulo 2^64, which the last conversion takes to the signed range.
        made += numpy.uint64(low % (1 << 64))
        return (made.view(numpy.int64) if kind.kind == "i" else made).astype(kind).reshape(shape)

    def random(self, size: Size = None, dtype: Any = "float64", out: Any = None) -> Any:
        """Uniform numbers x, 0 <= x < 1, as numpy's Generator.random: a float, or an array of that shape, or `out`."""
        return self._made("uniform", size, dtype, out, low=0.0, high=1.0)

    def uniform(self, low: float = 0.0, high: float = 1.0, size: Size = None, dtype: Any = "float64") -> Any:
        """Uniform numbers x, low <= x < high."""
        return self._made("uniform", size, dtype, None, low=float(low), high=float(high))

    def normal(self, loc: float = 0.0, scale: float = 1.0, size: Size = None, dtype: Any = "float64") -> Any:
        """Normal numbers with this mean and standard deviation. float32 reaches 6.7 standard deviations, float64 9.4."""
        return self._made("normal", size, dtype, None, mean=float(loc), stddev=float(scale))

    def standard_normal(self, size: Size = None, dtype: Any = "float64", out: Any = None) -> Any:
        """Normal numbers with mean 0 and standard deviation 1, as numpy's Generator.standard_normal."""
        return self._made("normal", size, dtype, out, mean=0.0, stddev=1.0)

    def bernoulli(self, p: float = 0.5, size: Size = None, dtype: Any = "bool") -> Any:
        """1 with the probability p, else 0."""
        return self._made("bernoulli", size, dtype, None, p=float(p))

    def permutation(self, x: Any) -> Any:
        """The numbers below x, or the rows of the numpy array x, in random order; each order is equally likely."""
        import numpy

        rows = numpy.arange(x) if isinstance(x, int) else numpy.asarray(x)
        keys = numpy.empty(len(rows), numpy.uint64)
        while True:  # sorting by random keys has no bias where no two keys are alike
            if len(rows) != 0:
                self.fill(keys)
            order = numpy.argsort(keys)
            if not (keys[order][1:] == keys[order][:-1]).any():
                return rows[order]

    def normal_(self, out: Buffer, mean: float = 0.0, std: float = 1.0) -> Buffer:
        """Overwrites an array or tensor of float32, float64, float16 or bfloat16 with normal numbers; returns it."""
        return self._numbers(out, "normal", mean=float(mean), stddev=float(std))

    def uniform_(self, out: Buffer, low: float = 0.0, high: float = 1.0) -> Buffer:
        """Overwrites an array or tensor of floating-point numbers with uniform numbers x, low <= x < high."""
        return self._numbers(out, "uniform", low=float(low), high=float(high))

    def integers_(self, out: Buffer, low: int, high: int) -> Buffer:
        """Overwrites an array or tensor of int32, int64 or uint8 with integers x, low <= x < high."""
        return self._numbers(out, "integers", low=low, high=high)

    def bernoulli_(self, out: Buffer, p: float = 0.5) -> Buffer:
        """Overwrites an array or tensor with 1 with the probability p, else 0."""
        return self._numbers(out, "bernoulli", p=float(p))

    def reseed(self, entropy: Bytes = b"", *, additional: Bytes = b"", prediction_resistance: bool = False) -> None:
        """Seeds the generator anew, from its source and also from `entropy`, which has a length that the generator
        takes."""
        crypto = self._library.crypto
        for context in filter(None, (self._context, self._on_device)):
            crypto.ERR_clear_error()
            if crypto.EVP_RAND_reseed(context, int(prediction_resistance), entropy or None, len(entropy),
                                      additional or None, len(additional)) != 1:
                _crypto.fail(f"{self._name}: no new seed")

    def __reduce__(self) -> Any:
        raise TypeError("a Generator is not pickled: two copies would give the same numbers. Make one in each process")

    def __repr__(self) -> str:
        return f"<gpuctr.Generator {self._name}>"

    def _device_context(self) -> int:
        """A second generator, in the library context that knows device memory."""
        if self._seeded and not self._is_stream:
            raise ArgumentError(f"{self._name}: a generator with a seed fills ordinary memory only")
        with self._lock:
            if self._on_device is None:
                self._on_device = self._make(self._provider._for(True))
            return self._on_device

    def _made(self, kind: str, size: Size, dtype: Any, out: Any, **values: _crypto.Value) -> Any:
        """A float, an array of shape `size`, or `out`."""
        if out is not None:
            if size is not None and tuple(out.shape) != ((size,) if isinstance(size, int) else tuple(size)):
                raise ArgumentError(f"out has the shape {tuple(out.shape)}, and size is {size}")
            return self._numbers(out, kind, **values)
        import numpy

        made = numpy.empty(() if size is None else size, dtype)
        if made.size != 0:
            self._numbers(made, kind, **values)
        return made if size is not None else made.item()

    def _numbers(self, out: Buffer, kind: str, **values: _crypto.Value) -> Buffer:
        """Overwrites `out` with numbers of a distribution."""
        if not self._is_stream:
            raise UnsupportedError(f"{self._name}: only stream generators, such as AES-256-STREAM, make {kind} numbers")
        dtype = _name_of(getattr(out, "dtype", ""))
        dtype = "uint8" if dtype == "bool" and kind == "bernoulli" else dtype
        if dtype not in TYPES:
            raise ArrayTypeError(f"out: {kind} numbers go into an array of {', '.join(TYPES)}, not of "
                                 f"{dtype or type(out).__name__}")
        with view(out, "out", writable=True) as memory, self._numbers_lock:
            context = self._device_context() if memory.on_device else self._context
            self._set(context, {"output": kind, "type": dtype, **values})
            self._generate_now(context, memory, b"")
        return out

    def _set(self, context: int, values: dict[str, _crypto.Value]) -> None:
        """Sets what the context makes. Repeated settings, as of a training loop, cost nothing."""
        if self._seeded:  # one sequence, whichever context makes the next part
            values = {**values, "call": self._calls}
        if self._makes.get(context) == values:
            return
        self._makes.pop(context, None)
        crypto, parameters = self._library.crypto, _crypto.Params(values)
        crypto.ERR_clear_error()
        if crypto.EVP_RAND_CTX_set_params(context, parameters.array) != 1:
            _crypto.fail(f"{self._name}: no such numbers", ArgumentError)
        self._makes[context] = values

    def _number(self, name: str) -> int:
        asked = _crypto.Params({name: 0})
        self._library.crypto.ERR_clear_error()
        if self._library.crypto.EVP_RAND_CTX_get_params(self._context, asked.array) != 1:
            _crypto.fail(f"{self._name}: {name}")
        return asked.number()

    def _generate(self, context: int, out: Memory, additional: Bytes = b"") -> None:
        if self._is_stream:  # between the calls of _numbers() the context makes other numbers than bytes
            with self._numbers_lock:
                self._set(context, {"output": "bytes"})
                self._generate_now(context, out, additional)
        else:
            self._generate_now(context, out, additional)

    def _generate_now(self, context: int, out: Memory, additional: Bytes) -> None:
        crypto, size = self._library.crypto, out.size
        crypto.ERR_clear_error()
        for at in range(0, size, PIECE):
            piece, resistance = min(PIECE, size - at), self._prediction_resistance
            if crypto.EVP_RAND_generate(context, out.address + at, piece, 0, resistance, additional or None,
                                        len(additional)) != 1:
                error = OperationError(f"{self._name}: no random bytes", _crypto.reasons())
                if at > 0 and not out.on_device:
                    _crypto.cleanse(out.address, size)
                raise error
            additional = b""
            self._calls += 1

    def _below(self, count: int) -> int:
        bits = (count - 1).bit_length()
        while True:
            drawn = int.from_bytes(self.bytes((bits + 7) // 8), "little") & ((1 << bits) - 1)
            if drawn < count:
                return drawn

    def _words_below(self, numpy: Any, count: int, total: int) -> Any:
        """`total` words of 64 bits below `count`."""
        made = numpy.empty(total, numpy.uint64)
        if total == 0:
            return made
        mask = numpy.uint64((1 << (count - 1).bit_length()) - 1)
        self.fill(made)
        made &= mask
        if count & (count - 1) == 0:
            return made
        wrong = numpy.flatnonzero(made >= numpy.uint64(count))
        while wrong.size:
            again = numpy.empty(wrong.size, numpy.uint64)
            self.fill(again)
            again &= mask
            made[wrong] = again
            wrong = wrong[again >= numpy.uint64(count)]
        return made
