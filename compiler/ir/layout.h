/* Mesh, layout and box: where the pieces of a tensor are.
 *
 * A mesh is a list of named axes; its devices are the points, the last axis varying fastest.
 * A layout says, for each dim of a tensor, over which axes it is cut (major to minor) and over
 * which axes the tensor is partial: each device holds a term of a sum (or max, min, prod) still to
 * be taken. Layouts are interned: equal layouts are equal pointers.
 *
 * Which elements a block or a window holds is defined in runtime/law/block_law.h.
 */
#ifndef DTG_LAYOUT_H
#define DTG_LAYOUT_H
#include "arena.h"
#include "diag.h"
#include "dtype.h"
#include "str.h"
#include "dtrt.h"
#include "block_law.h"

enum { MAX_RANK = DTRT_MAX_RANK, MAX_AXES = DTRT_MAX_AXES };

typedef struct Axis {
  const char *name;
  int64_t size;
  Span span;
} Axis;

typedef struct Mesh {
  int naxes;
  Axis axis[MAX_AXES];
  Span span;
} Mesh;

int64_t mesh_devices(const Mesh *m);
int mesh_find(const Mesh *m, const char *name); /* -1 when there is none */

typedef struct Shape {
  int rank;
  int64_t dim[MAX_RANK];
} Shape;

int64_t shape_count(const Shape *s);
int shape_last(const Shape *s); /* the last dim of several elements; -1: there is none */
bool shape_equal(const Shape *a, const Shape *b);
bool shape_equal_but_ones(const Shape *a, const Shape *b); /* dims of one element left out */
void shape_put(Str *out, const Shape *s); /* [64, 784] */

typedef struct DimLayout {
  int naxes;
  int axis[MAX_AXES]; /* major to minor */
  int64_t granule;    /* 1 unless a reshape made blocks coarser */
  Window window;
} DimLayout;

typedef enum Reduce { RED_SUM, RED_MAX, RED_MIN, RED_PROD } Reduce;

typedef struct Layout {
  int rank;
  uint32_t partial; /* set of axes */
  Reduce reduce;    /* how partial values combine */
  DimLayout dim[MAX_RANK];
} Layout;

typedef struct LayoutSet LayoutSet;
LayoutSet *layout_set_new(Arena *a, const Mesh *mesh);

/* The canonical, interned form: axes of size 1 are dropped, granules that change no block become 1.
 */
const Layout *layout_of(LayoutSet *s, const Layout *l, const Shape *shape);
const Layout *layout_whole(LayoutSet *s, int rank);
const Layout *layout_without_partial(LayoutSet *s, const Layout *l, const Shape *shape);

uint32_t layout_axes(const Layout *l);                /* set of the axes that cut some dim */
int layout_dim_cut(const Layout *l, int axis); /* the dim that the axis cuts; -1: none */
int64_t dim_parts(const Mesh *m, const DimLayout *d); /* how many ways it is cut */
bool dim_equal(const DimLayout *a, const DimLayout *b);
bool layout_is_plain(const Layout *l); /* no windows */

/* Elements of the largest block of a dim of n. Every block has this size when `dim_even`. */
int64_t dim_block_most(const Mesh *m, const DimLayout *d, int64_t n);
bool dim_even(const Mesh *m, const DimLayout *d, int64_t n);
void dim_box(const Mesh *m, const DimLayout *d, int64_t n, const int *coord, int64_t *lo,
             int64_t *hi);
/* Of block i, counted over the axes that cut the dim. */
void dim_box_at(const Mesh *m, const DimLayout *d, int64_t n, int64_t i, int64_t *lo, int64_t *hi);
bool dim_same_axes(const DimLayout *a, const DimLayout *b);
/* Every device's box of `inner` is inside its box of `outer`. Compiling must not take longer on
 * larger meshes: of a dim in more than DIM_BLOCKS_SEEN blocks that is not claimed. */
enum { DIM_BLOCKS_SEEN = 256 };
bool dim_inside(const Mesh *m, const DimLayout *outer, const DimLayout *inner, int64_t n);
/* A device has all that the window shows in its own block of a plain cut: a shift needs no more. */
bool window_is_there(const Mesh *m, const DimLayout *d, int64_t n);
/* A cyclic window of a dim of n shows no element twice. */
bool cyclic_fits(const Mesh *m, const DimLayout *d, int64_t n);
/* The least layout whose boxes hold those of both, which differ in their windows alone. False: there
 * is none. */
bool layout_around(const Mesh *m, Layout *out, const Layout *a, const Layout *b, const Shape *s);
/* Every device has all of it. */
bool layout_is_whole(const Mesh *m, const Layout *l, const Shape *s);
/* The largest local shape. */
Shape layout_local(const Mesh *m, const Layout *l, const Shape *global);
int64_t layout_bytes(const Mesh *m, const Layout *l, const Shape *global, DType t); /* ... its size */

const char *axes_text(Arena *a, const Mesh *m, uint32_t axes); /* "batch, model" */
void layout_put(Str *out, const Mesh *m, const Layout *l); /* [(batch, model), _] partial(x) */
const char *layout_text(Arena *a, const Mesh *m, const Layout *l);
void layout_dim(dtrt_dim *out, const DimLayout *d, int64_t n); /* as the runtime has it */

#endif
