/* dtrt.h: the runtime of dtg. The only header that emitted C includes.
 *
 * Part 1 is for emitted C: types, tables that describe a program, and functions called once per op.
 * Part 2 is for hosts: open a program, feed and call its entries, read and write its variables.
 *
 * No system header is included, so that entries can be compiled in memory without any.
 *
 * A *device* is one point of the mesh: a thread of this process, or of one of several processes
 * under MPI; where there are fewer cores than devices, several devices take turns on one thread.
 * Every device runs the same entry function on its own blocks; `dtrt_device.coord` holds its mesh
 * coordinates. */
#ifndef DTRT_H
#define DTRT_H

typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __SIZE_TYPE__ size_t;

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ 1. for emitted C */

#define DTRT_ABI 16
#define DTRT_MAX_RANK 8
#define DTRT_MAX_AXES 8
#define DTRT_SLOTS 8 /* maximum number of in-flight exchanges per device */

enum {
  DTRT_BOOL,
  DTRT_U8,
  DTRT_I8,
  DTRT_I32,
  DTRT_I64,
  DTRT_F16,
  DTRT_BF16,
  DTRT_F32,
  DTRT_F64,
  DTRT_I16,
  DTRT_U16,
  DTRT_U32,
  DTRT_U64,
  DTRT_F8_E4M3,
  DTRT_F8_E5M2,
  DTRT_C64, /* complex: re, im of f32, as C's float _Complex */
  DTRT_C128 /* of f64 */
};
enum { DTRT_SUM, DTRT_MAX, DTRT_MIN, DTRT_PROD };

/* How one dim of a tensor is laid out on the mesh. Blocks and windows are defined in docs/layouts.md:
 * n elements in granules of g, split k = product of the axes' sizes ways; m = n/g; block i is
 * [i*m/k * g, (i+1)*m/k * g). With a window (`of` > 0) the block [lo, hi) is that of a dim of `of`
 * elements, and the device holds [ceil((lo*mul + first)/div), floor(((hi-1)*mul + last)/div) + 1) of this
 * dim, clipped to 0 and n (for mul < 0, lo and hi-1 are swapped; an empty block requires nothing). */
typedef struct dtrt_dim {
  int64_t n;
  int64_t granule;
  int64_t of, mul, div, first, last;
  int64_t cyclic; /* 1: the window goes on at the other end of the dim */
  int32_t naxes;
  int32_t axis[DTRT_MAX_AXES]; /* major to minor */
} dtrt_dim;

/* A block is dense and row-major in its own local extents. */
typedef struct dtrt_layout {
  int32_t rank;
  uint32_t partial; /* set of axes over which each device holds one addend */
  int32_t reduce;   /* DTRT_SUM ...: the reduction of the addends */
  const dtrt_dim *dim;
} dtrt_layout;

/* The conversion of a tensor between two layouts. `kind` serves reports and fast paths; the layouts
 * define the result. Axes in from->partial and not in to->partial are reduced: addends are summed
 * in the order of the ranks, so that every transport gives the same bits. */
enum {
  DTRT_COPY,           /* local: the device already owns the box it needs */
  DTRT_ALL_REDUCE,     /* partial to replicated over `axes` */
  DTRT_REDUCE_SCATTER, /* partial to split over `axes` */
  DTRT_ALL_GATHER,
  DTRT_ALL_TO_ALL,
  DTRT_PERMUTE, /* each device takes the whole block of one other */
  DTRT_BOXES,   /* the general exchange: needed minus owned */
  DTRT_HALO     /* blocks extended or shifted along split dims, as windows require */
};
typedef struct dtrt_exchange {
  int32_t id; /* index in dtrt_program.exchange */
  int32_t kind;
  int32_t dtype;
  uint32_t axes; /* set of axes along which data moves */
  const dtrt_layout *from, *to;
  const char *what;  /* "gradient of model.d1.w" */
  const char *where; /* "mlp.dtg:14" */
  /* Inputs for the choice of its algorithm besides the layouts, the same on all devices; 0: unknown.
   * For the device that receives most: bytes, number of senders, and bytes contiguous at both ends. */
  int64_t received, senders, run;
  /* Not 0: what the device needs of its own block is not brought to `to`: it reads that in `from`.
   */
  int32_t borders;
} dtrt_exchange;

/* The link of a mesh axis on the machine that a program was compiled for (docs/machines.md): bytes a
 * second, and seconds per wait and per message. Each exchange uses the cheapest algorithm by these. */
typedef struct dtrt_link {
  double bandwidth, latency, message;
} dtrt_link;

/* Zero-copy mode of an input. NOT_LENT: copied, because an output or variable aliases it.
 * LENT_TO_ALL: used in place where peers can read the host's memory, since exchanges read it.
 * LENT_TO_ONE: always used in place, since only its own device reads it. Of an output: made in
 * dtrt_device.out. */
enum { DTRT_NOT_LENT, DTRT_LENT_TO_ALL, DTRT_LENT_TO_ONE };
/* A variable without a layout in the sources, which the compiler split so that each device updates a part. */
enum { DTRT_SHARED_UPDATE = 1 };
typedef struct dtrt_tensor {
  const char *name;
  int32_t dtype;
  int32_t trainable; /* variables: 1 for param, 0 for state */
  const dtrt_layout *layout; /* global sizes are in its dims */
  int64_t offset; /* of the local block: variables in dtrt_device.vars, others in .arena */
  int64_t bytes;  /* of the largest local block */
  int32_t lent;   /* inputs, outputs: zero-copy mode, one of DTRT_NOT_LENT, ...; variables: DTRT_SHARED_UPDATE or 0 */
  const char *const *dim_const; /* inputs: the `const` each dim was written as, or NULL entries */
  const char *where;
  int32_t shared; /* variables: 1 + the index in dtrt_program.shared, of what devices share it; 0: each has its own */
} dtrt_tensor;

/* One step of an entry, for messages and profiles: dtrt_device.at is an index into these. Work is
 * counted for the device with the largest blocks. */
enum { DTRT_STEP_LOOP, DTRT_STEP_PRODUCT, DTRT_STEP_EXCHANGE };
typedef struct dtrt_step {
  const char *what;
  const char *where;
  int32_t kind;
  int64_t flops; /* of products and convolutions; else 0 */
  int64_t bytes; /* exchanges: received; others: of all values read and stored, each once */
} dtrt_step;

/* A value that is in memory after a step has computed it, for checks (dtrt_watch): inputs and
 * variables first, then in the order of the steps. `rounding` bounds the relative error that a
 * different order of its sums may cause (OpDef.rounding). */
enum {
  DTRT_OF_ELEMENT,
  DTRT_OF_MANY,
  DTRT_MOVED,
  DTRT_MIN_MAX,
  DTRT_EXCHANGED
}; /* how it depends on its operands */
typedef struct dtrt_operand {
  int32_t value;    /* its index, or -1: not in memory */
  int32_t constant; /* if value is -1: 1: `number` everywhere; 2: a constant that is not finite */
  double number;
  const char *name;
} dtrt_operand;
typedef struct dtrt_value {
  const char *name, *op, *where;
  int32_t tag;  /* identifies the value on any mesh; 0: none */
  int32_t node; /* of the local graph */
  int32_t step; /* -1: available from the beginning */
  int32_t dtype, kind;
  int32_t lent;    /* index of the input, if it may be in the host's memory; -1: in the arena or a
                      variable */
  int32_t in_vars; /* offset: in dtrt_device.vars */
  int64_t offset;
  const dtrt_layout *layout;
  double rounding;
  int32_t noperands;
  const dtrt_operand *operand;
} dtrt_value;

typedef struct dtrt_device dtrt_device;

