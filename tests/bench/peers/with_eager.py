"""PyTorch in one process, one set of parameters, on as many threads as there are cores: eager."""
import torch

import models
import torch_models
import worker


def run(compiled):
    name, file, devices, cores, precision = worker.arguments()
    assert devices == 1
    torch.set_num_threads(cores)
    params, data = models.load(file)
    p = torch_models.given(name, params)
    model = getattr(torch_models, name)
    if compiled:
        if name == "dlrm":  # a compiled function has no sparse gradients
            model = lambda p, x, at, y: torch_models.dlrm(p, x, at, y, sparse=False)  # noqa: E731
        model = torch.compile(model)
    trains = name != "mlp1"
    optimizer = torch_models.optimizer(name, list(p.values()))
    batches = {id(one): [torch.from_numpy(v).long() if v.dtype == "int32" else torch.from_numpy(v)
                         for v in one.values()] for one in data}

    def step(one):
        with torch.autocast("cpu", torch.bfloat16, enabled=precision == "bf16"), torch.set_grad_enabled(trains):
            loss = model(p, *batches[id(one)])
        if trains:
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        return float(loss.detach())

    worker.serve(f"PyTorch {torch.__version__.split('+')[0]}{' compiled' if compiled else ''}", step, data)


if __name__ == "__main__":
    run(False)
