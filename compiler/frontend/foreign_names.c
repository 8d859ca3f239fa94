/* Names of other languages and libraries, and what to write for each. Functions that are an
 * expression of dtg's stand in ops/concepts.c. */
#include "foreign.h"
#include <string.h>

#define TYPES                                                                                      \
  "the types are bool, u8 to u64, i8 to i64, f16, bf16, f32, f64, f8e4m3, f8e5m2, c64 and c128"
#define NO_DEVICE "the compiler places tensors: a mesh and layouts say how they are split"
#define NO_KEY "random ops take no key: they draw other numbers at each call (`seed=` fixes them)"
#define NO_SIZE                                                                                    \
  "how many elements it has would be known only while running, and shapes are fixed while "        \
  "compiling; where(mask, x, 0) keeps the shape"
#define EXCHANGES "; the compiler inserts the exchanges"
#define GATHERED "relayout(x, [_, _]) has a whole x on each device" EXCHANGES
#define SUMMED                                                                                     \
  "write sum(x), mean(x), max(x) or min(x) of the whole tensor, whatever its layout" EXCHANGES
#define MOVED "relayout(x, [batch, _]) lays x out otherwise" EXCHANGES
#define NO_RANK "a program is about whole tensors: devices have no numbers in it" EXCHANGES
#define IN(module, call) "it is `" call "` of the library: import \"" module "\""
#define POOL(call) "write `" call "`, a function without parameters"

