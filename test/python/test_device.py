"""Device memory through __cuda_array_interface__ and DLPack, with the device of test/fake_gpu/fake_module.cpp."""

import ctypes
import os
import threading

import gpuctr
import gpuctr.memory
import pytest

KEY, NONCE, IV = bytes(range(32)), bytes(12), bytes(16)
DATA = bytes(i * 7 % 256 for i in range(100003))
ROOM = 1 << 22

if not os.environ.get("GPUCTR_FAKE_MODULE"):
    pytest.skip("GPUCTR_FAKE_MODULE names no module", allow_module_level=True)


class Array:
    """Device memory, as CuPy and Numba show theirs."""

    def __init__(self, address, size, readonly=False, strides=None, typestr="|u1", **more):
        self.__cuda_array_interface__ = {"shape": (size,), "typestr": typestr, "data": (address, readonly),
                                         "strides": strides, "version": 3, **more}


class Device:
    """The memory of the device: arrays in it, and what is there."""

    def __init__(self, provider):
        self.provider = provider
        provider._for(True)  # starts the device
        getenv = ctypes.CDLL(None).getenv
        getenv.restype, getenv.argtypes = ctypes.c_char_p, [ctypes.c_char_p]
        self.address, self.shadow = (int(text, 16) for text in getenv(b"GPUCTR_FAKE_AT").split())

    def array(self, data, at=0, **more):
        ctypes.memmove(self.shadow + at, data, len(data))
        return Array(self.address + at, len(data), **more)

    def read(self, size, at=0):
        return ctypes.string_at(self.shadow + at, size)


@pytest.fixture(scope="module")
def device():
    os.environ["GPUCTR_FAKE_MEMORY"] = str(ROOM)
    return Device(gpuctr.Provider(os.environ["GPUCTR_FAKE_MODULE"]))


@pytest.fixture(scope="module")
def ctr(device):
    return gpuctr.Cipher("LEA-256-CTR", KEY, provider=device.provider)


@pytest.fixture(scope="module")
def gcm(device):
    return gpuctr.Cipher("LEA-256-GCM", KEY, provider=device.provider)


def test_counter_mode(device, ctr):
    sealed = gpuctr.Cipher("LEA-256-CTR", KEY).encrypt(IV, DATA)
    array = device.array(DATA)
    assert ctr.encrypt_into(IV, array) == len(DATA)
    assert device.read(len(DATA)) == sealed
    host = bytearray(len(DATA) - 5)
    ctr.decrypt_into(IV, Array(device.address + 5, len(host)), host, offset=5)
    assert host == DATA[5:]
    assert ctr.decrypt(IV, array) == DATA
    ctr.encrypt_into(IV, DATA[:100], Array(device.address + 7, 200))
    assert device.read(100, 7) == sealed[:100]
    message = ctr.decryptor(IV)
    array = device.array(sealed)
    message.update_into(Array(device.address, 50000))
    message.update_into(Array(device.address + 50000, len(DATA) - 50000))
    assert message.finalize() == b"" and device.read(len(DATA)) == DATA


def test_gcm_and_a_wrong_tag(device, gcm):
    text = DATA * 30  # more than one piece of the zeroes
    array = device.array(text)
    tag = gcm.seal_into(NONCE, array, aad=b"aad")
    assert device.read(len(text)) + tag == gpuctr.Cipher("LEA-256-GCM", KEY).seal(NONCE, text, b"aad")
    gcm.open_into(NONCE, array, tag, aad=b"aad")
    assert device.read(len(text)) == text
    gcm.seal_into(NONCE, array)
    after = device.read(9, len(text))
    with pytest.raises(gpuctr.InvalidTag):
        gcm.open_into(NONCE, array, bytes(16))
    assert device.read(len(text)) == bytes(len(text)) and device.read(9, len(text)) == after
    array = device.array(DATA)
    message = gcm.decryptor(NONCE)
    message.update_into(array)
    assert device.read(len(DATA)) != DATA
    message.close()
    assert device.read(len(DATA)) == bytes(len(DATA))


def test_generator(device):
    generator = gpuctr.Generator("LEA-256-CTR-DRBG", provider=device.provider)
    array = device.array(bytes(len(DATA)))
    assert generator.fill(array) is array
    first = device.read(len(DATA))
    generator.fill(array)
    assert len(set(first)) == 256 and first != device.read(len(DATA))
    with pytest.raises(gpuctr.ArgumentError, match="seed"):
        gpuctr.Generator(seed=bytes(32), provider=device.provider).fill(array)