typedef struct dtrt_entry {
  const char *name;
  void (*run)(dtrt_device *dev);
  int32_t nin, nout, nsteps, assigns; /* assigns: 1 if it changes variables */
  const dtrt_tensor *in, *out;
  const dtrt_step *step;
  int64_t arena_bytes;
  int32_t nvalues; /* 0 in code compiled without checks */
  const dtrt_value *value;
  int64_t own_bytes; /* of each core beside the first: dtrt_own */
} dtrt_entry;

/* A `const` of the model's sources, with the value it had, as text. */
typedef struct dtrt_const {
  const char *name, *value;
} dtrt_const;

/* In which order partial values of devices on several hosts are combined (docs/sums.md): as on one
 * host, or so that a host sends one sum, of the type itself. */
enum { DTRT_SUMS_FIXED, DTRT_SUMS_FAST };

/* What one core of the machine that a program is planned for can do at best, for profiles. */
typedef struct dtrt_rates {
  const char *machine;
  double flops;        /* a second, in products and convolutions */
  int64_t cached[3];   /* bytes of L1, L2 and L3 that a core has; 0: there is no such cache */
  double bandwidth[4]; /* bytes a second of L1, L2, L3 and memory */
} dtrt_rates;

/* The one symbol of a compiled program: `const dtrt_program dtg_program`. entry[0] is `init`, which
 * initializes all variables. */
typedef struct dtrt_program {
  int32_t abi;
  const char *name;
  int32_t naxes;
  const char *const *axis_name;
  const int32_t *axis_size;
  int32_t nvars, nentries, nexchanges;
  const dtrt_tensor *var;
  const dtrt_entry *entry;
  const dtrt_exchange *const *exchange;
  int64_t vars_bytes;
  const char *layouts; /* text of --dump=layouts, for `info`; NULL in programs of dtgc_load: use
                          dtgc_dump */
  /* Ranks compare these when they open: a hash of each entry's computation (of its C without
   * comments, the same wherever it was compiled), and the consts, so that a difference can be
   * named. NULL: unknown. */
  const uint64_t *code; /* [nentries] */
  int32_t nconsts;
  const dtrt_const *constant;
  const dtrt_link *link; /* [naxes]; NULL: those of the default machine */
  int32_t sums; /* DTRT_SUMS_...: of devices on several hosts */
  /* Sets of axes along which some variables are whole: devices of one process that differ in those
   * axes alone have one memory for them. */
  int32_t nshared;
  const uint32_t *shared;
  const dtrt_rates *rates; /* NULL: unknown */
} dtrt_program;

/* The part of a device that emitted C uses. The runtime's own fields follow it. */
struct dtrt_device {
  char *vars;  /* 64-byte aligned */
  char *arena; /* 64-byte aligned, at least the entry's arena_bytes */
  const int32_t *coord; /* one per mesh axis */
  uint64_t seed;
  int32_t at; /* index of the running step */
  const void *const *in; /* where the block of each lent input is: in the host's memory, or in the arena */
  char *const *out; /* where the block of each lent output goes: the same */
  /* By index in dtrt_program.shared: `vars` of the device whose memory it shares, often its own.
   * Who writes there: one device, or each its own part; dtrt_meet comes between those who read and
   * who write. */
  char *const *shared;
  uint64_t ways; /* that loops and branches took, mixed: dtrt_check_replicas compares them */
};

/* Waits until all devices of this process that share a variable with this one are here; all devices call it. */
void dtrt_meet(dtrt_device *dev);
/* Whether it is this device that writes what is shared so. */
int dtrt_writes(const dtrt_device *dev, int32_t shared);

/* Begins a step of the entry and ends the previous one. Step number nsteps is the final copies into
 * variables and outputs. */
void dtrt_begin_step(dtrt_device *dev, int32_t step);

/* Bounds of this device's block of a dim (defined above). */
int64_t dtrt_lo(const dtrt_device *dev, const dtrt_dim *dim);
int64_t dtrt_hi(const dtrt_device *dev, const dtrt_dim *dim);

/* Collective over the devices that differ only in x->axes: all must call, in the same order. `from` and
 * `to` are local blocks in this device's arena or vars; they may be the same for DTRT_ALL_REDUCE and must
 * not overlap otherwise. Does not return when a device has failed. */
void dtrt_run_exchange(dtrt_device *dev, const dtrt_exchange *x, const void *from, void *to);
/* n exchanges over the same axes as one: all-reduces of the same reduce op and dtype, or none of them all-reduces. */
void dtrt_run_exchanges(dtrt_device *dev, int n, const dtrt_exchange *const *x,
                        const void *const *from, void *const *to);

/* The same as a pair of start and wait: before dtrt_wait_exchange `from` must not be written, and
 * `to` neither read nor written. `slot`, from 1 to DTRT_SLOTS, is the in-flight slot, which no
 * other exchange uses meanwhile. All devices must start and await the same exchanges in the same
 * order, and await all before the entry ends. Messages to other processes progress whenever a step
 * begins or the device waits. */
void dtrt_start_exchange(dtrt_device *dev, int slot, const dtrt_exchange *x, const void *from, void *to);
void dtrt_start_exchanges(dtrt_device *dev, int slot, int n, const dtrt_exchange *const *x,
                          const void *const *from, void *const *to);
void dtrt_wait_exchange(dtrt_device *dev, int slot);

/* C[m][n] = A[m][k] B[k][n] (+ C when accumulate). Row-major with leading dims in elements;
 * ta: A is stored [k][m]; tb: B is stored [n][k]. Any of m, n, k may be 0. dtype: DTRT_F32 or DTRT_F64. */
void dtrt_gemm(int32_t dtype, int ta, int tb, int64_t m, int64_t n, int64_t k, const void *a,
               int64_t lda, const void *b, int64_t ldb, void *c, int64_t ldc, int accumulate);
/* A part of a loop: iterations from..to. `p` and `n`: what it reads and writes, and sizes. */
typedef void dtrt_part_fn(dtrt_device *dev, void *const *p, const int64_t *n, int64_t from,
                          int64_t to);
/* Calls f for parts of [0, count), which begin at multiples of `grain`, on all cores of the device at
 * once. They must write apart, in any order, and none may run an exchange. */
void dtrt_parallel(dtrt_device *dev, dtrt_part_fn *f, int64_t count, int64_t grain, void *const *p,
                   const int64_t *n);
int32_t dtrt_core(void); /* which of the device's cores runs this part; 0 outside of parts */
/* What a core has for itself while it runs a part: the first what is at `at`, in the arena, others
 * what is so many bytes from the beginning of their own. */
void *dtrt_own(dtrt_device *dev, void *at, int64_t offset);

/* An epilogue: called for rows from..to of C as soon as they are final. `rows` must treat all rows
 * alike, in any order and on several cores at once, and write neither A nor B. `read`: other
 * matrices of C's size, dense and row-major, that it reads: they are prefetched while the product is
 * computed. */
typedef struct dtrt_epilogue {
  dtrt_part_fn *rows;
  dtrt_device *dev;
  void *const *p;   /* for `rows` */
  const int64_t *n; /* for `rows` */
  int32_t nread;    /* at most 8 */
  const void *const *read;
  int64_t unit; /* rows are added up in units of so many: those of a unit are passed in order, on
                   one core; DTRT_FAR: all are; 0: any order will do */
} dtrt_epilogue;
/* dtrt_gemm of f32 without accumulation, with dense C and epilogue `then`. */
void dtrt_gemm_epilogue(int ta, int tb, int64_t m, int64_t n, int64_t k, const void *a, int64_t lda,
                        const void *b, int64_t ldb, void *c, const dtrt_epilogue *then);
/* Both of f32, where B does not change from the last dtrt_gemm_nest of this device to the next: calls
 * with the same B pack it once. */
void dtrt_gemm_keeping(int ta, int tb, int64_t m, int64_t n, int64_t k, const void *a, int64_t lda,
                       const void *b, int64_t ldb, void *c, int64_t ldc, int accumulate);