static const ForeignWord names[] = {
    {"True", "write `true`"},
    {"False", "write `false`"},
    {"None", "write `none`"},
    {"null", "write `none`"},
    {"nil", "write `none`"},
    {"newaxis", "write `none`, as in x[:, none]"},
    {"float", TYPES},
    {"float16", "write `f16`"},
    {"half", "write `f16`"},
    {"bfloat16", "write `bf16`"},
    {"float32", "write `f32`"},
    {"float64", "write `f64`"},
    {"float8_e4m3fn", "write `f8e4m3`"},
    {"float8_e5m2", "write `f8e5m2`"},
    {"double", "write `f64`"},
    {"int", TYPES},
    {"bool_", "write `bool`"},
    {"int8", "write `i8`"},
    {"uint8", "write `u8`"},
    {"int32", "write `i32`"},
    {"int64", "write `i64`"},
    {"long", "write `i64`"},
    {"int16", "write `i16`"},
    {"uint16", "write `u16`"},
    {"uint32", "write `u32`"},
    {"uint64", "write `u64`"},
    {"complex64", "write `c64`"},
    {"complex128", "write `c128`"},
    {"range", "a range is written 0..n, as in `for i in 0..n { }`; a tensor of indices is iota(n)"},
    {"enumerate", "write `for i in 0..n { }` and list[i]"},
    {"zip", "write `for i in 0..n { }` and index both lists"},
    {"map", "a list is written [f(v) for v in list]"},
    {"tree_map", "a list is written [f(v) for v in list]"},
    {"filter", "a list is written [v for v in list if c]"},
    {"reduce", "write `for v in list { y = f(y, v) }`"},
    {"sorted", "write sort(x) of a tensor; lists have no order of their own"},
    {"reversed", "a list backwards is list[::-1], a tensor reverse(x)"},
    {"type", "write dtype(x)"},
    {"contiguous", "the compiler places tensors: there is nothing to do"},
    {"Infinity", "write `inf`"},
    {"PI", "write `pi`"},
    {"tau", "write `2 * pi`"},
    {"e", "write exp(1)"},
    {"E", "write exp(1)"},
    {"size", "sizes are numbers: shape(x)[0], len(x)"},
    {"numel", "sizes are numbers: shape(x)[0] * shape(x)[1]"},
    {"ndim", "write rank(x)"},
    {"copy", "a tensor does not change: `y = x` is a copy"},
    {"clone", "a tensor does not change: `y = x` is a copy"},
    {"nonzero", NO_SIZE},
    {"argwhere", NO_SIZE},
    {"flatnonzero", NO_SIZE},
    {"masked_select", NO_SIZE},
    {"boolean_mask", NO_SIZE},
    {"compress", NO_SIZE},
    {"extract", NO_SIZE},
    {"unique_consecutive", NO_SIZE},
    {"unique", NO_SIZE},
    {"eig", "eigh(x) has the eigenvalues and vectors of symmetric matrices; there is no other"},
    {"eigvals", "eigvalsh(x) has the eigenvalues of symmetric matrices; there is no other"},
    {"PRNGKey", NO_KEY},
    {"manual_seed", NO_KEY},
    {"seed", NO_KEY},
    {"fold_in", NO_KEY},
    {"self", "a method names its layer's params, states and layers without `self.`"},
    {"this", "a method names its layer's params, states and layers without `this.`"},
    {"super", "a layer has no other to inherit from: it has instances of others"},
    {"jit", "dtg has no `jit`: entries are always compiled"},
    {"pmap", "a mesh and layouts distribute an entry; there is no `pmap`"},
    {"shard_map", "a mesh and layouts distribute an entry; there is no `shard_map`"},
    {"vmap", "dtg has no `vmap`: write the batch as a dim"},
    {"vectorize", "dtg has no `vectorize`: operators and functions take tensors of any shape"},
    {"while_loop", FOREIGN_LOOPS},
    {"scan", "it is a statement: `scan x in xs { h = f(h, x); collect hs = h }`"},
    {"fori_loop", "write `repeat i in 0..n { }`"},
    {"cond", "write `if c { } else { }` of a scalar; choose elements with where(c, x, y)"},
    {"lambda", "dtg has no `lambda`: " FOREIGN_FN ", and pass f"},
    {"value_and_grad", "the loss is a tensor, and its gradient grad(loss, p)"},
    {"GradientTape", "the gradient of a loss is grad(loss, p); nothing has to be recorded"},
    {"jacobian", "grad(loss, x) is of a scalar loss; a Jacobian takes one of each element"},
    {"jacfwd", "grad(loss, x) is of a scalar loss; a Jacobian takes one of each element"},
    {"jacrev", "grad(loss, x) is of a scalar loss; a Jacobian takes one of each element"},
    {"gradient", "the gradient of a loss is grad(loss, x); differences are x[1:] - x[:-1]"},
    {"custom_vjp", "x + stop_gradient(y - x) is y with the gradient of x"},
    {"associative_scan", "running sums and the like are cumsum, cumprod, cummax and cummin; other "
                         "recurrences `scan x in xs { h = f(h, x); collect hs = h }`"},
    {"expm", "of a symmetric x `w, v = eigh(x)` gives (v * exp(w)) @ transpose(v)"},
    {"gcd", "it is x behind `while any(y != 0) { r = x % y; x = where(y == 0, x, y); y = r }`"},
    {"interp", "with i = clamp(searchsorted(xs, x), 1, len(xs) - 1) it is "
               "ys[i - 1] + (ys[i] - ys[i - 1]) * (x - xs[i - 1]) / (xs[i] - xs[i - 1])"},
    {"hessian", "grad(loss, x) is of a scalar loss, that of a gradient too"},
    {"no_grad", "gradients are where grad(loss, p) asks for them; stop_gradient(x) is a constant"},
    {"checkpoint", "`--memory 2G` lets the compiler compute again what does not fit"},
    {"remat", "`--memory 2G` lets the compiler compute again what does not fit"},
    /* devices */
    {"psum", SUMMED},
    {"pmean", SUMMED},
    {"pmax", SUMMED},
    {"pmin", SUMMED},
    {"all_reduce", SUMMED},
    {"allreduce", SUMMED},
    {"reduce_scatter", "relayout(sum(x, axis=0), [batch]) splits a sum" EXCHANGES},
    {"psum_scatter", "relayout(sum(x, axis=0), [batch]) splits a sum" EXCHANGES},
    {"all_gather", GATHERED},
    {"allgather", GATHERED},
    {"all_gather_into_tensor", GATHERED},
    {"all_to_all", MOVED},
    {"alltoall", MOVED},
    {"ppermute", "roll(x, n) moves rows cyclically, over devices too" EXCHANGES},
    {"pshuffle", "roll(x, n) moves rows cyclically, over devices too" EXCHANGES},
    {"with_sharding_constraint", MOVED},
    {"device_put", MOVED},
    {"distribute_tensor", MOVED},
    {"PartitionSpec", "a layout is written [batch, _], with the name of an axis for each dim"},
    {"NamedSharding", "a layout is written [batch, _], with the name of an axis for each dim"},
    {"Mesh", "write `mesh [batch=4, model=2]`"},
    {"DeviceMesh", "write `mesh [batch=4, model=2]`"},
    {"init_device_mesh", "write `mesh [batch=4, model=2]`"},
    {"axis_index", NO_RANK},
    {"axis_size", NO_RANK},
    {"get_rank", NO_RANK},
    {"get_world_size", NO_RANK},
    {"barrier", NO_RANK},
    {"init_process_group", NO_RANK},
    {"DataParallel", "`layout x = [batch, ...]` of the inputs splits the batch" EXCHANGES},
    {"DistributedDataParallel", "`layout x = [batch, ...]` of the inputs splits it" EXCHANGES},
    {"FullyShardedDataParallel", "`layout model.w = [batch, _]` splits a variable" EXCHANGES},
    /* modules that hold parameters */
    {"Module", FOREIGN_CLASS},
    {"Model", FOREIGN_CLASS},
    {"Layer", FOREIGN_CLASS},
    {"Parameter", "write `param w: f32[n, m] = zeros()` in a layer"},
    {"Variable",
     "write `param w: f32[n, m] = zeros()` in a layer, or `state` if it is not trained"},
    {"ModuleList", "a list of layers is written [dense(n, n) for i in 0..4]"},
    {"Linear", IN("nn", "dense(64, 32)")},
    {"Dense", IN("nn", "dense(64, 32)")},
    {"Conv1d", IN("nn", "conv_layer(3, 8, [3])")},
    {"Conv1D", IN("nn", "conv_layer(3, 8, [3])")},
    {"Conv2d", IN("nn", "conv_layer(3, 8, [3, 3])")},
    {"Conv2D", IN("nn", "conv_layer(3, 8, [3, 3])")},
    {"Conv3d", IN("nn", "conv_layer(3, 8, [3, 3, 3])")},
    {"ConvTranspose2d", IN("nn", "conv_transpose_layer(3, 8, [3, 3])")},
    {"Conv2DTranspose", IN("nn", "conv_transpose_layer(3, 8, [3, 3])")},
    {"SeparableConv2D", IN("nn", "separable_conv_layer(3, 8, [3, 3])")},
    {"Embedding", IN("nn", "embedding(1000, 64)")},
    {"LayerNorm", IN("nn", "layer_norm(64)")},
    {"LayerNormalization", IN("nn", "layer_norm(64)")},
    {"RMSNorm", IN("nn", "rms_norm(64)")},
    {"GroupNorm", IN("nn", "group_norm(64, 8)")},
    {"GroupNormalization", IN("nn", "group_norm(64, 8)")},
    {"InstanceNorm2d", IN("nn", "instance_norm(64)")},
    {"BatchNorm1d", IN("nn", "batch_norm(64)")},
    {"BatchNorm2d", IN("nn", "batch_norm(64)")},
    {"BatchNormalization", IN("nn", "batch_norm(64)")},
    {"Dropout", IN("nn", "dropout_layer(0.1)")},
    {"MultiheadAttention", IN("nn", "multi_head_attention(64, 4)")},
    {"MultiHeadAttention", IN("nn", "multi_head_attention(64, 4)")},
    {"TransformerEncoderLayer", IN("nn", "transformer_encoder_block(64, 4)")},
    {"TransformerDecoderLayer", IN("nn", "transformer_decoder_block(64, 4)")},
    {"RNN", IN("nn", "rnn(64, 32)")},
    {"SimpleRNN", IN("nn", "rnn(64, 32)")},
    {"GRU", IN("nn", "gru(64, 32)")},
    {"LSTM", IN("nn", "lstm(64, 32)")},
    {"Sequential", IN("nn", "sequential([dense(64, 32, act=relu), dense(32, 8)])")},
    {"PReLU", IN("nn", "prelu(64)")},
    {"ReLU", IN("nn", "relu(x)")},
    {"LeakyReLU", IN("nn", "leaky_relu(x)")},
    {"ELU", IN("nn", "elu(x)")},
    {"GELU", IN("nn", "gelu(x)")},
    {"SiLU", IN("nn", "silu(x)")},
    {"Softplus", IN("nn", "softplus(x)")},
    {"Identity", IN("nn", "identity(x)")},
    {"Activation", "an activation is a function: dense(64, 32, act=relu)"},
    {"Sigmoid", POOL("sigmoid(x)")},
    {"Tanh", POOL("tanh(x)")},
    {"Softmax", POOL("softmax(x)")},
    {"Flatten", POOL("reshape(x, [n, -1])")},
    {"MaxPool2d", POOL("max_pool(x, 2)")},
    {"MaxPooling2D", POOL("max_pool(x, 2)")},
    {"AvgPool2d", POOL("avg_pool(x, 2)")},
    {"AveragePooling2D", POOL("avg_pool(x, 2)")},
    {"AdaptiveAvgPool2d", POOL("mean(x, axis=[1, 2])")},
    {"GlobalAveragePooling2D", POOL("mean(x, axis=[1, 2])")},
    {"UpSampling2D", POOL("upsample(x, 2)")},
    {"Upsample", POOL("upsample(x, 2)")},
    /* losses and optimizers */
    {"mse_loss", IN("nn", "mse(prediction, target)")},
    {"MSELoss", IN("nn", "mse(prediction, target)")},
    {"l1_loss", IN("nn", "mae(prediction, target)")},
    {"L1Loss", IN("nn", "mae(prediction, target)")},
    {"smooth_l1_loss", IN("nn", "huber(prediction, target)")},
    {"huber_loss", IN("nn", "huber(prediction, target)")},
    {"HuberLoss", IN("nn", "huber(prediction, target)")},
    {"CrossEntropyLoss", IN("nn", "sparse_cross_entropy(logits, label)")},
    {"SparseCategoricalCrossentropy", IN("nn", "sparse_cross_entropy(logits, label)")},
    {"sparse_categorical_crossentropy", IN("nn", "sparse_cross_entropy(logits, label)")},
    {"categorical_crossentropy", IN("nn", "cross_entropy(logits, target)")},
    {"binary_crossentropy", IN("nn", "binary_cross_entropy(logits, target)")},
    {"CategoricalCrossentropy", IN("nn", "cross_entropy(logits, target)")},
    {"binary_cross_entropy_with_logits", IN("nn", "binary_cross_entropy(logits, target)")},
    {"BCEWithLogitsLoss", IN("nn", "binary_cross_entropy(logits, target)")},
    {"BCELoss", IN("nn", "binary_cross_entropy(logits, target)")},
    {"kl_div", IN("nn", "kl_divergence(log_p, log_q)")},
    {"KLDivLoss", IN("nn", "kl_divergence(log_p, log_q)")},
    {"ctc_loss", IN("nn", "ctc(logits, label)")},
    {"CTCLoss", IN("nn", "ctc(logits, label)")},
    {"SGD", IN("optim", "sgd(model)")},
    {"Adam", IN("optim", "adam(model)")},
    {"AdamW", IN("optim", "adamw(model)")},
    {"RMSprop", IN("optim", "rmsprop(model)")},
    {"Adagrad", IN("optim", "adagrad(model)")},
    {"Adadelta", IN("optim", "adadelta(model)")},
    {"Adafactor", IN("optim", "adafactor(model)")},
    {"clip_grad_norm_", IN("optim", "clipped_by_norm(opt, model, 1)")},
};

