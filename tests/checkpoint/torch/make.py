# make.py: writes the .pt files of this folder, which tests/checkpoint/torch.sh and hostile.c read. Run by hand, with PyTorch
# (these are of 2.15); nothing else needs it.
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(3, 4)
        self.norm = torch.nn.BatchNorm1d(2)

net = Net()
with torch.no_grad():
    for k, p in enumerate(net.parameters()):
        p.copy_(torch.arange(p.numel()).reshape(p.shape) + 100 * k)
wide = torch.arange(24, dtype=torch.float64).reshape(4, 6)
many = {
    'turned': wide.t(), 'part': wide[1:3, ::2], 'spread': torch.tensor([[7.0]]).expand(5, 3), 'none': torch.zeros(0, 3),
    'list': [torch.tensor(3), torch.tensor([1, -2], dtype=torch.int8)], 'by': {7: torch.tensor([True, False])},
    'bf16': torch.tensor([1.5, -2]).bfloat16(), 'f16': torch.tensor([1.5, 65504]).half(), 'u16': torch.tensor([1, 65535], dtype=torch.uint16),
    'f8': torch.tensor([1.0, 448]).to(torch.float8_e4m3fn), 'c64': torch.tensor([1 + 2j]), 'lazy': torch.tensor([1 + 2j]).conj(),
    'i16': torch.tensor([-5], dtype=torch.int16), 'i32': torch.tensor([1 << 30], dtype=torch.int32), 'u8': torch.tensor([255], dtype=torch.uint8),
    'param': torch.nn.Parameter(torch.ones(2)), 'epoch': 3, 'rate': 0.1, 'name': 'x', 'nothing': None, 'long': 1 << 100, 'set': {1, 2},
}
nested = {'model': net.state_dict(), 'more': many}
torch.save(nested, 'nested.pt')
torch.save(net.state_dict(), 'legacy.pt', _use_new_zipfile_serialization=False)
torch.save(net.state_dict(), 'protocol4.pt', pickle_protocol=4)
torch.save(net, 'module.pt')
torch.save(torch.ones(2), 'alone.pt')
torch.jit.save(torch.jit.script(torch.nn.Linear(2, 2)), 'script.pt')
torch.serialization.set_crc32_options(False)
torch.save(nested, 'unsummed.pt')