void dtrt_gemm_epilogue_keeping(int ta, int tb, int64_t m, int64_t n, int64_t k, const void *a,
                                int64_t lda, const void *b, int64_t ldb, void *c,
                                const dtrt_epilogue *then);
/* C of f32 from A and B of DTRT_BF16 or DTRT_F16, added in f32 (docs/sums.md), and epilogue `then`
 * (NULL: none). `rounds`: which of them are of f32, and rounded to that as they are packed.
 * `keeps`: as above. */
enum { DTRT_ROUND_A = 1, DTRT_ROUND_B = 2 };
void dtrt_gemm_half(int32_t dtype, int rounds, int ta, int tb, int64_t m, int64_t n, int64_t k,
                    const void *a, int64_t lda, const void *b, int64_t ldb, void *c, int64_t ldc,
                    int accumulate, int keeps, const dtrt_epilogue *then);
void dtrt_gemm_nest(void);
/* dtrt_gemm, or of halves dtrt_gemm_half, in loops, which step by so many elements of each matrix. The
 * first `apart` of them make parts of C that lie apart, which the cores of a device share; the others
 * add to those. */
typedef struct dtrt_loops {
  int32_t n, apart;
  int64_t count[8], a[8], b[8], c[8];
} dtrt_loops;
void dtrt_gemm_loops(int32_t dtype, int ta, int tb, int64_t m, int64_t n, int64_t k, const void *a,
                     int64_t lda, const void *b, int64_t ldb, void *c, int64_t ldc, int accumulate,
                     const dtrt_loops *loops);
/* dtrt_gemm of f32 with a masked-out part: in matrix `of`, all elements outside of the causal band
 * low <= column - row < high, rounded outward to blocks of DTRT_BAND_BLOCK rows and columns.
 * Masked-out elements of C are not computed; those of A and B are not read and count as 0, even
 * times infinity. */
typedef enum dtrt_band_of { DTRT_BAND_C, DTRT_BAND_A, DTRT_BAND_B } dtrt_band_of;
typedef struct dtrt_band {
  dtrt_band_of of;
  int64_t low, high;
} dtrt_band;
#define DTRT_BAND_BLOCK 32
#define DTRT_FAR ((int64_t)1 << 40) /* no bound */
void dtrt_gemm_band(int ta, int tb, int64_t m, int64_t n, int64_t k, const void *a, int64_t lda,
                    const void *b, int64_t ldb, void *c, int64_t ldc, int accumulate,
                    dtrt_band band);
/* Adds depths `at` to at + k of an f32 product with inner dim `all`, tile after tile; acc [m][ldc]
 * is kept between tiles, and used if there is more than one block (dtrt_gemm_part). band: that
 * of A or B; NULL: no mask. */
void dtrt_gemm_sum(int ta, int tb, int64_t m, int64_t n, int64_t k, const void *a, int64_t lda,
                   const void *b, int64_t ldb, void *c, int64_t ldc, double *acc, int64_t at,
                   int64_t all, const dtrt_band *band);
/* Zeros the masked-out part of a matrix of n columns; `step` elements from row to row. */
void dtrt_band_clear(float *p, int64_t rows, int64_t n, int64_t step, int64_t low, int64_t high);

/* A convolution's windows on this device's blocks of x [batch][large...][in], w
 * [taps...][each][out] and y [batch][small...][out], of n spatial dims (1 to 3): position q of y
 * and tap k read position q * stride + start + k * dilation of x, which is 0 outside of the block.
 * There are in / each channel groups (each > 0 where w is not empty). dtype is that of what is
 * read: DTRT_F32, DTRT_F64; DTRT_BF16 and DTRT_F16, whose results are f32. */
typedef struct dtrt_slide {
  int32_t dtype, n;
  int64_t batch, in, each, out;
  int64_t large[3], small[3], taps[3], stride[3], dilation[3], start[3];
} dtrt_slide;
/* y, the gradient with respect to x, and that with respect to w. Each element is one sum in the
 * order of the taps and channels, or for w of the pixels: docs/sums.md. */
void dtrt_conv(const dtrt_slide *s, const void *x, const void *w, void *y);
void dtrt_conv_input(const dtrt_slide *s, const void *y, const void *w, void *x);
void dtrt_conv_weight(const dtrt_slide *s, const void *x, const void *y, void *w);
/* The first two, with results of f32, and an epilogue over the positions of the result, in order: each row holds
 * the channels. */
void dtrt_conv_epilogue(const dtrt_slide *s, const void *x, const void *w, void *y,
                        const dtrt_epilogue *then);
void dtrt_conv_input_epilogue(const dtrt_slide *s, const void *y, const void *w, void *x,
                              const dtrt_epilogue *then);

/* Sums of more than DTRT_SUM_BLOCK rows picked by an index, in the order of docs/sums.md. The loop
 * adds to rows of a table of zeros, and at each DTRT_SUM_BLOCK-th hit of a row calls
 * dtrt_scatter_block; at the end the table has the sums. Cores have rows from..to each, in one room:
 * `before` says how many updates go to rows below. room: dtrt_scatter_room(rows, updates,
 * bytes of a row); size: elements of a row. */
#define DTRT_SUM_BLOCK 32 /* addends of a sum in sequence: docs/sums.md */
typedef struct dtrt_scatter {
  int32_t dtype, used, none, spare; /* slots are counted from 1; those up to `none` are others' */
  int64_t from, to, size;
  int32_t *top, *below; /* by row: its topmost slot; by slot: the one below, or the next spare one */
  uint8_t *hits, *level; /* by row, by slot */
  char *slot;
} dtrt_scatter;
/* Parts of it begin at multiples of 64 bytes. */
static inline int64_t dtrt_scatter_part(int64_t bytes) { return (bytes + 63) / 64 * 64; }
static inline int64_t dtrt_scatter_room(int64_t rows, int64_t updates, int64_t bytes) {
  const int64_t slots = updates / DTRT_SUM_BLOCK;
  return dtrt_scatter_part(4 * rows) + dtrt_scatter_part(rows) + dtrt_scatter_part(4 * slots) +
         dtrt_scatter_part(slots) + slots * bytes;
}
dtrt_scatter dtrt_scatter_begin(int32_t dtype, void *room, int64_t rows, int64_t updates,
                                int64_t size, int64_t from, int64_t to, int64_t before);
void dtrt_scatter_block(dtrt_scatter *s, int64_t row, void *sum);
static inline void dtrt_scatter_hit(dtrt_scatter *s, int64_t row, void *sum) {
  if (++s->hits[row] == DTRT_SUM_BLOCK) dtrt_scatter_block(s, row, sum);
}
void dtrt_scatter_end(dtrt_scatter *s, void *table);
/* The same where only rows that are named are touched: of a room that nothing was zeroed in (begun
 * with from = to = 0), the loop calls dtrt_scatter_fresh of each row before, and dtrt_scatter_row of
 * each at the end; more than once for a row does no harm. */
static inline void dtrt_scatter_fresh(dtrt_scatter *s, int64_t row) {
  s->top[row] = 0;
  s->hits[row] = 0;
}
void dtrt_scatter_row(dtrt_scatter *s, int64_t row, void *sum);
/* Indices of the first `count` elements of each line in sorted order: x is [outer][n][inner], out
 * is [outer][count][inner], count <= n < 2^31. Equal elements keep the order of their indices; NaN
 * is the largest. */
void dtrt_order(int32_t dtype, int64_t outer, int64_t n, int64_t inner, const void *x,
                int64_t count, int descending, int32_t *out);

/* Linear algebra of f32 and f64: a is [batch][rows][cols], row by row, and k the lesser of rows and
 * cols. The square ones need rows = cols. Where a matrix has no result, all of it is NaN. */
void dtrt_cholesky(int32_t dtype, int64_t batch, int64_t rows, int64_t cols, const void *a,
                   void *out); /* [rows][rows]: L; reads the lower triangle */
