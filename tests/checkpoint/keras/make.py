# make.py: writes the files of this folder, which tests/checkpoint/keras.sh and hostile.c read. Run by hand, with Keras (these are
# of 3.15) and h5py 3.16; nothing else needs it.
import os
os.environ['KERAS_BACKEND'] = 'jax'
import h5py, keras, numpy as np

net = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(4, name='dense'), keras.layers.BatchNormalization(name='norm')])
net.set_weights([np.arange(w.size).reshape(w.shape) + 100 * k for k, w in enumerate(net.get_weights())])
net.save('net.keras')
net.save('legacy.h5')
def fill(g):
    g['f16'] = np.array([1.5, 65504], 'f2'); g['f64'] = np.arange(6.0).reshape(2, 3); g['i8'] = np.array([1, -2], 'i1'); g['u16'] = np.array([65535], 'u2')
    g['i64'] = np.int64(-3); g['bool'] = np.array([True, False]); g['text'] = 'words'; g['big'] = np.array([1.0], '>f4'); g['none'] = np.zeros((0, 3), 'f4')
with h5py.File('types.h5', 'w') as f:
    fill(f)
    for k in range(20): f[f'many/deep/{k}'] = np.array([k], 'i4')
with h5py.File('latest.h5', 'w', libver='latest') as f:
    for k in range(9): f[str(k)] = np.int8(k)
with h5py.File('few.h5', 'w', libver='latest') as f: f['a'] = np.array([1.0, 2], 'f4'); f['g/b'] = np.array([3], 'i4'); f['s'] = h5py.SoftLink('/a')
with h5py.File('chunks.h5', 'w') as f: f.create_dataset('x', data=np.zeros(100, 'f4'), compression='gzip')
