/* messages.c: boxes by messages, where not all of a group can read each other's memory.
 *
 * What lies on the same place is read from memory. Of what comes from elsewhere a place takes one
 * copy: members that need the same box (twins) share the pieces out among them, and who receives
 * one writes it to all. Of terms that are combined a place sends its subtrees, which one of it
 * combines for the receiver (places.h). Exchanges that end in a host's memory do without: devices
 * send to devices, since only the host owns its memory. Devices along axes that the exchange does
 * not know, where all are of one place, do the same (copies): parts of pieces are theirs in turns,
 * and who receives one writes it to all.
 *
 * Memory: besides the two blocks it takes COMM_SCRATCH bytes at most (or about 1 KiB for each
 * device whose terms are combined, if that is more). Pieces go in parts, in the order of the
 * transfer's rounds, those of several exchanges one after the other; parts go in batches,
 * COMM_PIECES of which are under way, each with its track and its part of the scratch. transfer.h
 * says why there is no deadlock. Both ends cut a piece alike, since it is the same at both. */
#include "messages.h"
#include <limits.h>
#include <stdlib.h>
#include "device.h"
#include "exchange.h"
#include "reduce_terms.h"

/* -------- all kinds -------- */

void messages_send(const Together *t, int track, int peer, const void *at, int64_t bytes) {
  Device *d = t->d;
  if (d->comm->verbs->send(d->comm, d->id, t->lane * COMM_TRACKS + track, peer, at, bytes))
    device_fail(d, "out of memory for messages");
  device_staged(d, bytes, 0);
}

void messages_recv(const Together *t, int track, int peer, void *at, int64_t bytes) {
  Device *d = t->d;
  if (d->comm->verbs->recv(d->comm, d->id, t->lane * COMM_TRACKS + track, peer, at, bytes))
    device_fail(d, "out of memory for messages");
  device_staged(d, 0, bytes);
  if (d->uncounted) return;
  device_count(&d->ran[t->algorithm].messages, 1);
  device_count(&d->ran[t->algorithm].bytes, bytes);
}

/* -------- who and where -------- */

typedef struct MessageBoxes {
  CollectiveRun *m;
  const Together *t;
  const DeviceGroup *g;
  const Places *p;   /* NULL: every device is by itself */
  const Transfer *x; /* of the exchange that is looked at, number `of` */
  int of;
} MessageBoxes;

static MessageBoxes boxes_of(CollectiveRun *m, int of) {
  const Together *t = m->all;
  return (MessageBoxes){
      m, t, t->g, t->transfer[of]->for_hosts ? NULL : t->g->places, t->transfer[of], of};
}