void dtrt_lu(int32_t dtype, int64_t batch, int64_t rows, int64_t cols, const void *a,
             void *out); /* [rows][rows + 1]: L, U in one; last which row of a each was */
void dtrt_determinant(int32_t dtype, int64_t batch, int64_t rows, int64_t cols, const void *a,
                      void *out); /* [1] */
void dtrt_log_determinant(int32_t dtype, int64_t batch, int64_t rows, int64_t cols, const void *a,
                          void *out); /* [2]: the determinant's sign, log of its size */
void dtrt_qr(int32_t dtype, int64_t batch, int64_t rows, int64_t cols, const void *a,
             void *out); /* [rows + cols][k]: Q, then R transposed */
void dtrt_qr_triangle(int32_t dtype, int64_t batch, int64_t rows, int64_t cols, const void *a,
                      void *out); /* the same with 0 for Q */
void dtrt_eigh(int32_t dtype, int64_t batch, int64_t rows, int64_t cols, const void *a,
               void *out); /* [rows + 1][rows]: eigenvectors as columns, then eigenvalues */
void dtrt_eigh_values(int32_t dtype, int64_t batch, int64_t rows, int64_t cols, const void *a,
                      void *out); /* the same with 0 for eigenvectors */
void dtrt_svd(int32_t dtype, int64_t batch, int64_t rows, int64_t cols, const void *a,
              void *out); /* [rows + cols + 1][k]: U, V, then the singular values */
void dtrt_svd_values(int32_t dtype, int64_t batch, int64_t rows, int64_t cols, const void *a,
                     void *out); /* the same with 0 for U and V */
/* a is [batch][rows][rows], b and x are [batch][rows][cols]: a x = b. */
void dtrt_solve(int32_t dtype, int64_t batch, int64_t rows, int64_t cols, const void *a,
                const void *b, void *x, int64_t flags); /* flags: 0 */
/* flags: 1 reads the lower triangle, not the upper; 2 takes it transposed; 4 its diagonal as 1. */
void dtrt_triangular_solve(int32_t dtype, int64_t batch, int64_t rows, int64_t cols, const void *a,
                           const void *b, void *x, int64_t flags);
/* Discrete Fourier transforms of f32 and f64, not scaled, of lines of n elements: a is
 * [outer][n][inner]. Of pairs of re and im the same number of pairs. */
void dtrt_dft(int32_t dtype, int64_t outer, int64_t n, int64_t inner, const void *a, void *out);
void dtrt_dft_inverse(int32_t dtype, int64_t outer, int64_t n, int64_t inner, const void *a,
                      void *out);
/* Of n real numbers the frequencies up to half of n, as n / 2 + 1 pairs; and back from so many
 * pairs to n real numbers. */
void dtrt_dft_of_real(int32_t dtype, int64_t outer, int64_t n, int64_t inner, const void *a,
                      void *out);
void dtrt_dft_to_real(int32_t dtype, int64_t outer, int64_t frequencies, int64_t inner,
                      const void *a, void *out, int64_t n);

/* What a program tells a person. The text has lines. A check: what to say, the condition, and names
 * of values, each of which follows as its type and its place; a print: the label, the type, and the
 * dims, "~6" of one that was shortened to 3 elements at each end. *done becomes 0. */
void dtrt_assert(dtrt_device *dev, int32_t *done, const char *text, int32_t type, const void *holds,
                 ...);
void dtrt_told(dtrt_device *dev, int32_t *done, const char *text);
void dtrt_print(dtrt_device *dev, int32_t *done, const char *text, int32_t type, const void *x);

/* An index read from data is outside [0, n). Names the step and stops all devices. Does not return. */
__attribute__((noreturn, cold)) void dtrt_bad_index(dtrt_device *dev, int64_t index, int64_t n);
/* The same of a window that begins at `index` and whose last element is `reach` further. */
__attribute__((noreturn, cold)) void dtrt_bad_window(dtrt_device *dev, int64_t index, int64_t reach,
                                                     int64_t n);
void dtrt_copy(void *to, const void *from, int64_t bytes); /* memcpy */
void dtrt_zero(void *to, int64_t bytes);
/* Transposed copies of elements of so many bytes: to[i * to_row + j] = from[j * from_row + i], for all
 * i below rows and j below columns. */
void dtrt_transpose_1(void *to, int64_t to_row, const void *from, int64_t from_row, int64_t rows,
                      int64_t columns);
void dtrt_transpose_2(void *to, int64_t to_row, const void *from, int64_t from_row, int64_t rows,
                      int64_t columns);
void dtrt_transpose_4(void *to, int64_t to_row, const void *from, int64_t from_row, int64_t rows,
                      int64_t columns);
void dtrt_transpose_8(void *to, int64_t to_row, const void *from, int64_t from_row, int64_t rows,
                      int64_t columns);

/* Inlined whatever their size: a call that stays a call keeps a loop from vectorising. */
#define DTRT_FN static inline __attribute__((always_inline, unused))

/* Defined where nothing is computed: parsing these functions takes as long as a small file. */
#ifndef DTRT_WITHOUT_MATH
#include "dtrt_math.h"
#include "dtrt_special.h"
#endif

/* Loops: DTRT_LOOP begins a loop function. Before a loop: DTRT_PLAIN: innermost, with independent
 * iterations; DTRT_LONG: the same, of very many instructions and run once: where the CPU has masks,
 * the last vector is a masked one rather than two more loops to compile; DTRT_FEW: the same, of few
 * iterations; DTRT_OF_F16 before one of these: of a loop that reads or writes f16, for which
 * clang's costs of conversions lead to vectors of four; DTRT_OUTER: contains other loops, where
 * unrolling would only add code to compile; DTRT_WHOLE: innermost, to be unrolled completely.
 * DTRT_ENTRY begins an entry, a sequence of calls: optimizing it costs compile time and gains
 * nothing. */
#define DTRT_LOOP static __attribute__((noinline))
#ifdef __clang__
#define DTRT_ENTRY static __attribute__((noinline, optnone))
#define DTRT_PLAIN _Pragma("clang loop unroll(disable)")
#ifdef __AVX512VL__
#define DTRT_LONG _Pragma("clang loop unroll(disable) vectorize_predicate(enable)")
#else
#define DTRT_LONG DTRT_PLAIN
#endif
#define DTRT_OUTER _Pragma("clang loop unroll(disable)")
#define DTRT_FEW DTRT_LONG
#define DTRT_WHOLE _Pragma("clang loop unroll(full)")
#if __clang_major__ >= 15 && defined(__F16C__)
#define DTRT_OF_F16 _Pragma("clang loop vectorize_width(16)")
#else
#define DTRT_OF_F16
#endif
#pragma clang diagnostic ignored "-Wpass-failed"
#else
#define DTRT_ENTRY static
#define DTRT_PLAIN _Pragma("GCC ivdep")
#define DTRT_LONG DTRT_PLAIN
#define DTRT_OUTER
#define DTRT_FEW
#define DTRT_WHOLE _Pragma("GCC unroll 4")
#define DTRT_OF_F16
#endif

/* A line of a cache to memory, without bringing it into the cache first, if it lies on one. What is
 * written so is seen by others behind dtrt_bypass_end. */
static inline __attribute__((always_inline)) void dtrt_bypass(void *to, const void *line) {
#ifdef __clang__
  typedef char dtrt_line __attribute__((vector_size(64), aligned(64), may_alias));
  if (!((__UINTPTR_TYPE__)to & 63)) {
    __builtin_nontemporal_store(*(const dtrt_line *)line, (dtrt_line *)to);
    return;
  }
#endif
  __builtin_memcpy(to, line, 64);
}
/* The first element from `from` on, that at `at`, which a line begins with; `to`, if that is first. */
static inline __attribute__((always_inline)) int64_t dtrt_next_line(const void *at, int64_t size,
                                                                    int64_t from, int64_t to) {
  const int64_t next = from + (int64_t)(-(__UINTPTR_TYPE__)at & 63) / size;
  return next < to ? next : to;
}
static inline __attribute__((always_inline)) void dtrt_bypass_end(void) {
#ifdef __x86_64__
  __builtin_ia32_sfence();
#endif
}

