"""The same with torch.compile."""
import with_eager

with_eager.run(True)
