"""Writes first.safetensors, examples.safetensors and golden.safetensors.

Needs PyTorch and safetensors. A convolution with a batch norm, trained for five
steps on one batch by SGD in float64: the parameters and running statistics
before and after, and what the model computes of the examples with the latter
(`output`) and what its loss is then (`loss`). test/Execute/batch-norm-training.hkt
has the same model.

    make_golden.py [OUT]
"""

import pathlib
import sys

import torch
from safetensors.torch import save_file

torch.set_default_dtype(torch.float64)
torch.manual_seed(5)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(2, 4, 3, padding=1)
        self.norm = torch.nn.BatchNorm2d(4)
        self.head = torch.nn.Linear(4, 3)

    def forward(self, x):
        return self.head(torch.relu(self.norm(self.conv(x))).mean((2, 3)))


folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
net = Net()


def save(name, tensors):
    tensors = {key: value.detach().contiguous() for key, value in tensors.items()}
    save_file(tensors, folder / f"{name}.safetensors")


def narrow(tensors):
    return {key: value.float() if value.is_floating_point() else value for key, value in tensors.items()}


# What the program reads is float32: the same numbers in float64 here.
net.load_state_dict({key: value.double() if value.is_floating_point() else value
                     for key, value in narrow(net.state_dict()).items()})
save("first", narrow(net.state_dict()))
x, y = torch.randn(6, 2, 5, 7).float().double() + 3, torch.randn(6, 3).float().double()
x = x.float().double()
save("examples", narrow({"x": x, "y": y}))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(5):
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(net(x), y).backward()
    optimizer.step()
net.eval()
golden = {key: value for key, value in net.state_dict().items() if value.is_floating_point()}
with torch.no_grad():
    golden["output"] = net(x)
    golden["loss"] = torch.nn.functional.mse_loss(net(x), y)
print(golden["loss"])
save("golden", golden)