/* The runtime's own kernels sum each element of C in the order of k, in parts of this many addends:
 * sums over tiles of k that consist of whole parts have the same bits. Above DTRT_GEMM_BLOCK,
 * blocks of that many addends, in parts of DTRT_GEMM_DEPTH, are added in f64. */
#define DTRT_GEMM_DEPTH 256
#define DTRT_GEMM_BLOCK 2048
DTRT_FN int64_t dtrt_gemm_part(int64_t k) {
  const int64_t parts = (k + DTRT_GEMM_DEPTH - 1) / DTRT_GEMM_DEPTH;
  if (k > DTRT_GEMM_BLOCK) return DTRT_GEMM_DEPTH;
  return parts ? ((k + parts - 1) / parts + 15) / 16 * 16 : DTRT_GEMM_DEPTH;
}

/* The columns of a row, of n, inside the band: dtrt_band_from to dtrt_band_to. */
DTRT_FN int64_t dtrt_band_from(int64_t row, int64_t low, int64_t n) {
  const int64_t at = row / DTRT_BAND_BLOCK * DTRT_BAND_BLOCK + low;
  const int64_t whole = at / DTRT_BAND_BLOCK * DTRT_BAND_BLOCK;
  return at <= 0 ? 0 : whole < n ? whole : n;
}
DTRT_FN int64_t dtrt_band_to(int64_t row, int64_t high, int64_t n) {
  const int64_t at = row / DTRT_BAND_BLOCK * DTRT_BAND_BLOCK + DTRT_BAND_BLOCK - 1 + high;
  const int64_t whole = (at + DTRT_BAND_BLOCK - 1) / DTRT_BAND_BLOCK * DTRT_BAND_BLOCK;
  return at <= 0 ? 0 : whole < n ? whole : n;
}

/* Whether the condition of a loop or a branch holds, a scalar that all devices have alike. */
DTRT_FN int64_t dtrt_holds(dtrt_device *dev, const void *at) {
  const int64_t holds = *(const uint8_t *)at != 0;
  dev->ways = dev->ways * 0x9e3779b97f4a7c15u + (uint64_t)holds + 1;
  return holds;
}

/* An index read from data, checked. */
DTRT_FN int64_t dtrt_index(dtrt_device *dev, int64_t i, int64_t n) {
  if (i < 0 || i >= n) dtrt_bad_index(dev, i, n);
  return i;
}
/* An index that is known to lie within its dim. */
DTRT_FN int64_t dtrt_at(int64_t i) { return i; }
/* In loops that go on and check behind them: an index, or 0 in the place of one outside of [0, n);
 * of two, the one that is larger as a number without sign, which lies outside if one of them does;
 * and the check of that. */
#define DTRT_CHECKS(NAME, S, U)                                                                    \
  DTRT_FN int64_t dtrt_within_##NAME(S i, int64_t n) { return (U)i < (U)n ? i : 0; }                \
  DTRT_FN U dtrt_farther_##NAME(U a, S b) { return (U)b > a ? (U)b : a; }                           \
  DTRT_FN void dtrt_check_##NAME(dtrt_device *dev, U farthest, int64_t n) {                         \
    dtrt_index(dev, (S)farthest, n);                                                               \
  }
DTRT_CHECKS(i32, int32_t, uint32_t)
DTRT_CHECKS(i64, int64_t, uint64_t)
#undef DTRT_CHECKS
/* The begin of a window whose last element is `reach` further, checked. */
DTRT_FN int64_t dtrt_window(dtrt_device *dev, int64_t i, int64_t reach, int64_t n) {
  if (i < 0 || i >= n - reach) dtrt_bad_window(dev, i, reach, n);
  return i;
}
/* The same, of a position that lies in memory. */
#define DTRT_BEGIN(NAME, C)                                                                        \
  DTRT_FN int64_t dtrt_begin_##NAME(dtrt_device *dev, const void *at, int64_t reach, int64_t n) {  \
    const int64_t i = (int64_t)*(const C *)at;                                                     \
    return reach ? dtrt_window(dev, i, reach, n) : dtrt_index(dev, i, n);                          \
  }                                                                                                \
  /* A number in memory (below 2^63) and `more`, but at least 0 and at most n. */                   \
  DTRT_FN int64_t dtrt_filled_##NAME(const void *at, int64_t more, int64_t n) {                    \
    const int64_t i = (int64_t)*(const C *)at;                                                     \
    return i >= n - more ? n : i <= -more ? 0 : i + more;                                          \
  }
DTRT_BEGIN(u8, uint8_t)
DTRT_BEGIN(i8, int8_t)
DTRT_BEGIN(u16, uint16_t)
DTRT_BEGIN(i16, int16_t)
DTRT_BEGIN(u32, uint32_t)
DTRT_BEGIN(i32, int32_t)
DTRT_BEGIN(u64, uint64_t)
DTRT_BEGIN(i64, int64_t)
#undef DTRT_BEGIN
/* The rows q of n whose row at + q * stride is in [0, m): dtrt_first to dtrt_last. */
DTRT_FN int64_t dtrt_first(int64_t at, int64_t stride, int64_t n) {
  int64_t q = at >= 0 ? 0 : (-at + stride - 1) / stride;
  return q < n ? q : n;
}
DTRT_FN int64_t dtrt_last(int64_t at, int64_t stride, int64_t n, int64_t m) {
  int64_t q = m <= at ? 0 : (m - at + stride - 1) / stride;
  return q < n ? q : n;
}
/* Whether row i is in the block of n rows that begins at `from`. */
DTRT_FN int dtrt_owns(int64_t i, int64_t from, int64_t n) { return i >= from && i - from < n; }

/* A dim of n elements as k rows by the block law (k <= n): the first element of row i, and the row
 * of element e. */
DTRT_FN int64_t dtrt_row(int64_t i, int64_t n, int64_t k) { return i * n / k; }
DTRT_FN int64_t dtrt_row_of(int64_t e, int64_t n, int64_t k) { return ((e + 1) * k - 1) / n; }

/* ------------------------------------------------------------------ 2. for hosts */

/* In an executable of `dtgc model.dtg host.c -o host`: the program, and those for other sizes (--also),
 * NULL-terminated, for dtrt_add_program or dtrt_main. */
extern const dtrt_program dtg_program;
extern const dtrt_program *const dtg_variants[];

/* All functions: a `dtrt_status` of DTRT_OK (0), or a failure whose one-line reason (which names file,
 * rank, op and .dtg line where they are known) is dtrt_session_error. */
typedef enum dtrt_status {
  DTRT_OK,
  DTRT_FAILED,  /* a device failed while running; the session can only be closed */
  DTRT_INVALID, /* a wrong argument; nothing was done */
  DTRT_NO_MEMORY,
  DTRT_FILE, /* a file cannot be read or written, or is damaged; nothing was done */
  DTRT_BUSY  /* another thread is using the session; nothing was done */
} dtrt_status;

typedef struct dtrt_session dtrt_session;

/* What `print` in an entry shows. All of it lives only during the callback. `data` has all elements
 * of a tensor of up to 1000; of a larger one three at each end of each dim of more than 6, which
 * has 6 in `shape`. */
typedef struct dtrt_printed {
  const char *text;  /* as it would be written to stderr; ends in a newline */
  const char *where; /* "model.dtg:12" */
  const char *label; /* "" without one */
  const char *type;  /* "f32[100, 4]" */
  int dtype, rank;
  const int64_t *shape; /* [rank] */
  const void *data;     /* dense, row-major */
} dtrt_printed;
/* Called in the process of device 0, by the thread that calls the entry, in the order of the
 * program. It must return and must not use the session. */
