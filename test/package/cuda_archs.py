#!/usr/bin/env python3
"""The architectures that kernels/cmake/CudaArchs.cmake chooses, for stand-ins of nvcc and nvidia-smi.

    cuda_archs.py CMAKE SOURCES
"""
import os
import pathlib
import subprocess
import sys
import tempfile

# What `nvcc --list-gpu-code` prints. None of them lists 90a, which all of them know.
CUDA_12_4 = "sm_50 sm_52 sm_53 sm_60 sm_61 sm_62 sm_70 sm_72 sm_75 sm_80 sm_86 sm_87 sm_89 sm_90"
CUDA_12_8 = CUDA_12_4 + " sm_100 sm_101 sm_120"
CUDA_13_0 = "sm_75 sm_80 sm_86 sm_87 sm_88 sm_89 sm_90 sm_100 sm_110 sm_103 sm_120 sm_121"
UP_TO_90 = "75-real;80-real;86-real;90a-real;90-virtual"
UP_TO_120 = "75-real;80-real;86-real;90a-real;100-real;120"

# nvcc's words, the capabilities that nvidia-smi names, GPUCTR_CUDA, GPUCTR_CUDA_ARCHS, the choice
CASES = [
    (CUDA_12_4, "", "AUTO", "", UP_TO_90),
    (CUDA_12_8, "", "AUTO", "", UP_TO_120),
    (CUDA_13_0, "", "AUTO", "", UP_TO_120),
    ("sm_80 sm_90 sm_100", "", "AUTO", "", "80-real;90a-real;100"),
    ("sm_75", "", "AUTO", "", "75"),
    ("", "", "AUTO", "", UP_TO_120),
    (CUDA_12_4, "", "AUTO", "120", "120"),
    (CUDA_12_4, "8.9", "AUTO", "75-real;80", "75-real;80"),
    (CUDA_13_0, "8.9", "AUTO", "", UP_TO_120),
    (CUDA_12_4, "8.9", "here", "", "89-real"),
    (CUDA_12_4, "8.0 9.0 8.0", "here", "75", "80-real;90a-real"),
    (CUDA_13_0, "12.0", "here", "", "120-real"),
    (CUDA_12_4, "12.0", "here", "", UP_TO_90),
    (CUDA_12_4, "8.0 12.0", "here", "", UP_TO_90),
    (CUDA_12_4, "12.0", "here", "75;90", "75;90"),
    (CUDA_12_4, "", "here", "", UP_TO_90),
    (CUDA_13_0, "1.0", "here", "", UP_TO_120),
]


def stand_in(path, words):
    path.write_text("#!/bin/sh\n" + "".join(f"echo {word}\n" for word in words.split()))
    path.chmod(0o755)


def main():
    cmake, sources = sys.argv[1], pathlib.Path(sys.argv[2])
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        script = folder / "script.cmake"
        script.write_text(
            f"include({sources}/kernels/cmake/CudaArchs.cmake)\n"
            f'gpuctr_cuda_archs({folder}/nvcc "${{CUDA}}" "${{LIST}}" archs)\n'
            'message(STATUS "${archs}")\n')
        path = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
        for nvcc, cards, cuda, given, expected in CASES:
            stand_in(folder / "nvcc", nvcc)
            stand_in(folder / "nvidia-smi", cards)
            done = subprocess.run([cmake, f"-DCUDA={cuda}", f"-DLIST={given}", "-P", script], env=path,
                                  text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            chosen = done.stdout.strip().removeprefix("-- ")
            if chosen != expected:
                wrong += 1
                print(f"nvcc [{nvcc}], cards [{cards}], {cuda}, list [{given}]: {chosen}, not {expected}")
    if wrong:
        sys.exit(f"{wrong} of {len(CASES)} cases are wrong")


if __name__ == "__main__":
    main()
