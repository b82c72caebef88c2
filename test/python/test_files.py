"""Files and `python -m gpuctr`; the openssl command is the peer."""

import os
import pathlib
import stat
import subprocess
import sys

import gpuctr
import gpuctr.__main__
import gpuctr.files
import pytest

KEY, IV = bytes(range(32)), bytes(range(16))
PEER = {**os.environ, "OPENSSL_CONF": "/dev/null"}


def openssl(*words, data=None):
    """`openssl enc` with the module beside the default provider."""
    module = pathlib.Path(os.environ["GPUCTR_MODULE"])
    command = ["openssl", "enc", *words, "-provider-path", str(module.parent), "-provider", module.stem, "-provider",
               "default"]
    return subprocess.run(command, input=data, capture_output=True, check=True, env=PEER).stdout


def command(*words):
    """Exit status of `python -m gpuctr`, here and not in a process of its own."""
    return gpuctr.__main__.main([str(word) for word in words])


@pytest.fixture(params=[0, 1, 16, 100003])
def plain(request, tmp_path, monkeypatch):
    monkeypatch.setattr(gpuctr.files, "_PIECE", 4096)
    (tmp_path / "plain").write_bytes(os.urandom(request.param))
    (tmp_path / "key").write_text(KEY.hex() + "\n")
    (tmp_path / "password").write_text("correct horse\nmore\n")
    return tmp_path / "plain"


@pytest.mark.parametrize("name", ["LEA-256-CTR", "LEA-256-CBC", "LEA-256-CFB8", "LEA-256-OFB", "LEA-256-ECB", "LEA-256-GCM", "LEA-256-CCM"])
def test_keys(plain, name):
    cipher, sealed, again = gpuctr.Cipher(name, KEY), plain.with_name("sealed"), plain.with_name("again")
    iv = gpuctr.encrypt_file(cipher, plain, sealed)
    if cipher.is_aead:
        assert cipher.open(iv, sealed.read_bytes()[12:]) == plain.read_bytes() and sealed.read_bytes()[:12] == iv
        gpuctr.decrypt_file(cipher, sealed, again)
    else:
        assert (iv is None) == (name == "LEA-256-ECB")
        words = ["-" + name.lower(), "-K", KEY.hex(), *(["-iv", iv.hex()] if iv else [])]
        assert openssl(*words, "-d", "-in", sealed) == plain.read_bytes()
        assert openssl(*words, "-in", plain) == sealed.read_bytes()
        gpuctr.decrypt_file(cipher, sealed, again, iv=iv)
    assert again.read_bytes() == plain.read_bytes()
    assert stat.S_IMODE(again.stat().st_mode) == 0o600
    assert sorted(p.name for p in plain.parent.iterdir()) == ["again", "key", "password", "plain", "sealed"]


@pytest.mark.parametrize("name", ["LEA-256-CTR", "LEA-256-CBC", "LEA-256-GCM", "HIGHT-CTR"])
def test_passwords(plain, name):
    sealed, again, words = plain.with_name("sealed"), plain.with_name("again"), ["--cipher", name]
    password = plain.with_name("password")
    assert command("encrypt", plain, sealed, *words, "--password-file", password) == 0
    if not name.endswith("GCM"):
        peer = ["-" + name.lower(), "-pbkdf2", "-pass", f"file:{password}"]
        assert openssl(*peer, "-d", "-in", sealed) == plain.read_bytes()
        sealed.write_bytes(openssl(*peer, "-iter", "777", "-in", plain))
        words += ["--iterations", "777"]
    assert command("decrypt", sealed, again, *words, "--password-file", password) == 0
    assert again.read_bytes() == plain.read_bytes()


@pytest.mark.parametrize("name", ["LEA-256-GCM", "LEA-256-CCM"])
def test_a_wrong_tag_leaves_no_file(plain, name, monkeypatch):
    cipher, sealed, again = gpuctr.Cipher(name, KEY), plain.with_name("sealed"), plain.with_name("again")
    gpuctr.encrypt_file(cipher, plain, sealed)
    whole, removed = sealed.read_bytes(), []
    unlink = os.unlink

    def look_first(path, **options):
        removed.append(pathlib.Path(path).read_bytes())
        unlink(path, **options)

    monkeypatch.setattr(gpuctr.files.os, "unlink", look_first)
    again.write_bytes(b"before")
    for changed in (whole[:-1] + bytes([whole[-1] ^ 1]), bytes([whole[0] ^ 1]) + whole[1:], whole + b"x"):
        sealed.write_bytes(changed)
        with pytest.raises(gpuctr.InvalidTag):
            gpuctr.decrypt_file(cipher, sealed, again)
        assert not any(removed.pop()) and not removed
    for size in (0, 11, 12, 27):
        sealed.write_bytes(whole[:size])
        with pytest.raises((gpuctr.ArgumentError, gpuctr.InvalidTag)):
            gpuctr.decrypt_file(cipher, sealed, again)
    assert again.read_bytes() == b"before"
    assert sorted(p.name for p in plain.parent.iterdir()) == ["again", "key", "password", "plain", "sealed"]


def test_the_command(tmp_path, capsys):
    for words, said in ((["info"], "CPU backend: "), ([], "libcrypto: "), (["list"], "LEA-256-GCM"),
                        (["--legacy", "list"], "DES-EDE3-CBC"), (["--legacy", "check"], " ciphers and ")):
        assert command(*words) == 0
        assert said in capsys.readouterr().out
    plain, key = tmp_path / "plain", tmp_path / "key"
    plain.write_bytes(b"text")
    key.write_text(KEY.hex())
    assert command("encrypt", plain, tmp_path / "sealed", "--cipher", "AES-256-CTR", "--key-file", key) == 0
    iv = capsys.readouterr().out.split()[1]
    base = ["decrypt", tmp_path / "sealed", tmp_path / "again", "--key-file", key]
    assert command(*base, "--cipher", "AES-256-CTR", "--iv", iv) == 0
    assert (tmp_path / "again").read_bytes() == b"text"
    (tmp_path / "text").write_text("no key")
    for words, said in (
        ([*base, "--cipher", "AES-256-CTR"], "decryption needs --iv"),
        ([*base, "--cipher", "AES-128-CTR"], "32 bytes, not 16"), ([*base, "--cipher", "NONE"], "no cipher NONE"),
        (base, "ends within"), ([*base[:-1], "/nonexistent"], "No such file"),
        ([*base, "--cipher", "AES-256-CTR", "--iv", "0g"], "--iv is hexadecimal"),
        ([*base, "--iv", iv], "the nonce is in the file"), ([*base[:-1], tmp_path / "text"], "hexadecimal digits"),
        ([*base[:-2], "--password-file", key], "Salted__"),
        ([*base[:-2], "--password-file", key, "--iv", iv], "--key-file"),
        (["encrypt", plain, "/nonexistent/x", "--key-file", key], "No such file"),
    ):
        (tmp_path / "again").write_bytes(b"before")
        if words is base:
            (tmp_path / "sealed").write_bytes(b"short")
        assert command(*words) == 1, words
        caught = capsys.readouterr()
        assert caught.out == "" and caught.err.startswith("gpuctr: ") and caught.err.count("\n") == 1
        assert said in caught.err
        assert (tmp_path / "again").read_bytes() == b"before"
    with pytest.raises(SystemExit) as left:
        command("encrypt", plain, plain)
    assert left.value.code == 2


def test_the_command_as_a_program():
    done = subprocess.run([sys.executable, "-m", "gpuctr"], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout.startswith("gpuctr:      ") and done.stderr == ""
