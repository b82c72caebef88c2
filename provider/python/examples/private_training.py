"""Differentially private training by Opacus, with noise from a cipher in place of torch's generator.

On a GPU the noise is made in its memory. Opacus's own secure mode needs torchcsprng, which current versions of PyTorch
do not have. Needs opacus (PyPI).
"""

import warnings

import torch
from opacus import PrivacyEngine
from opacus.optimizers.optimizer import DPOptimizer

import gpuctr

warnings.filterwarnings("ignore", message="(?s).*(Secure RNG|full_backward_hook|full backward hook)")
noise_source = gpuctr.Generator("AES-256-STREAM")


def add_noise(self: DPOptimizer) -> None:
    """DPOptimizer.add_noise with our noise: the sum of four normal numbers, as Opacus's secure mode has it, whose low
    bits tell nothing of the gradient (Holohan and Braghin 2021)."""
    for parameter in self.params:
        total = torch.zeros_like(parameter.summed_grad)
        for _ in range(4):
            noise = torch.empty_like(parameter.summed_grad)
            total += noise_source.normal_(noise, 0, self.noise_multiplier * self.max_grad_norm / 2)
        parameter.grad = (parameter.summed_grad + total).view_as(parameter)
        parameter.summed_grad._processed = True


DPOptimizer.add_noise = add_noise

device = "cuda" if torch.cuda.is_available() else "cpu"
data = torch.from_numpy(gpuctr.Generator("AES-128-STREAM", seed=bytes(16)).normal(size=(4096, 2), dtype="float32"))
labels = (data.norm(dim=1) > 1.18).long()  # inside or outside a circle
samples = torch.utils.data.TensorDataset(data.to(device), labels.to(device))

torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Linear(2, 32), torch.nn.ReLU(), torch.nn.Linear(32, 2)).to(device)
engine = PrivacyEngine()
model, optimizer, loader = engine.make_private(
    module=model, optimizer=torch.optim.Adam(model.parameters(), lr=0.02),
    data_loader=torch.utils.data.DataLoader(samples, batch_size=256), noise_multiplier=1.0, max_grad_norm=1.0)

for _ in range(10):
    for inputs, wanted in loader:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(inputs), wanted).backward()
        optimizer.step()

with torch.no_grad():
    right = (model(data.to(device)).argmax(dim=1).cpu() == labels).float().mean().item()
assert right > 0.8, right
print(f"{100 * right:.0f} % right, epsilon {engine.get_epsilon(1e-5):.1f}, noise of {noise_source.name} on {device}")