static const char *const modules[] = {"np",   "jnp",        "numpy",  "jax",   "lax",   "torch",
                                      "tf",   "tensorflow", "keras",  "scipy", "math",  "cupy",
                                      "cp",   "nn",         "flax",   "nnx",   "optax", "optim",
                                      "dist", "F",          "linalg", "random"};

/* What is written of a tensor behind a point. */
static const ForeignWord members[] = {
    {"at", "bind y = x and write `y[i] <- v`; x.at[i].add(v) is scatter_add(x, i, v)"},
    {"ndim", "write rank(x)"},
    {"dim", "write rank(x)"},
    {"size", "sizes are numbers: shape(x)[0], len(x)"},
    {"numel", "sizes are numbers: shape(x)[0] * shape(x)[1]"},
    {"to", "cast by a type, as in f32(x); " NO_DEVICE},
    {"type", "cast by a type, as in f32(x)"},
    {"cpu", NO_DEVICE},
    {"cuda", NO_DEVICE},
    {"device", NO_DEVICE},
    {"numpy", "an entry returns it: `return y = x`"},
    {"item", "a scalar is a tensor like others: return it"},
    {"tolist", "an entry returns it: `return y = x`"},
    {"backward", "grad(loss, p) is the gradient; an optimizer takes it by opt.minimize(loss)"},
    {"requires_grad", "grad(loss, x) is there of whatever the loss was computed from"},
    {"contiguous", "the compiler places tensors: there is nothing to do"},
    {"block_until_ready", "a call returns when its results are there: there is nothing to do"},
};

