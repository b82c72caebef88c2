"""The provider: the module, loaded into library contexts of the package's own."""

from __future__ import annotations

import ctypes
import os
import threading
from pathlib import Path
from typing import Mapping, NamedTuple, Optional, Union

from . import _crypto
from .errors import DeviceError, OperationError, ProviderError, UnsupportedError

PROPERTIES = b"provider=gpuctr"
# EVP's numbers of the modes that Cipher takes.
MODES = {1: "ECB", 2: "CBC", 3: "CFB", 4: "OFB", 5: "CTR", 6: "GCM", 7: "CCM", 0x10001: "XTS", 0x10005: "GCM-SIV"}


def module_path() -> str:
    """The module that `Provider()` loads: of the variable GPUCTR_MODULE if it is set, else the package's own."""
    return os.environ.get("GPUCTR_MODULE") or str(Path(__file__).with_name("gpuctr.so"))


def _quoted(text: str) -> str:
    if any(c in text for c in "\n\r\0"):
        raise ProviderError(f"{text!r} has a line end, which OpenSSL's configuration cannot hold")
    return '"' + "".join("\\" + c if c in '\\"' else c for c in text) + '"'


def _configuration(module: str, settings: Mapping[str, str], activates: bool) -> bytes:
    lines = ["openssl_conf = package", "[package]", "providers = of_package", "[of_package]",
             "gpuctr = of_gpuctr", "[of_gpuctr]", f"module = {_quoted(module)}", *(["activate = 1"] if activates else [])]
    return "\n".join([*lines, *(f"{key} = {_quoted(value)}" for key, value in settings.items()), ""]).encode()


class Library:
    """A library context (OSSL_LIB_CTX) with the module in it. It reads no configuration file.

    It stays until the process ends, so that no cipher or generator outlives it; library() makes one for each
    combination of settings.
    """

    def __init__(self, module: str, settings: Mapping[str, str]) -> None:
        self.crypto = _crypto.library()
        # RLock: while it is held, Python may collect a message, whose end wipes device memory and fetches a cipher.
        self._lock = threading.RLock()
        self._fetched: dict[tuple[str, str], int] = {}
        self._has_default = False
        try:
            self.context, self.provider = self._open(module, settings, False)
        except ProviderError as first:
            # A module of another name than gpuctr.so, and OpenSSL 3.0.13: see _configure().
            try:
                self.context, self.provider = self._open(module, settings, True)
            except ProviderError as second:
                elsewhere = "filename(" in str(first) and f"filename({module})" not in str(first)
                raise (second if elsewhere else first) from None

    def _open(self, module: str, settings: Mapping[str, str], activates: bool) -> tuple[int, int]:
        """A library context with the module, and the module in it."""
        self.crypto.ERR_clear_error()
        context: int = self.crypto.OSSL_LIB_CTX_new() or _crypto.fail("no library context", ProviderError)
        try:
            folder, name = os.path.split(os.path.abspath(module))
            if name == "gpuctr.so" and not activates:
                self.crypto.OSSL_PROVIDER_set_default_search_path(context, os.fsencode(folder))
            self._configure(context, _configuration(module, settings, activates))
            return context, self._load(context, "gpuctr", f"the module {module} does not load")
        except BaseException:
            self.crypto.OSSL_LIB_CTX_free(context)
            raise

    def _configure(self, context: int, configuration: bytes) -> None:
        """Gives the context the module's path and settings.

        Without `activate` at first: with it OpenSSL 3.0 drops the reason of a module that does not load. But 3.0.13, of
        Ubuntu 24.04, then forgets the path, and looks for gpuctr.so in the context's folder.
        """
        crypto, line = self.crypto, ctypes.c_long()
        source = crypto.BIO_new_mem_buf(configuration, len(configuration))
        parsed = crypto.NCONF_new_ex(context, None)
        done = (source and parsed and crypto.NCONF_load_bio(parsed, source, ctypes.byref(line)) > 0
                and crypto.CONF_modules_load(parsed, None, 0) > 0)
        crypto.NCONF_free(parsed)
        crypto.BIO_free(source)
        if not done:
            _crypto.fail("the settings of the module were refused", ProviderError)

    def _load(self, context: int, name: str, message: str) -> int:
        provider: int = (self.crypto.OSSL_PROVIDER_load(context, name.encode())
                         or _crypto.fail(message, ProviderError))
        return provider

    def load_default(self) -> None:
        """Loads OpenSSL's default provider, once."""
        with self._lock:
            if not self._has_default:
                self._load(self.context, "default", "OpenSSL's default provider does not load")
                self._has_default = True

    def pbkdf2(self, password: bytes, salt: bytes, iterations: int, size: int) -> bytes:
        """PBKDF2-HMAC-SHA256 by OpenSSL's default provider. Not by hashlib, whose OpenSSL reads openssl.cnf."""
        self.load_default()
        crypto, made = self.crypto, ctypes.create_string_buffer(size)
        crypto.ERR_clear_error()
        kdf = crypto.EVP_KDF_fetch(self.context, b"PBKDF2", b"provider=default")
        context = crypto.EVP_KDF_CTX_new(kdf)
        try:
            values: dict[str, _crypto.Value] = {
                "pass": password, "salt": salt, "iter": iterations, "digest": "SHA256",
                "properties": "provider=default"}
            if not context or crypto.EVP_KDF_derive(context, made, size, _crypto.Params(values).array) != 1:
                _crypto.fail("PBKDF2")
            return made.raw
        finally:
            crypto.EVP_KDF_CTX_free(context)
            crypto.EVP_KDF_free(kdf)
            _crypto.cleanse(ctypes.addressof(made), size)

    def fetch(self, kind: str, name: str, properties: Optional[bytes] = PROPERTIES) -> int:
        """EVP_CIPHER or EVP_RAND, kept by this object."""
        if not name.isascii() or "\0" in name:
            raise UnsupportedError(f"{name!r} is no name of an algorithm")
        with self._lock:
            found = self._fetched.get((kind, name))
            if not found:
                self.crypto.ERR_clear_error()
                found = getattr(self.crypto, f"EVP_{kind}_fetch")(self.context, name.encode(), properties)
                if not found:
                    what, lists = ("cipher", "ciphers") if kind == "CIPHER" else ("generator", "generators")
                    _crypto.fail(f"gpuctr has no {what} {name}: Provider.{lists}() lists them, and "
                                 "Provider(legacy=True) adds the older ciphers", UnsupportedError)
                self._fetched[kind, name] = found
        return found

    def names(self, kind: str) -> list[str]:
        """Names of what the module offers, in the order of its registry."""
        found: list[str] = []
        owner = getattr(self.crypto, f"EVP_{kind}_get0_provider")
        name = getattr(self.crypto, f"EVP_{kind}_get0_name")

        def visit(algorithm: int, _: int) -> None:
            if owner(algorithm) == self.provider:
                found.append(name(algorithm).decode())

        visitor = _crypto.VISITOR(visit)
        getattr(self.crypto, f"EVP_{kind}_do_all_provided")(self.context, visitor, None)
        return sorted(found)