typedef void dtrt_print_fn(void *user, const dtrt_printed *p);

enum { DTRT_CHECK_OFF, DTRT_CHECK_CHEAP, DTRT_CHECK_FULL };
enum { DTRT_BIND_NONE, DTRT_BIND_CORE, DTRT_BIND_NUMA };
enum { DTRT_PROGRESS_AUTO, DTRT_PROGRESS_THREAD, DTRT_PROGRESS_POLL };
typedef struct dtrt_options {
  const char *transport; /* "threads", "mpi", "self" or NULL: mpi under mpiexec, else self for one device,
                            else threads */
  uint64_t seed;         /* of all random values; 0 by default */
  const void *mpi_comm;  /* MPI_Comm * to use instead of MPI_COMM_WORLD, or NULL */
  int arena_slack;       /* reserved, 0 */
  int devices_per_rank;  /* under mpi, each a thread; 0: devices of the mesh / ranks */
  int check_nan;  /* DTRT_CHECK_OFF ..., see dtrt_session_found */
  double timeout; /* seconds that ranks wait for another, in a start or in an exchange; 0:
                     $DTRT_TIMEOUT, else 600; less than 0: forever */
  int cores; /* of each device; 0: $DTRT_CORES, else the host's cores shared out among its devices */
  /* Who takes messages further that were started early: a thread of each process, while devices
   * compute; or the devices alone, at the beginning of each step and while they wait. AUTO:
   * $DTRT_PROGRESS (thread or poll), else a thread where the host has more cores than devices and
   * MPI allows it (MPI_THREAD_SERIALIZED). Same bits either way; where no messages are sent there
   * is no thread. */
  int progress;
  dtrt_print_fn *print; /* gets what entries print; NULL: it is written to stderr */
  void *user;           /* of `print` */
  /* Threads of devices are bound within the process's affinity mask: each core of a device to a core
   * of its own (CORE), or a device to the CPUs of one NUMA node (NUMA). The calling thread, which is
   * the first device's, gets its mask back from dtrt_close. An error where devices have more cores
   * than the host. NONE: the kernel places them. */
  int bind;
} dtrt_options;

/* Functions below accept NULL, a negative count and an index out of range: they return
 * DTRT_INVALID, with the reason in dtrt_session_error if there is a session, or what they return of
 * a session that is not open (0, -1, "", NULL). */

/* Starts the devices and initializes all variables. `o` may be NULL. On failure *out is still a
 * session (or NULL when out of memory) that only dtrt_session_error and dtrt_close accept. The
 * program must outlive the session. One thread at a time may use a session: a call while another
 * thread is in one is DTRT_BUSY and does nothing. Several sessions may run side by side (with mpi
 * all ranks make the same calls in the same order, to one session at a time). Rank r of R owns the
 * devices rT to rT + T - 1, T being devices / R. The first device of a process runs in the calling
 * thread, the others in threads of their own; with fewer cores than devices they take turns on one
 * thread per core, each running until it waits for another. While a session is open, SIGSEGV,
 * SIGBUS, SIGFPE and SIGILL inside an entry become DTRT_FAILED; others are passed to the previous
 * handlers. Ranks compare their programs, including consts and the code of entries: a difference is
 * DTRT_INVALID, and the error names it. Under mpi DTRT_INVALID also if the launcher has started
 * more processes than MPI has ranks. The first session sets OpenBLAS to one thread a call, in the
 * whole process. Under mpi a failure is written to stderr and ends all ranks by MPI_Abort; when a
 * rank is killed, mpiexec ends the others, or else the waiting ranks detect it within a second. A
 * rank that hangs or never arrives is named after `timeout`, with its host and the position at
 * which it is awaited (docs/clusters.md); querying all ranks takes a few seconds more. Time in
 * which a process is itself stopped does not count. MPI must allow MPI_THREAD_SERIALIZED where a
 * process owns several devices. Environment: DTRT_TIMEOUT, see above; DTRT_PROGRESS, see above; DTRT_THREAD_EACH=1 gives each
 * device a thread, however few cores there are; DTRT_MPI_SHARED=0 makes ranks of one machine send
 * messages instead of sharing memory; DTRT_MPI_MODULE names libdtrt-mpi.so. */
dtrt_status dtrt_open(const dtrt_program *p, const dtrt_options *o, dtrt_session **out);
void dtrt_close(dtrt_session *s);
const char *dtrt_session_error(const dtrt_session *s);
const dtrt_program *dtrt_session_program(const dtrt_session *s);
int dtrt_session_ndevices(const dtrt_session *s); /* of the mesh */
int dtrt_session_rank(const dtrt_session *s);     /* this process's rank; 0 without mpi */
int dtrt_session_nranks(const dtrt_session *s);   /* processes; 1 without mpi */
int dtrt_session_cores(const dtrt_session *s);    /* of each device of this process */
int dtrt_session_progress(const dtrt_session *s); /* DTRT_PROGRESS_THREAD or _POLL */
/* Devices of this process: their number, and the first. */
int dtrt_session_local_devices(const dtrt_session *s);
int dtrt_session_first_device(const dtrt_session *s);
const char *dtrt_session_host(const dtrt_session *s,
                              int rank); /* its machine's name; "" without mpi */

/* Returns when all processes have called it. The name (up to 100 bytes, NULL for "") must be the
 * same on all: a rank at another barrier, or in another call, is an error that names its position.
 * `timeout` as in dtrt_options, 0: the session's. DTRT_FAILED names the ranks that are missing; the
 * session can then only be closed, and the process should end with a failure, because MPI_Finalize
 * would wait for them again. Without mpi it returns at once. */
dtrt_status dtrt_barrier(dtrt_session *s, const char *name, double timeout);

/* Runs an entry. in[i] and out[i] are whole tensors of the host, dense and row-major, in the order
 * of the entry's tables; each device reads only its own block of in[i], where it is or after
 * copying it, and makes its block of out[i] there or copies it. out[i] may be NULL (not returned). Under mpi every rank passes its own in (only its
 * block is read) and gets the whole of each output it asks for; ranks must ask for the same ones.
 */
dtrt_status dtrt_call(dtrt_session *s, int entry, const void *const *in, void *const *out);

/* n calls in one: the devices go on from one to the next by themselves, as if dtrt_call were called n
 * times. in[i] holds the n tensors of an input one after another (a dim of n before the others), or one
 * tensor that all calls get; out[i] has room for n. `in_bytes` and `out_bytes` are checked against
 * that (wrong ones, and n < 1, are DTRT_INVALID), and may be NULL where in or out is. Under mpi all ranks pass the same n,
 * and the same choice of outputs. A call that fails is reported as by dtrt_call, and those after it
 * are not run. Where NaN are checked (check_nan) each call returns to the host. */
dtrt_status dtrt_call_many(dtrt_session *s, int entry, int64_t n, const void *const *in,
                           const int64_t *in_bytes, void *const *out, const int64_t *out_bytes);

/* The same as dtrt_call, each device filling its own input blocks: fill(user, device, input, box lo, box hi, to)
 * is called on the device's own stack, for each input whose block is not empty; `to` is the dense
 * block [lo, hi). It must not wait for another device's fill, which may run later on the same
 * thread. Returns 0, or nonzero after writing a reason to `why` (of 256 bytes), which stops all
 * devices. */
typedef int dtrt_fill_fn(void *user, int device, int input, const int64_t *lo, const int64_t *hi,
                         void *to, char *why);
dtrt_status dtrt_call_fill(dtrt_session *s, int entry, dtrt_fill_fn *fill, void *user,
                           void *const *out);

