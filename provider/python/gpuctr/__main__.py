"""python -m gpuctr: what is loaded, a check, the list of ciphers, and files."""

from __future__ import annotations

import argparse
import binascii
import sys
from typing import Optional, Sequence

from .cipher import Cipher
from .errors import ArgumentError, Error, OperationError
from .files import (ITERATIONS, decrypt_file, decrypt_file_with_password, encrypt_file, encrypt_file_with_password)
from .generator import Generator
from .provider import Provider


def _info(provider: Provider) -> None:
    backend = Cipher("AES-128-CTR", bytes(16), provider=provider).backend() \
        if "AES-128-CTR" in provider.ciphers() else "no AES in this module"
    rows = {"gpuctr": provider.version, "module": provider.module, "libcrypto": provider.openssl_version,
            "CPU backend": backend, "ciphers": str(len(provider.ciphers())),
            "generators": str(len(provider.generators()))}
    for name, value in rows.items():
        print(f"{name + ':':<13}{value}")


def _list(provider: Provider) -> None:
    print(f"{'name':<20} {'mode':<4} {'key':>4} {'IV':>3} {'block':>5}")
    for name in provider.ciphers():
        info = provider.cipher_info(name)
        print(f"{name:<20} {info.mode:<4} {info.key_length:>4} {info.iv_length:>3} {info.block_size:>5}")
    for name in provider.generators():
        print(name)


def _check(provider: Provider) -> None:
    """Known answers, then a message there and back by each cipher and bytes from each generator."""
    provider.self_test()
    text = bytes(range(256)) * 5
    for name in provider.ciphers():
        info = provider.cipher_info(name)
        key = bytes(range(128 if info.name.startswith("THREEFISH-1024") else info.key_length))
        with Cipher(name, key, provider=provider) as cipher:
            iv = bytes(info.iv_length) or None
            if cipher.is_aead:
                good = cipher.open(iv or b"", cipher.seal(iv or b"", text)) == text
            else:
                good = cipher.decrypt(iv, cipher.encrypt(iv, text)) == text
        if not good:
            raise OperationError(f"{name} does not decrypt what it encrypted")
    for name in provider.generators():
        if Generator(name, provider=provider).bytes(32) == Generator(name, provider=provider).bytes(32):
            raise OperationError(f"{name} gives the same bytes twice")
    print(f"{len(provider.ciphers())} ciphers and {len(provider.generators())} generators work")


def _from_hex(text: str, what: str) -> bytes:
    try:
        return binascii.unhexlify(text.strip())
    except (ValueError, binascii.Error):
        raise ArgumentError(f"{what} is hexadecimal digits, two a byte") from None


def _crypt(words: argparse.Namespace, provider: Provider) -> None:
    iv = None if words.iv is None else _from_hex(words.iv, "--iv")
    encrypt = words.command == "encrypt"
    if words.password_file is not None:
        if iv is not None:
            raise ArgumentError("--iv goes with --key-file: a password makes the IV too")
        with open(words.password_file, "rb") as file:
            password = file.readline().rstrip(b"\r\n")
        call = encrypt_file_with_password if encrypt else decrypt_file_with_password
        call(words.cipher, password, words.source, words.target, iterations=words.iterations, provider=provider)
        return
    with open(words.key_file, encoding="ascii", errors="replace") as text:
        key = _from_hex(text.read(), f"the key in {words.key_file}")
    with Cipher(words.cipher, key, provider=provider) as cipher:
        if not encrypt:
            if iv is None and cipher.mode in ("CTR", "CBC", "CFB", "OFB"):
                raise ArgumentError(f"{cipher.name}: decryption needs --iv")
            decrypt_file(cipher, words.source, words.target, iv=iv)
            return
        made = encrypt_file(cipher, words.source, words.target, iv=iv)
        if made is not None and iv is None and not cipher.is_aead:
            print(f"iv: {made.hex()}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m gpuctr", description="Ciphers of the OpenSSL provider gpuctr.")
    parser.add_argument("--legacy", action="store_true", help="with the ciphers for old data")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    commands.add_parser("info", help="what is loaded (the default)")
    commands.add_parser("list", help="ciphers and generators; lengths in bytes")
    commands.add_parser("check", help="known answers, and every cipher there and back")
    for name in ("encrypt", "decrypt"):
        command = commands.add_parser(name, help=f"{name} a file")
        command.add_argument("source", metavar="IN")
        command.add_argument("target", metavar="OUT")
        command.add_argument("--cipher", default="AES-256-GCM", help="by default AES-256-GCM")
        command.add_argument("--iv", help="hexadecimal, CTR and CBC; encryption without it makes and prints one")
        command.add_argument("--iterations", type=int, default=ITERATIONS, help="of PBKDF2; by default 10000")
        secret = command.add_mutually_exclusive_group(required=True)
        secret.add_argument("--key-file", help="a file with the key in hexadecimal")
        secret.add_argument("--password-file", help="a file whose first line is a password, as of openssl enc -pbkdf2")
    return parser


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Returns the exit status: 0, or 1 after an error, which is one line on standard error."""
    words = _parser().parse_args(arguments)
    try:
        provider = Provider(legacy=words.legacy)
        if words.command in ("encrypt", "decrypt"):
            _crypt(words, provider)
        else:
            {"list": _list, "check": _check}.get(words.command, _info)(provider)
    except (Error, OSError) as error:
        print(f"gpuctr: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