def test_refusals(device, ctr, gcm):
    array = device.array(DATA[:64])
    for kind, refused in (
        (gpuctr.ReadOnlyError, Array(device.address, 64, readonly=True)),
        (gpuctr.NotContiguousError, Array(device.address, 32, strides=(2,))),
        (gpuctr.EmptyError, Array(device.address, 0)), (gpuctr.ArrayTypeError, Array(device.address, 8, typestr="|O8")),
        (gpuctr.ArrayTypeError, Array(device.address, 8, mask=array)),
        (gpuctr.DeviceError, Array(device.address, 8, stream=0)),  # the protocol forbids 0
        (gpuctr.DeviceError, Array(device.address, 8, stream=77)),  # there is no driver here
    ):
        for call in (lambda out: ctr.encrypt_into(IV, out), lambda out: gcm.open_into(NONCE, out, bytes(16)),
                     gpuctr.Generator(provider=device.provider).fill):
            with pytest.raises(kind) as caught:
                call(refused)
            assert type(caught.value) is kind
    ccm = gpuctr.Cipher("LEA-256-CCM", KEY, provider=device.provider)
    cbc = gpuctr.Cipher("LEA-256-CBC", KEY, padding=False, provider=device.provider)
    for call in (lambda: ccm.seal_into(NONCE, array), lambda: ccm.open_into(NONCE, array, bytes(16)),
                 lambda: cbc.encrypt_into(IV, array)):
        with pytest.raises(gpuctr.OperationError) as caught:
            call()
        assert caught.value.reasons[0].number == 25  # gpuctr(7): device memory cannot be used here
    with pytest.raises(gpuctr.UnsupportedError, match="open_into"):
        gcm.open(NONCE, array)
    with pytest.raises(gpuctr.UnsupportedError, match="ordinary memory"):
        gcm.encryptor(NONCE, aad=array)
    with pytest.raises(gpuctr.ArgumentError, match="key"):
        gpuctr.Cipher("LEA-256-GCM", device.array(KEY, at=1000))
    message = ctr.encryptor(IV)
    message.update(b"x")
    with pytest.raises(gpuctr.ArgumentError, match="began in ordinary memory"):
        message.update_into(array)
    assert device.read(64) == DATA[:64]


@pytest.mark.skipif(os.path.exists("/dev/nvidia0"), reason="here is a device")
def test_without_a_device():
    """The module would take the address for ordinary memory, and the process would die."""
    array = Array(4096, 64)
    for provider, said in ((gpuctr.default_provider(), "the module can use no device here; "),
                           (gpuctr.Provider(os.environ["GPUCTR_FAKE_MODULE"], gpu="off"), "gpu = off")):
        cipher = gpuctr.Cipher("LEA-256-GCM", KEY, provider=provider)
        for call in (lambda: cipher.seal_into(NONCE, array), lambda: cipher.decryptor(NONCE).update_into(array),
                     lambda: gpuctr.Generator(provider=provider).fill(array)):
            with pytest.raises(gpuctr.DeviceError, match=said):
                call()


def test_a_child_has_no_device(device, gcm):
    array, process = device.array(DATA[:64]), os.fork()
    if process == 0:
        try:
            gcm.seal_into(NONCE, array)
        except gpuctr.DeviceError:
            os._exit(7)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 7
    assert device.read(64) == DATA[:64]


def test_a_message_that_is_collected_under_a_lock(device, gcm):
    """Python may collect a message at any allocation; its wiping takes the locks of libraries."""
    import gpuctr.provider

    message = gcm.decryptor(NONCE)
    message.update_into(device.array(DATA))
    done = []

    def collect():
        with gpuctr.provider._libraries_lock, device.provider._for(True)._lock, device.provider._for(False)._lock:
            message.close()
            done.append(True)

    thread = threading.Thread(target=collect, daemon=True)
    thread.start()
    thread.join(30)
    assert done and device.read(len(DATA)) == bytes(len(DATA))


def test_devices_that_differ():
    memory = gpuctr.memory.Memory
    with pytest.raises(gpuctr.DeviceError, match="device 0, and out on device 1"):
        gpuctr.memory.check_pair(memory(4096, 8, None, on_device=True, device=0),
                                 memory(8192, 8, None, on_device=True, device=1), 8)
