// What page.js runs inside each page, after the page's own scripts and among their names: D, E, V,
// boxOf, ...
'use strict';
function allDevices() {
  let out = [[]];
  for (const a of AXES) out = out.flatMap((c) => [...Array(a.size).keys()].map((x) => [...c, x]));
  return out;
}
function checkBlocks(name, layout, type, devices) {
  const dims = dimsOf(type), l = D.layouts[layout], most = localDims(layout, dims),
        seen = new Map();
  for (const c of devices) {
    const box = boxOf(layout, dims, c);
    box.forEach(
        ([lo, hi], d) => check(
            lo >= 0 && hi <= dims[d] && hi - lo <= most[d], name, 'block out of range',
            boxText(box)));
    seen.set(boxText(box), boxCount(box));
  }
  if (!devices.length || l.dims.some((d) => d.window)) return;
  const sum = [...seen.values()].reduce((a, b) => a + b, 0), all = dims.reduce((a, b) => a * b, 1);
  check(sum === all, name, 'blocks have', sum, 'of', all, 'elements');
}
function leaves(rows) { return rows.flatMap((r) => (r.isPlace ? leaves(r.children) : r.all)); }
const devices = DEVICES <= 64 ? allDevices() : [];
for (const v of V) {
  check(
      localBytes(v.layout, v.type) === v.bytes, v.name, 'has', v.bytes, 'bytes, the page says',
      localBytes(v.layout, v.type));
  checkBlocks(v.name, v.layout, v.type, devices);
}
for (const e of E) {
  for (const n of e.nodes) {
    checkBlocks(e.name + ' %' + n.i, n.layout, n.type, devices);
    const chain = AXES.map((a) => chainOf({kind: 'node', entry: e.index, index: n.origin}, a.i));
    for (const c of chain)
      if (c.length)
        check(c[c.length - 1][1][1] !== 'from', e.name, nodeText(n), 'a reason leads nowhere');
  }
  for (const [, bytes, , , node, v] of e.raw.buffers)
    if (v < 0)
      check(
          localBytes(e.nodes[node].layout, e.nodes[node].type) === bytes, e.name,
          nodeText(e.nodes[node]), 'has', bytes, 'bytes');
  const all = e.items.reduce((s, it) => s + callTime(it), 0),
        said = e.raw.compute + e.raw.exchange; // numbers have six digits
  check(
      Math.abs(all - said) <= 1e-5 * said, e.name, 'steps take', all, 'and not', said);
  const m = memoryData(e);
  check(
      (m.alive[m.peak] || 0) === e.raw.live, e.name, 'alive', m.alive[m.peak], 'and not',
      e.raw.live);
  prepareGraph(e);
  const drawn = leaves(e.rows);
  check(
      drawn.length === e.items.length && new Set(drawn).size === drawn.length, e.name, drawn.length,
      'of', e.items.length, 'steps are drawn');
  for (const it of e.items)
    for (const i of it.from)
      check(
          e.nodes[i].item && e.nodes[i].item.step < it.step, e.name,
          'a step reads what is not there yet');
}
// The laws themselves, in another form: blocks from the law's own fraction, a window element by
// element.
const big = (x, y) => Number(BigInt(x) / BigInt(y));
const along = AXES.findIndex((a) => a.size > 1);
for (let n = 0; along >= 0 && n < 30; n++)
  for (const by of [1, 2, 5].filter((g) => n % g === 0))
    for (let i = 0, k = AXES[along].size; i < k && k < 20; i++) {
      const coord = AXES.map((a) => (a.i === along ? i : 0)), d = {axes: [along], by}, m = n / by;
      const lo = big(i * m, k) * by, hi = big((i + 1) * m, k) * by;
      check(
          boxText([dimBox(d, n, coord)]) === boxText([[lo, hi]]), 'block', i, 'of', k, 'of', n,
          'by', by);
      for (const [mul, div, first, last] of [
               [1, 1, -1, 1], [2, 1, -1, 3], [-1, 1, n, n], [1, 2, 0, 1]]) {
        const size = 2 * n + 2, needs = [];
        for (let x = 0; x < size; x++)
          for (let y = lo; y < hi; y++)
            if (x * div >= y * mul + first && x * div <= y * mul + last && !needs.includes(x))
              needs.push(x);
        const [a, b] = dimBox({axes: [along], by, window: [n, mul, div, first, last]}, size, coord);
        check(
            needs.every((x) => a <= x && x < b) &&
                (needs.length || mul !== 1 || div !== 1 || a === b),
            'window', mul, div, first, last, 'of', lo, hi, 'is', a, b, 'needs', needs.join(' '));
        check(
            !needs.length || (a === Math.min(...needs) && b === Math.max(...needs) + 1), 'window',
            mul, div, first, last, 'of', lo, hi, 'is', a, b, 'needs', needs.join(' '));
      }
    }
steps = E.reduce((n, e) => n + e.items.length, 0);