/* Whole values of variables, dense and row-major. `bytes` is checked against the variable's size. */
int dtrt_find_var(const dtrt_program *p, const char *path); /* -1 */
int dtrt_find_entry(const dtrt_program *p, const char *name);
dtrt_status dtrt_get_var(dtrt_session *s, int var, void *to, int64_t bytes);
dtrt_status dtrt_set_var(dtrt_session *s, int var, const void *from, int64_t bytes);
/* The devices of this process: [*first, *first + *count). */
void dtrt_local_devices(const dtrt_session *s, int *first, int *count);
/* One device's block of a variable, dense; `bytes` is checked. */
dtrt_status dtrt_get_block(dtrt_session *s, int var, int device, void *to, int64_t bytes);
/* Runs the entries of another program, compiled from the same model and layouts for other sizes, on
 * this session's variables. Fails when the variables differ in path, type, shape or layout. Adding
 * a program twice returns the same index. */
dtrt_status dtrt_add_program(dtrt_session *s, const dtrt_program *p, int *which);
dtrt_status dtrt_call_fill_in(dtrt_session *s, int which, int entry, dtrt_fill_fn *fill, void *user,
                              void *const *out);

/* Training: runs an entry on batches of rows, epoch after epoch, as `fit` of the command line does
 * (docs/running.md): the entry's first dims are the batch, and rows that do not fill the last batch
 * are run by a program of that size. Rows come from files or from arrays of the host, which must
 * not change meanwhile. */
typedef struct dtrt_feed {
  const char *name; /* of an input */
  const char *file; /* as after --feed NAME= */
  const void *data; /* or, when not NULL: dense rows of the input's type */
  int64_t rows;     /* of data; ignored for a scalar input, whose value data points to */
} dtrt_feed;
typedef struct dtrt_rows {
  const char *entry;
  const dtrt_feed *feed; /* every input of the entry once */
  int nfeed;
  int64_t skip, limit; /* skips rows at the beginning; uses at most `limit` of the rest, 0: all */
} dtrt_rows;

/* Reads the fed inputs as whole tensors into in[i]: batch number `step` (wrapping around at the end
 * of the files), or, if the files have exactly the inputs' shapes, the same in each step. Other
 * inputs are not changed. DTRT_INVALID with the reason in `why`. */
dtrt_status dtrt_read_inputs(const dtrt_program *p, int entry, const dtrt_feed *feed, int nfeed, int64_t step,
                             void *const *in, char *why, int n);

typedef struct dtrt_metric { /* a float scalar output */
  const char *name;
  double value; /* of the last step */
  double mean;  /* over the rows of this epoch so far, every row counting once */
} dtrt_metric;
typedef struct dtrt_pass { /* the progress of one pass over the rows of an entry */
  const char *entry;
  int evaluates; /* 1: the entry of `eval` */
  int64_t epoch, epochs;
  int64_t step, steps; /* of the epoch: completed, and in total; the last may have fewer rows */
  int64_t rows;        /* counted in the means */
  double seconds;
  int nmetrics;
  const dtrt_metric *metric;
  int64_t beyond; /* steps that the session has gone on after this one (steps_per_call) */
} dtrt_pass;
/* Called between steps by the thread that called dtrt_fit; it may use the session for anything but
 * dtrt_fit and dtrt_close. `at` is valid until it returns. A result other than 0 stops training.
 * Under mpi every rank calls its own, and all must return the same. `eval` is NULL when nothing
 * evaluates. */
typedef int dtrt_step_fn(void *user, const dtrt_pass *at);
typedef int dtrt_epoch_fn(void *user, const dtrt_pass *train, const dtrt_pass *eval);

/* Verifies a training step: the entry's inputs, its outputs and the variables before and after it,
 * as whole tensors in the order of the tables (out[i] may be NULL). Returns 0: correct; 1: wrong;
 * -1: cannot be verified; with the reason in `why` of n bytes. Called on rank 0. */
typedef int dtrt_verify_fn(void *user, int entry, const void *const *in, const void *const *out, const void *const *before,
                           const void *const *after, char *why, int n);
typedef const dtrt_program *dtrt_more_fn(void *user, const char *constant, int64_t value);
typedef struct dtrt_fit_options { /* zero what you do not set */
  dtrt_rows train;
  dtrt_rows eval;        /* run after each epoch; entry NULL: nothing */
  int64_t epochs;        /* number of the last epoch; required */
  int64_t first_epoch; /* 0 means 1; higher to continue an earlier call, with the shuffles of these
                          epochs */
  int shuffle; /* 1: reshuffles the training rows in each epoch, depending on seed and epoch number
                  alone */
  uint64_t shuffle_seed;
  int drop_last;         /* 1: leave out rows that do not fill a batch */
  const dtrt_program *const *variants; /* for short batches: NULL-terminated, or NULL */
  dtrt_more_fn *more; /* called for a program with a constant overridden when none of `variants`
                         fits; may be NULL, and may return NULL if there is none */
  void *more_user;
  int64_t verify_every; /* calls `verify` every so many training steps; 0: never */
  dtrt_verify_fn *verify;
  void *verify_user;
  dtrt_step_fn *on_step; /* after each step, of evaluation too; or NULL */
  dtrt_epoch_fn *on_epoch;
  void *user;
  int64_t check_replicas; /* after every so many training steps: dtrt_check_replicas; 0: never */
  /* NULL, or an entry without inputs: row b of a step is then the row after row b of the step before
   * it, for training of a recurrent model in pieces (truncated backpropagation). States carry what
   * steps pass on; the entry resets them, and runs before each pass begins. Rows that do not fill a
   * step are left out. Excludes `shuffle`. */
  const char *stream;
  /* So many steps in a call of the session at most; 0: 1. on_step is then called for each of them after
   * the call, with the step's own metrics, but variables are those after the last: dtrt_pass.beyond.
   * What the options above have due after a step still comes right after it. */
  int64_t steps_per_call;
} dtrt_fit_options;
/* DTRT_OK also when a callback stopped it. DTRT_INVALID: a wrong argument or file; no step was run. */
dtrt_status dtrt_fit(dtrt_session *s, const dtrt_fit_options *o);

/* Whether all devices that hold the same block of a variable hold the same bits, as they must:
 * DTRT_FAILED names the first variable that differs and the two devices, with their ranks; the
 * session can then only be closed. All processes call it together. It costs about the time of
 * reading all variables once. */
dtrt_status dtrt_check_replicas(dtrt_session *s);

/* Calls `watch` on every device after each step of every entry, once for each result of the step:
 * on the device's own stack and concurrently, so it must guard shared data and must not wait for
 * another device. Only entries with a table of values have any. `data` is the dense block [lo, hi);
 * later steps read what `watch` writes there. A partial value is the device's addend. NULL stops
 * it. Call it between calls of entries. */
typedef struct dtrt_seen {
  const dtrt_program *program;
  const dtrt_entry *entry;
  int32_t value; /* index in the entry's */
  int32_t device;
  const int32_t *coord;
  /* Of a cyclic window also below 0 and beyond the dim: elements that far from the other end. */
  int64_t lo[DTRT_MAX_RANK], hi[DTRT_MAX_RANK];
  int64_t count; /* elements of the block */
  void *data;
} dtrt_seen;
typedef void dtrt_watch_fn(void *user, const dtrt_seen *seen);
void dtrt_watch(dtrt_session *s, dtrt_watch_fn *watch, void *user);

/* The first finding of the check for NaN and infinity (dtrt_options.check_nan), as one line; "":
 * nothing so far. Cheap: an output or a variable that is not finite after a call although inputs
 * and variables were; of tensors above 256 elements each call checks another 64th, or 128
 * KiB if that is less; the call succeeds, and a rank checks only its own devices. Full: the first
 * op in program order, on any device, with finite operands and a result that is not; the call fails
 * with DTRT_FAILED and this text. It requires code compiled for it (dtgc_options.check_nan, dtgc
 * --check-nan), or opening fails with DTRT_INVALID. */
const char *dtrt_session_found(const dtrt_session *s);

/* A device's traffic with other devices since the session began: bytes, counted where they are
 * copied or handed to a message; exchanges that were not local; and the largest scratch of an
 * exchange besides its input and output blocks. Copying outputs and variables to hosts is not
 * counted. All fields are -1 for a device of another process. Call between entries; ranks that
 * share memory, after all have finished the call. */