_libraries: dict[tuple[str, ...], Library] = {}
_libraries_lock = threading.RLock()  # as the lock of a Library


def library(module: str, settings: Mapping[str, str]) -> Library:
    """The library context with these settings. Raises ProviderError."""
    key = (module, *(f"{name}={value}" for name, value in sorted(settings.items())))
    with _libraries_lock:
        if key not in _libraries:
            _libraries[key] = Library(module, settings)
        return _libraries[key]


class CipherInfo(NamedTuple):
    """What a cipher takes; lengths in bytes."""

    name: str
    """OpenSSL's first name, such as "LEA-256-GCM"."""
    mode: str
    """"ECB", "CBC", "CFB" (also of CFB8 and CFB1), "OFB", "CTR", "GCM", "CCM" or "GCM-SIV"."""
    key_length: int
    """The usual length of the key: BF and CAST5 take others as well, and THREEFISH-1024, for which OpenSSL has 64,
    128."""
    iv_length: int
    """Length of the IV in CTR and CBC; the usual one of a nonce in GCM, CCM and GCM-SIV (12); 0 in ECB."""
    block_size: int
    """Data is a multiple of so many bytes, or is padded to it: 1 in CTR, GCM, CCM and GCM-SIV."""


class Provider:
    """The module with its settings, in library contexts of the package's own.

    No openssl.cnf is read, and what the rest of the process uses of OpenSSL stays as it is. Ciphers and generators
    without a `provider` share one `Provider()`.

    `module` is the path of gpuctr.so; without it, that of the environment variable GPUCTR_MODULE, else the one inside
    the package. The other arguments are the keys of gpuctr(7), CONFIGURATION, for example
    `Provider(cpu="avx2", gpu="off", threads=4)`. `legacy=True` adds the ciphers for old data.

    Raises `ProviderError` if there is no libcrypto of OpenSSL 3 or later, if the module does not load, or if it refuses
    a setting. The module stays loaded until the process ends; providers with the same arguments share it. Any number of
    threads may use a provider at the same time.
    """

    def __init__(self, module: Optional[Union[str, os.PathLike[str]]] = None, *, legacy: bool = False,
                 cpu: Optional[str] = None, gpu: Optional[str] = None, gpu_threshold: Union[int, str, None] = None,
                 gpus: Union[int, str, None] = None, read_ahead: Union[int, str, None] = None,
                 threads: Union[int, str, None] = None, pinned_memory: Union[int, str, None] = None) -> None:
        given = {"cpu": cpu, "gpu": gpu, "gpu-threshold": gpu_threshold, "gpus": gpus, "read-ahead": read_ahead,
                 "threads": threads, "pinned-memory": pinned_memory}
        self.module = os.path.abspath(os.fspath(module) if module is not None else module_path())
        self._settings = {key: str(value) for key, value in given.items() if value is not None}
        self._settings["legacy"] = "yes" if legacy else "no"
        self._library = library(self.module, {**self._settings, "gpu-pointers": "no"})
        self._has_device_in = 0

    def _for(self, on_device: bool) -> Library:
        """The library context for ordinary memory or for device memory.

        Device memory has one of its own: there the module asks CUDA about every pointer, which starts CUDA.
        """
        if not on_device:
            return self._library
        if self._has_device_in != os.getpid():
            self._need_device()
            self._has_device_in = os.getpid()  # a forked child cannot use the devices of its parent
        return library(self.module, {**self._settings, "gpu-pointers": "yes"})

    def _need_device(self) -> None:
        """Raises DeviceError unless a device does some work.

        A module that cannot use CUDA takes every address for ordinary memory: the process would die of reading it.
        """
        from ._context import Context

        if self._settings.get("gpu") == "off":
            raise DeviceError("the array is in device memory, and this provider has gpu = off")
        probe = library(self.module, {**self._settings, "gpu": "require", "gpu-threshold": "1"})
        data = (ctypes.c_char * 65536)()
        with Context(probe, next(name for name in self.ciphers() if name.endswith("-CTR"))) as context:
            info = self.cipher_info(context.name)
            context.init(bytes(range(info.key_length)), info.key_length, bytes(info.iv_length), True)
            try:
                context.update(ctypes.addressof(data), ctypes.addressof(data), len(data))
            except OperationError as error:
                raise DeviceError("the array is in device memory, and the module can use no device here",
                                  error.reasons) from None

    def ciphers(self) -> list[str]:
        """Names of all ciphers with their modes, such as "LEA-256-GCM", that Cipher takes: not those that wrap keys."""
        library = self._library
        mode_of = library.crypto.EVP_CIPHER_get_mode
        return [name for name in library.names("CIPHER") if mode_of(library.fetch("CIPHER", name)) in MODES]

    def generators(self) -> list[str]:
        """Names of all random generators, such as "LEA-256-CTR-DRBG"."""
        return self._library.names("RAND")

    def cipher_info(self, name: str) -> CipherInfo:
        """What a cipher takes. Raises `UnsupportedError` if there is none of this name."""
        crypto, cipher = self._library.crypto, self._library.fetch("CIPHER", name)
        mode = MODES.get(crypto.EVP_CIPHER_get_mode(cipher))
        if mode is None:
            raise UnsupportedError(f"{name}: Cipher does not take this mode")
        iv_length = 12 if mode == "CCM" else crypto.EVP_CIPHER_get_iv_length(cipher)
        return CipherInfo(crypto.EVP_CIPHER_get0_name(cipher).decode(), mode, crypto.EVP_CIPHER_get_key_length(cipher),
                          iv_length, crypto.EVP_CIPHER_get_block_size(cipher))

    def self_test(self) -> None:
        """Runs the known answers of all ciphers again. Raises `OperationError` if one is wrong."""
        crypto = self._library.crypto
        crypto.ERR_clear_error()
        if crypto.OSSL_PROVIDER_self_test(self._library.provider) != 1:
            _crypto.fail("the self-test failed", OperationError)

    @property
    def version(self) -> str:
        """Version of the module."""
        return self._text("version")

    @property
    def openssl_version(self) -> str:
        """Version of the libcrypto that is used."""
        return str(self._library.crypto.OpenSSL_version(0).decode())

    @property
    def counters(self) -> dict[str, int]:
        """Bytes of keystream made by the CPU ("cpu-bytes") and devices ("gpu-bytes") in this process, and pieces of
        work that the CPU did for a device ("gpu-fallbacks")."""
        return {name: self._number(name) for name in ("cpu-bytes", "gpu-bytes", "gpu-fallbacks")}

    @property
    def gpu_failure(self) -> str:
        """Where and why work of a device last fell back to the CPU; else empty."""
        return self._text("gpu-failure")

    def _number(self, name: str) -> int:
        return self._asked(_crypto.Params({name: 0})).number()

    def _text(self, name: str) -> str:
        return self._asked(_crypto.Params({name: " " * 256})).text()

    def _asked(self, asked: _crypto.Params) -> _crypto.Params:
        crypto = self._library.crypto
        crypto.ERR_clear_error()
        if crypto.OSSL_PROVIDER_get_params(self._library.provider, asked.array) != 1:
            _crypto.fail("a parameter of the provider was refused")
        return asked

    def __repr__(self) -> str:
        return f"<gpuctr.Provider {self.module}>"


_default: Optional[Provider] = None
_default_lock = threading.Lock()


def default_provider() -> Provider:
    """The provider of ciphers and generators that name none. It is made at the first call. Raises `ProviderError`."""
    global _default
    with _default_lock:
        if _default is None:
            _default = Provider()
        return _default
