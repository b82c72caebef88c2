"""A file that Python encrypts under a password and the openssl command decrypts, and the other way round."""

import pathlib
import subprocess
import tempfile

import gpuctr

CIPHER, PASSWORD = "LEA-256-CBC", b"correct horse battery staple"

with tempfile.TemporaryDirectory() as folder:
    plain, sealed, again = (pathlib.Path(folder, name) for name in ("plain", "sealed", "again"))
    plain.write_bytes(b"attack at dawn\n" * 1000)
    gpuctr.encrypt_file_with_password(CIPHER, PASSWORD, plain, sealed)

    # The openssl command takes the same module; LEA is in no other.
    module = pathlib.Path(gpuctr.default_provider().module)
    openssl = ["openssl", "enc", "-lea-256-cbc", "-pbkdf2", "-pass", "stdin", "-provider-path", str(module.parent),
               "-provider", module.stem, "-provider", "default"]
    opened = subprocess.run([*openssl, "-d", "-in", sealed], input=PASSWORD, stdout=subprocess.PIPE, check=True).stdout
    assert opened == plain.read_bytes()

    subprocess.run([*openssl, "-in", plain, "-out", sealed], input=PASSWORD, check=True)
    gpuctr.decrypt_file_with_password(CIPHER, PASSWORD, sealed, again)
    assert again.read_bytes() == plain.read_bytes()
    print(f"{len(opened)} bytes from Python to openssl, and back")