typedef struct dtrt_traffic {
  int64_t bytes; /* received */
  int64_t exchanges;
  int64_t sent;
  int64_t scratch;
} dtrt_traffic;
dtrt_traffic dtrt_session_traffic(const dtrt_session *s, int device);
/* A device's use of exchange algorithm number `which`, from 0 on: its name as in --dump=comm, the number
 * of exchanges, the messages received for them and their bytes, and the number of waits while nothing was
 * under way. Counted as above. name is NULL past the last algorithm, and the counts are -1 for a
 * device of another process. */
typedef struct dtrt_algorithm {
  const char *name;
  int64_t exchanges, messages, rounds, bytes;
} dtrt_algorithm;
dtrt_algorithm dtrt_session_algorithm(const dtrt_session *s, int device, int which);
/* The memory of one device, in bytes. Measured: the pages that the system has provided so far, and
 * the size of the device's tables. Not included: memory of the process (the program, threads'
 * stacks, batches that fit reads ahead), and copies of outputs and variables for hosts. */
typedef struct dtrt_memory {
  int64_t variables;
  int64_t arena;     /* inputs, outputs and intermediate values */
  int64_t packing;   /* packed operands of matrix products, of its thread */
  int64_t exchanges; /* scratch, and tables of boxes and peers */
  int64_t total;
} dtrt_memory;
/* All fields are -1 for a device of another process. Call between entries. */
dtrt_memory dtrt_device_memory(const dtrt_session *s, int device);
/* Predicts the memory of the device that uses most, after all entries have run, if devices read
 * each other's memory. `multiplies`: whether any entry has an f32 matrix product. Uses only the
 * mesh, exchanges and vars_bytes of p, and the entries' arena_bytes. DTRT_OK or DTRT_NO_MEMORY. */
dtrt_status dtrt_predict_memory(const dtrt_program *p, int multiplies, dtrt_memory *out);
/* Largest arena in use and bytes of variables, of one device. */
int64_t dtrt_session_memory(const dtrt_session *s);

/* -- profiles: docs/profiling.md. Times every step of every entry on every device from now on,
 * until the session is closed; earlier times are discarded. Under mpi all ranks call these three,
 * and rank 0 has the profile of all devices. */
dtrt_status dtrt_profile_start(dtrt_session *s);
/* The table of entries and their steps. *text is malloc'ed; "" on ranks above 0. DTRT_INVALID: nothing is timed. */
dtrt_status dtrt_profile_text(dtrt_session *s, char **text);
/* Saves a trace for chrome://tracing or Perfetto, in JSON, replacing an existing file: written
 * aside, synced, renamed. It holds the first calls, up to 131072 events per process; DTRT_FILE: it
 * cannot be written. */
dtrt_status dtrt_profile_save(dtrt_session *s, const char *path);

/* -- checkpoints: docs/checkpoints.md. All variables of the session's program as safetensors files in a folder. Every
 * device writes and reads its own blocks. Under mpi all ranks call, and the folder is one that all of them see. */

/* Progress of a training run. The host fills in and uses all fields; zero if unused. */
typedef struct dtrt_progress {
  int64_t step;  /* total steps completed */
  int64_t epoch; /* epochs completed */
  int64_t row;   /* rows completed of the current epoch */
  int64_t rows;  /* per epoch */
  int32_t shuffled;
  uint64_t shuffle, seed;
  char note[1024]; /* any text in UTF-8, ending in NUL */
} dtrt_progress;

typedef struct dtrt_save_options {
  const dtrt_progress *progress; /* NULL: zeros */
  int bf16;                      /* 1: params of f32 are rounded to bf16 on disk; restoring gives f32 again */
} dtrt_save_options;
/* Writes a checkpoint as folder `path`, replacing an existing one. It is written aside, synced to
 * disk and then renamed, so that `path` is always complete: the old checkpoint, the new one or, if
 * there was none, absent. `o` may be NULL. */
dtrt_status dtrt_save(dtrt_session *s, const char *path, const dtrt_save_options *o);

typedef struct dtrt_restore_options {
  const char *map; /* lines `theirs -> ours`; NULL: names as they are */
  int partial;     /* 1: variables missing from the file keep their values, and unknown tensors are
                      ignored; 0: both are errors */
  /* Called with one line for each of these. Under mpi, on every rank. NULL: not called. */
  void (*tell)(void *user, const char *line);
  void *user;
} dtrt_restore_options;
/* Sets variables to the values in `path`: a checkpoint, a folder of checkpoints step-N (the
 * newest), a .safetensors file, or a folder with such files and their index. Mesh and layouts may
 * differ from those it was saved with. All checksums are verified before any variable is changed.
 * DTRT_FILE: it is damaged or cannot be read. DTRT_INVALID: it belongs to another program. `o` and
 * `progress` may be NULL; *progress is zero for files that dtg did not write. */
dtrt_status dtrt_restore(dtrt_session *s, const char *path, const dtrt_restore_options *o,
                         dtrt_progress *progress);

/* `dtgc checkpoint ls|cat|diff|reshard ...`; messages begin with argv[0]. Returns the exit status.
 */
int dtrt_checkpoint_main(int argc, char **argv);

/* Rank and number of the processes that mpiexec started, from the environment alone: rank 0 of 1
 * without mpiexec. */
int dtrt_launch_rank(void);
int dtrt_launch_size(void);
int dtrt_launch_local(void); /* of these, those on this host; 0: mpiexec does not say */
/* The reason why this thread's last call of one of the two functions below failed; "" if unknown.
 */
const char *dtrt_launch_error(void);
/* The same among the ranks of an MPI_Comm (its address), which all must call; NULL: as above. */
dtrt_status dtrt_launch_place(const void *mpi_comm, int *rank, int *size);
/* Broadcasts *n bytes at *bytes from rank 0 to all other processes, which receive malloc'ed memory.
 * All ranks (of *mpi_comm, if not NULL) must call, while no session runs an entry; initializes MPI
 * if necessary. With one process it does nothing. A failure does not change *bytes. */
dtrt_status dtrt_launch_bcast(const void *mpi_comm, void **bytes, int64_t *n);

int64_t dtrt_tensor_count(const dtrt_tensor *t); /* elements of the whole tensor */
int dtrt_dtype_size(int dtype);
const char *dtrt_dtype_name(int dtype);

/* The command line that executables and `dtgc run` share: info, call, fit (docs/running.md).
 * Returns the exit status. `more` may be NULL: then only the programs of `variants`
 * (NULL-terminated, or NULL) serve short batches; else it is called for a program with a constant
 * overridden, and returns NULL after reporting the reason. */
int dtrt_main(int argc, char **argv, const dtrt_program *p, const dtrt_program *const *variants,
              dtrt_more_fn *more, void *user);
/* The same where `fit --verify-every` is possible. */
int dtrt_main_verified(int argc, char **argv, const dtrt_program *p, const dtrt_program *const *variants,
                       dtrt_more_fn *more, dtrt_verify_fn *verify, void *user);
/* Checks the arguments of dtrt_main before anything runs: commands, options, names of entries,
 * inputs and outputs, missing files or files of other shapes (large texts and archives are not
 * read), folders that cannot be written. -1: valid; else the exit status, after reporting the
 * reason. It uses the program's name and the names, inputs and outputs of its entries, but no code.
 * Under a launcher it checks no files, as ranks may see different ones. */
int dtrt_check_main(int argc, char **argv, const dtrt_program *p);
/* Executables call this before any library is initialized: UCX, below MPI, installs a handler for
 * SIGHUP when it is loaded, and this records whether the process was started with SIGHUP ignored
 * (nohup). dtrt_main calls it if it has not been called. */
void dtrt_main_early(void);

#ifdef __cplusplus
}
#endif
#endif
