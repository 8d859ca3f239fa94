#!/bin/sh
# samples/embed/numpy_ctypes.py with any Python that has NumPy; 77: there is none.
# numpy.sh PYTHON SCRIPT LIBRARY
for python in "$1" /usr/bin/python3; do
  "$python" -c 'import numpy, sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null || continue
  said=$("$python" "$2" "$3") || exit 1
  echo "$said"
  for part in 'NumPy and dtg agree' 'all on side 0: True' 'epoch 20 is back: True'; do
    echo "$said" | grep -q "$part" || { echo "it does not say: $part"; exit 1; }
  done
  exec "$python" "$(dirname "$0")/numpy_types.py" "$2" "$3"
done
echo "no python3 with NumPy here"
exit 77
