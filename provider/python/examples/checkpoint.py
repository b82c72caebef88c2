"""A checkpoint of a PyTorch model, sealed and opened; on a GPU if there is one."""

import pathlib
import tempfile

import gpuctr
import gpuctr.safetensors
import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
model = torch.nn.Sequential(torch.nn.Linear(100, 50), torch.nn.ReLU(), torch.nn.Linear(50, 2)).to(device)
key = gpuctr.Generator().bytes(32)

with tempfile.TemporaryDirectory() as folder, gpuctr.Cipher("AES-256-GCM", key) as cipher:
    file = pathlib.Path(folder, "checkpoint.safetensors")
    gpuctr.safetensors.save_file(model.state_dict(), file, cipher, {"format": "pt", "step": "1000"})

    other = torch.nn.Sequential(torch.nn.Linear(100, 50), torch.nn.ReLU(), torch.nn.Linear(50, 2)).to(device)
    tensors, metadata = gpuctr.safetensors.load_file_with_metadata(file, cipher, framework="torch", device=device)
    other.load_state_dict(tensors)
    data = torch.ones(3, 100, device=device)
    assert torch.equal(model(data), other(data)) and metadata["step"] == "1000"
    print(f"{len(tensors)} tensors of {file.stat().st_size} bytes, sealed and opened on {device}")