/* And of a list. */
static const ForeignWord list_members[] = {
    {"append", "write `h = h + [x]`"},
    {"extend", "write `h = h + more`"},
    {"pop", "write `last = h[-1]` and `h = h[:-1]`"},
    {"insert", "write `h = h[:i] + [x] + h[i:]`"},
    {"copy", "a list does not change: `g = h` is a copy"},
    {"reverse", "write `h[::-1]`"},
    {"shape", "a list of numbers is a tensor as array(h); its first size is len(h)"},
};

/* And of an instance. */
static const ForeignWord instance_members[] = {
    {"parameters",
     "params(model) lists them; an optimizer takes the instance itself, as in adam(model)"},
    {"trainable_variables", "params(model) lists them; an optimizer takes the instance itself"},
    {"step",
     "opt.minimize(loss) takes gradients and a step; opt.update(grads) a step by given ones"},
    {"apply_gradients", "write opt.update(grads), or opt.minimize(loss)"},
    {"zero_grad", "each grad(loss, p) computes its gradient from nothing: there is nothing to do"},
    {"forward", "an instance is called by its name: model(x)"},
    {"call", "an instance is called by its name: model(x)"},
    {"train", "what differs in training is an argument: model(x, train=false)"},
    {"eval", "what differs in training is an argument: model(x, train=false)"},
    {"init", "variables have the initial values of their declarations"},
    {"state_dict", "variables are known by their paths, as in model.d1.w"},
    {"to", NO_DEVICE},
    {"cuda", NO_DEVICE},
};

const char *foreign_find(const ForeignWord *table, size_t count, const char *word, size_t n) {
  for (size_t i = 0; i < count; i++)
    if (strlen(table[i].word) == n && !memcmp(table[i].word, word, n)) return table[i].says;
  return NULL;
}

const char *foreign_name(const char *name) {
  const char *says = foreign_find(names, sizeof names / sizeof *names, name, strlen(name));
  return says || !foreign_module(name) ? says : FOREIGN_MODULE;
}

const char *foreign_member(const char *name) {
  return foreign_find(members, sizeof members / sizeof *members, name, strlen(name));
}

const char *foreign_list(const char *name) {
  return foreign_find(list_members, sizeof list_members / sizeof *list_members, name, strlen(name));
}

const char *foreign_instance(const char *name) {
  return foreign_find(instance_members, sizeof instance_members / sizeof *instance_members, name,
                      strlen(name));
}

bool foreign_module(const char *name) {
  for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
    if (!strcmp(modules[i], name)) return true;
  return false;
}