static int compare(const void *a, const void *b) {
  return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

static int member_of(const MessageBoxes *b, int device) {
  const int *at = bsearch(&device, b->g->device, (size_t)b->g->n, sizeof device, compare);
  return (int)(at - b->g->device);
}

static int place_of(const MessageBoxes *b, int device) {
  return b->p ? b->p->place[member_of(b, device)] : device;
}

static bool is_near(const MessageBoxes *b, int device) {
  return device == b->t->d->id || (b->p && place_of(b, device) == b->p->place[b->g->me]);
}

/* Whether two devices of one place need the same box. */
static bool twins(const MessageBoxes *b, int one, int other) {
  const BlockMesh *m = b->t->d->mesh;
  for (int a = 0; a < m->naxes; a++)
    if (!(b->x->alike >> a & 1) &&
        one / m->stride[a] % m->size[a] != other / m->stride[a] % m->size[a])
      return false;
  return true;
}

/* The next twin of a device from member `at` of its place on; NULL: there is none. */
static const int *next_twin(const MessageBoxes *b, int device, int place, int *at) {
  for (; *at < places_near(b->p, place); ++*at) {
    const int *other = &b->g->device[b->p->member[b->p->first[place] + *at]];
    if (!twins(b, device, *other)) continue;
    ++*at;
    return other;
  }
  return NULL;
}

/* Which twin of a device takes the piece of the owners that begin with `base`. */
static int receiver_of(const MessageBoxes *b, int base, int device) {
  if (!b->p || !b->x->alike) return device;
  const int place = place_of(b, device);
  int n = 0, at = 0;
  while (next_twin(b, device, place, &at)) n++;
  int chosen = b->p->seat[member_of(b, base)] % n;
  const int *twin = NULL;
  for (at = 0; chosen >= 0; chosen--) twin = next_twin(b, device, place, &at);
  return *twin;
}

/* The device with the first of the terms of which I hold one. */
static int base_of(const MessageBoxes *b) {
  const BlockMesh *m = b->t->d->mesh;
  int base = b->t->d->id;
  for (int a = 0; a < m->naxes; a++)
    if (b->x->settle >> a & 1) base -= b->t->d->coord[a] * m->stride[a];
  return base;
}

static const char *from_of(const MessageBoxes *b, int device) {
  const Together *t = b->t;
  if (device == t->d->id) return t->from[b->of];
  return device_peer(t->d, device, device_from(t, device)[b->of]);
}

static char *to_of(const MessageBoxes *b, int device) {
  const Together *t = b->t;
  if (device == t->d->id) return t->to[b->of];
  return device_peer(t->d, device, device_to(t, device)[b->of]);
}

/* -------- terms -------- */

/* Room for what is combined, one for each term: taken from the scratch. */
typedef struct TermItem {
  SumNode node;
  bool dense;
  const char *at;
} TermItem;

typedef struct TeamRoom {
  TermItem *item;
  const void **from;
  void **to; /* [2 * members of a place] */
  SumNode *node, *top;
  int *leaf;
} TeamRoom;

static int64_t team_room_bytes(const DeviceGroup *g, int nterms) {
  int64_t each = (int64_t)(sizeof(TermItem) + sizeof(void *) + 2 * sizeof(SumNode) + sizeof(int));
  int64_t bytes = nterms * each + 2 * g->near->n * (int64_t)sizeof(void *);
  return divide_up(bytes, COMM_LINE) * COMM_LINE;
}

static TeamRoom team_room(const MessageBoxes *b) {
  const int n = b->x->nterms;
  TeamRoom r = {.item = (TermItem *)(void *)b->m->room};
  r.from = (const void **)(void *)(r.item + n);
  r.to = (void **)(void *)(r.from + n);
  r.node = (SumNode *)(void *)(r.to + 2 * b->g->near->n);
  r.top = r.node + n;
  r.leaf = (int *)(void *)(r.top + n);
  return r;
}

/* The terms, counted from `base` on, that are on the place of term i. 0: it is not the first of
 * them. */
static int leaves_with(const MessageBoxes *b, int base, int i, int *leaf) {
  const int *term = b->x->term, place = place_of(b, base + term[i]);
  int n = 0;
  for (int k = i - 1; k >= 0; k--)
    if (place_of(b, base + term[k]) == place) return 0;
  for (int k = i; k < b->x->nterms; k++)
    if (place_of(b, base + term[k]) == place) leaf[n++] = k;
  return n;
}

/* Of some terms on a place, who sends to the receiver. */
static int sender_of(const MessageBoxes *b, int base, const int *leaf, int n, int receiver) {
  const int turn = b->p ? b->p->seat[member_of(b, receiver)] % n : 0;
  return base + b->x->term[leaf[turn]];
}

static int64_t node_size(const MessageBoxes *b, SumNode node) {
  return node.level > 0 ? dtrt_dtype_size(reduce_wide(b->x->dtype)) : b->x->size;
}

static bool all_near(const MessageBoxes *b, int base) {
  for (int i = 0; i < b->x->nterms; i++)
    if (!is_near(b, base + b->x->term[i])) return false;
  return true;
}

static void took(const MessageBoxes *b, int device, int64_t elements) {
  if (device != b->t->d->id) device_took(b->t->d, device, elements * b->x->size);
}

/* What some terms on a place are sent as: their subtrees, or their sum, which is leaf `place`. */
static int tops_of(const MessageBoxes *b, const int *leaf, int n, int place, SumNode *top) {
  if (!b->x->fast) return sum_tree_nodes(leaf, n, b->x->nterms, top);
  *top = (SumNode){0, place};
  return 1;
}

/* The subtrees of my place's terms, dense, one after the other. Returns their bytes; to NULL: no
 * more than that. */
static int64_t put_subtrees(const MessageBoxes *b, const Piece *part, int base, const int *leaf,
                            int n, char *to) {
  const TeamRoom r = team_room(b);
  const int tops = tops_of(b, leaf, n, 0, r.top);
  int64_t all = 0;
  for (int i = 0, used = 0; i < tops; i++) {
    const int m = b->x->fast ? n : sum_tree_leaves(r.top[i], leaf + used, n - used);
    const int64_t size = node_size(b, r.top[i]);
    for (int k = 0; to && k < m; k++) {
      r.item[k].at = from_of(b, base + b->x->term[leaf[used + k]]);
      r.node[k] = (SumNode){0, b->x->fast ? k : leaf[used + k]};
      took(b, base + b->x->term[leaf[used + k]], part->elements);
    }
    BlockWalk w = block_walk(part);
    do {
      if (!to) break;
      for (int k = 0; k < m; k++) r.from[k] = r.item[k].at + w.from * b->x->size;
      void *at = to + all + w.dense * size;
      reduce_nodes(b->x->dtype, b->x->reduce, r.top[i].level > 0, &at, 1, r.from, r.node, m,
                   part->run);
    } while (block_next(&w));
    all += part->elements * size;
    used += m;
  }
  return all;
}

/* Bytes of the subtrees of some terms, which lie at `at`; item not NULL: adds them there. */
static int64_t find_subtrees(const MessageBoxes *b, const Piece *part, const int *leaf, int n,
                             int place, const char *at, TermItem *item, int *items) {
  const TeamRoom r = team_room(b);
  const int tops = tops_of(b, leaf, n, place, r.top);
  int64_t all = 0;
  for (int i = 0; i < tops; i++) {
    if (item) item[(*items)++] = (TermItem){r.top[i], true, at + all};
    all += part->elements * node_size(b, r.top[i]);
  }
  return all;
}

static int by_leaf(const void *a, const void *b) {
  const SumNode x = ((const TermItem *)a)->node, y = ((const TermItem *)b)->node;
  const int64_t p = sum_node_first(x), q = sum_node_first(y);
  return (p > q) - (p < q);
}

/* A device's and its copies'. */
static int copy_blocks(const MessageBoxes *b, int device, int64_t bytes, void **to) {
  for (int i = 0; i < b->x->copies; i++) {
    const int copy = device_copy(b->t->d, b->x->copied, device, i);
    to[i] = to_of(b, copy);
    if (copy != b->t->d->id) device_gave(b->t->d, copy, bytes);
  }
  return b->x->copies;
}

/* The blocks of all that need what I receive; mine among them. */
static int twin_blocks(const MessageBoxes *b, int64_t bytes, void **to) {
  const Together *t = b->t;
  int n = 0, at = 0;
  if (!b->p || !b->x->alike) return copy_blocks(b, t->d->id, bytes, to);
  for (const int *twin; (twin = next_twin(b, t->d->id, b->p->place[b->g->me], &at));)
    n += copy_blocks(b, *twin, bytes, to + n);
  return n;
}

/* My place's terms and those that have come, into the blocks of all who need them. */
static void settle(const MessageBoxes *b, const Piece *part, TermItem *item, int items) {
  const TeamRoom r = team_room(b);
  void **block = r.to + b->g->near->n;
  const int nto = twin_blocks(b, part->elements * b->x->size, block);
  if (!b->x->fast) qsort(item, (size_t)items, sizeof *item, by_leaf); /* else they are in order */
  for (int i = 0; i < items; i++) r.node[i] = item[i].node;
  BlockWalk w = block_walk(part);
  do {
    for (int i = 0; i < items; i++)
      r.from[i] =
          item[i].at + (item[i].dense ? w.dense * node_size(b, item[i].node) : w.from * b->x->size);
    for (int i = 0; i < nto; i++) r.to[i] = (char *)block[i] + w.to * b->x->size;
    reduce_nodes(b->x->dtype, b->x->reduce, false, r.to, nto, r.from, r.node, items, part->run);
  } while (block_next(&w));
}

/* All terms lie on my place: each takes what it needs. */
static void settle_near(const MessageBoxes *b, const Piece *q) {
  const TeamRoom r = team_room(b);
  for (int i = 0; i < b->x->nterms; i++) r.item[i].at = from_of(b, q->peer + b->x->term[i]);
  BlockWalk w = block_walk(q);
  do {
    for (int i = 0; i < b->x->nterms; i++) r.from[i] = r.item[i].at + w.from * b->x->size;
    void *to = (char *)b->t->to[b->of] + w.to * b->x->size;
    reduce_terms(b->x->dtype, b->x->reduce, &to, 1, r.from, b->x->nterms, q->run);
  } while (block_next(&w));
}

/* -------- one part: each returns how much scratch it takes -------- */

typedef enum Act { ACT_MEASURE, ACT_POST, ACT_TAKE } Act;

/* What lies in one run at both ends and is only moved needs no scratch, so it goes as one. */
static bool part_of(const CollectiveRun *m, const MessagePart *s, const Piece *q, Piece *part) {
  const Transfer *p = m->all->transfer[s->of];
  const int64_t most = p->nterms > 1 || q->nloops ? collective_part(&p->one) : q->elements;
  return block_part(q, collective_box_part(&p->one, most, q->elements, q->run), s->number, part);
}

/* Whether it is my copy that sends or receives the part: they take turns. */
static bool is_mine(const MessageBoxes *b, const MessagePart *s, const Piece *q) {
  return (s->of + s->number + q->round) % b->x->copies == b->x->copy;
}

static int64_t recv_terms(const MessageBoxes *b, const Piece *part, Act act, int track, char *at) {
  const TeamRoom r = team_room(b);
  const int base = part->peer, me = b->t->d->id;
  int64_t all = 0;
  int items = 0, place = 0;
  if (all_near(b, base) || receiver_of(b, base, me) != me) return 0;
  for (int i = 0; i < b->x->nterms; i++) {
    const int n = leaves_with(b, base, i, r.leaf);
    const bool here = n && is_near(b, base + b->x->term[i]);
    for (int k = 0; here && act == ACT_TAKE && k < n; k++) {
      const int device = base + b->x->term[r.leaf[k]];
      const SumNode node = b->x->fast ? (SumNode){SUM_ADDEND, place} : (SumNode){0, r.leaf[k]};
      r.item[items++] = (TermItem){node, false, from_of(b, device)};
      took(b, device, part->elements);
    }
    place += n > 0;
    if (!n || here) continue;
    const int peer = sender_of(b, base, r.leaf, n, me);
    const int64_t bytes = find_subtrees(b, part, r.leaf, n, place - 1, at + all,
                                        act == ACT_TAKE ? r.item : NULL, &items);
    if (act == ACT_POST) messages_recv(b->t, track, peer, at + all, bytes);
    all += bytes;
  }
  if (act == ACT_TAKE) settle(b, part, r.item, items);
  return all;
}

static int64_t recv_one(const MessageBoxes *b, const Piece *part, Act act, int track, char *at) {
  const int64_t size = b->x->size, bytes = part->elements * size;
  const int me = b->t->d->id;
  if (is_near(b, part->peer) || receiver_of(b, part->peer, me) != me) return 0;
  char *to = b->t->to[b->of];
  const bool packed = part->nloops > 0;
  if (act == ACT_POST)
    messages_recv(b->t, track, part->peer, packed ? at : to + part->to * size, bytes);
  if (act == ACT_TAKE && (packed || b->x->alike || b->x->copied)) {
    const TeamRoom r = team_room(b);
    const int n = twin_blocks(b, bytes, r.to);
    for (int i = 0; i < n; i++) {
      if (packed)
        block_unpack(part, size, r.to[i], at);
      else if (r.to[i] != to)
        dtrt_copy((char *)r.to[i] + part->to * size, to + part->to * size, bytes);
    }
  }
  return packed ? bytes : 0;
}

static int64_t send_part(const MessageBoxes *b, const Piece *part, Act act, int track, char *at) {
  const Together *t = b->t;
  const TeamRoom r = team_room(b);
  const int base = base_of(b), receiver = part->peer;
  int n = 1;
  if (is_near(b, receiver) || receiver_of(b, base, receiver) != receiver) return 0;
  if (b->x->nterms > 1) {
    n = 0;
    for (int i = 0; i < b->x->nterms; i++)
      if (place_of(b, base + b->x->term[i]) == place_of(b, t->d->id)) r.leaf[n++] = i;
    if (sender_of(b, base, r.leaf, n, receiver) != t->d->id) return 0;
  }
  const char *from = t->from[b->of];
  const int64_t size = b->x->size;
  int64_t bytes = part->elements * size;
  const bool packed = part->nloops > 0 || n > 1;
  if (n > 1)
    bytes = put_subtrees(b, part, base, r.leaf, n, act == ACT_POST ? at : NULL);
  else if (packed && act == ACT_POST)
    block_pack(part, size, at, from);
  if (act == ACT_POST)
    messages_send(t, track, receiver, packed ? at : from + part->from * size, bytes);
  return packed ? bytes : 0;
}

/* -------- parts in their order -------- */

static int64_t part_do(CollectiveRun *m, const MessagePart *s, Act act, int track, int64_t at) {
  const MessageBoxes b = boxes_of(m, s->of);
  char *room = m->scratch + track * m->each;
  Piece part;
  int64_t first = at;
  for (int i = s->recv; i < s->recv_end; i++)
    if (part_of(m, s, &b.x->recv[i], &part) && is_mine(&b, s, &part))
      at += (b.x->nterms > 1 ? recv_terms : recv_one)(&b, &part, act, track, room + at);
  for (int i = s->send; i < s->send_end; i++)
    if (part_of(m, s, &b.x->send[i], &part) && is_mine(&b, s, &part))
      at += send_part(&b, &part, act, track, room + at);
  return at - first;
}

/* The round that begins with these pieces of exchange `of`, or the first of a later one; false:
 * there are no more. */
static bool part_begin(const CollectiveRun *m, MessagePart *s, int of, int recv, int send) {
  for (; of < m->all->n; of++, recv = send = 0) {
    const Transfer *p = m->all->transfer[of];
    *s = (MessagePart){of, recv, recv, send, send, 0};
    if (recv == p->nrecv && send == p->nsend) continue;
    int round = recv < p->nrecv ? p->recv[recv].round : INT_MAX;
    if (send < p->nsend && p->send[send].round < round) round = p->send[send].round;
    while (s->recv_end < p->nrecv && p->recv[s->recv_end].round == round) s->recv_end++;
    while (s->send_end < p->nsend && p->send[s->send_end].round == round) s->send_end++;
    return true;
  }
  return false;
}

static bool part_next(const CollectiveRun *m, MessagePart *s) {
  const Transfer *p = m->all->transfer[s->of];
  Piece part;
  s->number++;
  for (int i = s->recv; i < s->recv_end; i++)
    if (part_of(m, s, &p->recv[i], &part)) return true;
  for (int i = s->send; i < s->send_end; i++)
    if (part_of(m, s, &p->send[i], &part)) return true;
  return part_begin(m, s, s->of, s->recv_end, s->send_end);
}

/* Posts parts until the track's room is full. */
static void post(CollectiveRun *m, int track) {
  int64_t at = 0;
  MessageBatch *batch = &m->batch[track];
  *batch = (MessageBatch){.first = m->end};
  while (m->more) {
    if (batch->parts && at + part_do(m, &m->end, ACT_MEASURE, track, at) > m->each) break;
    at += part_do(m, &m->end, ACT_POST, track, at);
    batch->parts++;
    m->more = part_next(m, &m->end);
  }
}

static void take(CollectiveRun *m, int track) {
  MessageBatch *batch = &m->batch[track];
  for (int64_t at = 0; batch->parts > 0; batch->parts--) {
    at += part_do(m, &batch->first, ACT_TAKE, track, at);
    part_next(m, &batch->first);
  }
}

/* What needs no message. */
static void take_near(CollectiveRun *m) {
  for (int of = 0; of < m->all->n; of++) {
    const MessageBoxes b = boxes_of(m, of);
    for (int i = 0; i < b.x->nrecv; i++) {
      const Piece *q = &b.x->recv[i];
      if (!all_near(&b, q->peer)) continue;
      for (int k = 0; k < b.x->nterms; k++) took(&b, q->peer + b.x->term[k], q->elements);
      if (b.x->nterms > 1)
        settle_near(&b, q);
      else
        block_copy(q, b.x->size, m->all->to[of], from_of(&b, q->peer));
    }
  }
}

/* -------- the algorithm -------- */

static bool direct_fits(const Collective *c) { return !c->direct && !c->all_reduce; }

/* How a box is cut (block_part): contiguous runs are sent in place, and of shorter runs as many are
 * packed together, packed, as fit into a part. */
typedef struct MessageCut {
  int64_t parts, bytes; /* of one part */
  bool packed;
} MessageCut;

static MessageCut cut_of(const Collective *c, int64_t box) {
  int64_t run = c->run > 0 && c->run < box ? c->run : box;
  const bool moved = c->terms == 1 && run == box;
  const int64_t most = moved ? box / c->size : collective_part(c);
  int64_t part = collective_box_part(c, most, box / c->size, run / c->size) * c->size;
  MessageCut cut = {.parts = 1, .bytes = box, .packed = run < box && run <= part};
  if (moved && c->copies == 1) return cut;
  if (cut.packed) part = part / run * run;
  cut.parts = cut.packed ? divide_up(box, part) : box / run * divide_up(run, part);
  cut.bytes = divide_up(box, cut.parts);
  return cut;
}

/* Boxes are taken to be about as large, and as many from each host where a device hears from all;
 * where from some, those are its neighbours. Of a reduce-scatter a device has one piece. */
static Price direct_price(const Collective *c, const Speed *s) {
  Price p = {.bytes = c->received, .far = c->received, .peers = c->senders};
  (void)s;
  if (!c->received || !c->boxes) return p;
  const PlacesShape *all = &c->places, *team = &c->team;
  const int64_t box = divide_up(c->received / c->size, c->boxes) * c->size;
  const MessageCut cut = cut_of(c, box);
  int64_t pieces = c->boxes;
  if (c->terms > 1) /* of my own terms' devices alone, or of others', too */
    pieces = c->senders < c->terms ? c->boxes / (c->terms - 1) : divide_up(c->boxes, c->terms);
  /* Of copies that have a part, and of sums that they bring. */
  const int64_t copies = cut.parts * pieces < c->copies ? cut.parts * pieces : c->copies;
  const int64_t others = pieces * box - divide_up(pieces * box, copies);
  if (all->near == 1) {
    p.messages = divide_up(cut.parts * c->boxes, copies);
    if (copies > 1) p.far = p.messages * cut.bytes;
    if (c->terms > 1) p.bytes = p.far + others;
  } else if (c->terms > 1 && team->places > 1) {
    const int64_t size = team->near > 1 ? c->wide : c->size;
    p.far = divide_up(pieces * team->outside * (box / c->size), copies) * size;
    const int64_t near = (team->near - 1) * (1 + team->deputy); /* for others, too */
    p.bytes = p.far + divide_up(pieces * near * box, copies) + others;
    p.messages = divide_up(cut.parts * pieces, copies) * (team->places - 1);
  } else {
    if (c->senders >= c->group - 1)
      pieces = divide_up(pieces * (c->group - all->fewest), c->group - 1);
    else
      pieces = divide_up(pieces, 2);
    pieces = divide_up(pieces, c->twins);
    p.far = divide_up(pieces * box, copies);
    p.messages = divide_up(cut.parts * pieces, copies);
  }
  p.local = all->near > 1 || c->copies > 1 ? 2 : 0;
  p.rounds = 1 + p.local;
  return p;
}

static bool shares(const CollectiveRun *m) {
  return m->all->g->near->n > 1 && !m->all->transfer[0]->for_hosts;
}

static void publish(const Together *t) {
  for (int k = 0; k < t->n; k++) {
    device_from(t, t->d->id)[k] = device_address(t->d, t->from[k]);
    if (t->transfer[k]->alike || t->transfer[k]->copied)
      device_to(t, t->d->id)[k] = device_address(t->d, t->to[k]);
  }
}

static void begin(CollectiveRun *m) {
  const Together *t = m->all;
  int64_t room = 0, all = 0;
  for (int k = 0; k < t->n; k++) {
    const Transfer *p = t->transfer[k];
    const int64_t own = team_room_bytes(t->g, p->nterms), wide = p->one.wide;
    const int64_t part = 2 * collective_part(&p->one) * p->nterms * wide;
    if (own > room) room = own;
    if (part > m->each) m->each = part;
    for (int i = 0; i < p->nsend; i++) all += p->send[i].elements * wide * p->nterms;
    for (int i = 0; i < p->nrecv; i++) all += p->recv[i].elements * wide * p->nterms;
  }
  const int64_t least = divide_up(COMM_SCRATCH - room, COMM_PIECES);
  if (m->each < least) m->each = least;
  all = divide_up(all, COMM_LINE) * COMM_LINE;
  if (m->each > all) m->each = all; /* it is all one batch */
  m->each = m->each / COMM_LINE * COMM_LINE;
  const int64_t bytes = all <= m->each ? all : COMM_PIECES * m->each;
  m->room = device_lane_scratch(t->d, t->lane, room + bytes);
  m->scratch = m->room + room;
  m->more = part_begin(m, &m->end, 0, 0, 0);
}

/* Batches take tracks in turns. */
static RunWait go_on(CollectiveRun *m) {
  if (m->waited) {
    take(m, m->track);
    if (m->more) post(m, m->track);
    m->track = (m->track + 1) % COMM_PIECES;
  }
  if (m->batch[m->track].parts) {
    const bool first = !m->waited;
    m->waited = true;
    return first ? RUN_MESSAGES : RUN_PIECE;
  }
  m->taken = true;
  return shares(m) ? RUN_LEAVE : RUN_OVER;
}

static RunWait direct_run(CollectiveRun *m) {
  const bool near = shares(m);
  if (m->taken) return RUN_OVER;
  if (m->step == 0) {
    begin(m);
    if (near) publish(m->all);
    if (near) return RUN_ARRIVE;
  }
  if (m->step == near) {
    for (int i = 0; i < COMM_PIECES; i++) post(m, i);
    take_near(m);
  }
  return go_on(m);
}

const CollectiveAlgorithm messages_direct = {"messages-direct", direct_fits, direct_price,
                                             direct_run};
