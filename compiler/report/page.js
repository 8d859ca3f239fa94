'use strict';
// The page of --emit-html, first part: the data, words and small pieces that the others use. Each
// file of it draws one part: page_tensor.js what is known of one tensor, page_graph.js the graph,
// page_tables.js exchanges, memory, variables and the frame around them. What the data's lists hold
// is described in html.c, beside the code that writes them.
const D = JSON.parse(document.getElementById('data').textContent);
const AXES =
    D.mesh.map(([name, size, bandwidth, latency], i) => ({i, name, size, bandwidth, latency}));
const DEVICES = AXES.reduce((n, a) => n * a.size, 1);

// -------- building elements. Text goes in as text, never as HTML: names and sources are the
// user's.

function el(tag, attrs, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(attrs || {})) {
    if (v === undefined || v === null || v === false) continue;
    if (k.startsWith('on'))
      e.addEventListener(k.slice(2), v);
    else if (k === 'style')
      for (const [p, x] of Object.entries(v)) e.style.setProperty(p, x);
    else
      e.setAttribute(k, v === true ? '' : v);
  }
  e.append(...children.flat(3).filter((c) => c !== null && c !== undefined && c !== false));
  return e;
}

// The browser provides the namespace of SVG, so that the page holds no address at all.
let svgSpace = null;
function svg(tag, attrs, ...children) {
  if (!svgSpace) {
    const d = document.createElement('div');
    d.innerHTML = '<svg></svg>';
    svgSpace = d.firstChild.namespaceURI;
  }
  const e = document.createElementNS(svgSpace, tag);
  for (const [k, v] of Object.entries(attrs || {})) {
    if (v === undefined || v === null) continue;
    if (k.startsWith('on'))
      e.addEventListener(k.slice(2), v);
    else if (k === 'style')
      for (const [p, x] of Object.entries(v)) e.style.setProperty(p, x);
    else
      e.setAttribute(k, v);
  }
  e.append(...children.flat(3));
  return e;
}

// -------- words

const digits = (x) => String(Number(x.toPrecision(3)));
function timeText(s) {
  if (s === null) return '?';
  return s >= 1 ? digits(s) + ' s' : s >= 1e-3 ? digits(s * 1e3) + ' ms' : digits(s * 1e6) + ' us';
}
function bytesText(b) {
  const [f, unit] = b >= 1e12 ? [1e12, 'TB'] :
      b >= 1e9                ? [1e9, 'GB'] :
      b >= 1e6                ? [1e6, 'MB'] :
      b >= 1e3                ? [1e3, 'kB'] :
                                [1, 'B'];
  return digits(b / f) + ' ' + unit;
}
const rateText = (x) => (x >= 1e12 ? digits(x / 1e12) + ' T' : digits(x / 1e9) + ' G');
const percent = (part, all) => (all > 0 ? (100 * part / all).toFixed(1) + ' %' : '0 %');
const count = (n, one, many) => n + ' ' + (n === 1 ? one : many || one + 's');

const dimsOf = (type) => D.types[type][2];
const typeText = (type) => D.types[type][0] + '[' + dimsOf(type).join(', ') + ']';
const fileOf = (i) => D.files[i - 1];
function placeText(p) {
  if (p < 0) return '';
  const [f, line, callF, callLine] = D.places[p];
  return fileOf(f)[0] + ':' + line +
      (callF ? ', called at ' + fileOf(callF)[0] + ':' + callLine : '');
}

// -------- axes and layouts

const hue = (axis) => 'var(--axis' + (axis % 8) + ')';
const axesIn = (set) => AXES.filter((a) => set & (1 << a.i));
const axisChip = (a, partial) => el(
    'span', {class: 'axis' + (partial ? ' partial' : ''), style: {'--hue': hue(a)}}, AXES[a].name);
const axisChips = (axes) => axes.map((a) => [axisChip(a.i), ' ']);
function axesCutting(layout) { return [...new Set(D.layouts[layout].dims.flatMap((d) => d.axes))]; }

// [batch, (data, model)] partial(x): axis names in their hues
function layoutView(layout) {
  const l = D.layouts[layout], out = el('span', {class: 'layout'}, '[');
  l.dims.forEach((d, i) => {
    out.append(i ? ', ' : '', d.axes.length > 1 ? '(' : '');
    d.axes.forEach((a, k) => out.append(k ? ', ' : '', axisChip(a)));
    out.append(d.axes.length > 1 ? ')' : '', d.axes.length ? '' : '_', d.by ? ' by ' + d.by : '');
    if (d.window) out.append(' window');
  });
  out.append(']');
  if (l.partial) {
    out.append(' partial(');
    axesIn(l.partial).forEach((a, k) => out.append(k ? ', ' : '', axisChip(a.i, true)));
    out.append(l.reduce === 'sum' ? ')' : ', ' + l.reduce + ')');
  }
  return out;
}

// Stripes, one an axis; hatched in the hues of the axes over which it is partial.
function stripes(axes, partial, width) {
  const w = width || 7,
        under = axes.length === 0 ? 'linear-gradient(var(--whole), var(--whole))' :
      axes.length === 1           ? 'linear-gradient(' + hue(axes[0]) + ', ' + hue(axes[0]) + ')' :
                                    'repeating-linear-gradient(0deg, ' +
          axes.map((a, i) => hue(a) + ' ' + i * w + 'px ' + (i + 1) * w + 'px').join(', ') + ')';
  if (!partial) return under;
  const hatch = axesIn(partial).map((a, i, all) => {
    const from = i * 8;
    return 'var(--paper) ' + from + 'px ' + (from + 3) + 'px, ' + hue(a.i) + ' ' + (from + 3) +
        'px ' + (from + 8) + 'px';
  });
  return 'repeating-linear-gradient(45deg, ' + hatch.join(', ') + ')' +
      (axes.length ? ' right / 50% 100% no-repeat, ' + under : '');
}
function band(layout) {
  const l = D.layouts[layout];
  return el('span', {
    class: 'band',
    'aria-hidden': 'true',
    style: {background: stripes(axesCutting(layout), l.partial)}
  });
}

// -------- blocks and windows, as in block_law.h

const share = (i, m, k) => i * Math.floor(m / k) + Math.floor(i * (m % k) / k);
const parts = (d) => d.axes.reduce((k, a) => k * AXES[a].size, 1);

function windowBox([, mul, div, first, last, cyclic], n, lo, hi) {
  if (lo >= hi) return [0, 0];
  const a = mul < 0 ? hi - 1 : lo, b = mul < 0 ? lo : hi - 1;
  const begin = Math.ceil((a * mul + first) / div), end = Math.floor((b * mul + last) / div) + 1;
  if (cyclic) return [begin, end];
  const from = Math.max(0, begin), to = Math.min(n, end);
  return from >= to ? [0, 0] : [from, to];
}

function dimBox(d, n, coord) {
  const by = d.by || 1, m = Math.floor((d.window ? d.window[0] : n) / by), k = parts(d);
  let i = 0;
  for (const a of d.axes) i = i * AXES[a].size + coord[a];
  const lo = share(i, m, k) * by, hi = share(i + 1, m, k) * by;
  return d.window ? windowBox(d.window, n, lo, hi) : [lo, hi];
}
const boxOf = (layout, dims, coord) =>
    D.layouts[layout].dims.map((d, i) => dimBox(d, dims[i], coord));
const boxText = (box) => '[' + box.map(([lo, hi]) => lo + ':' + hi).join(', ') + ']';
const boxCount = (box) => box.reduce((n, [lo, hi]) => n * (hi - lo), 1);

// The largest block of a dim, as dim_block_most of layout.c has it.
function blockMost(d, n) {
  const by = d.by || 1, k = parts(d),
        most = (units) => (k === 1 ? units : Math.ceil(Math.floor(units / by) / k) * by);
  if (!d.window) return most(n);
  const [of, mul, div, first, last] = d.window, len = most(of);
  if (len === 0) return 0;
  return Math.min(n, Math.max(0, Math.floor(((len - 1) * Math.abs(mul) + last - first) / div) + 1));
}
const localDims = (layout, dims) => D.layouts[layout].dims.map((d, i) => blockMost(d, dims[i]));
const isEven = (layout, dims) => D.layouts[layout].dims.every(
    (d, i) => !d.window && Math.floor(dims[i] / (d.by || 1)) % parts(d) === 0);
const localBytes = (layout, type) =>
    localDims(layout, dimsOf(type)).reduce((a, b) => a * b, D.types[type][1]);

// -------- entries: the lists of the data as objects

function readNode([op, origin, type, layout, operands, value, buffer], i, raw) {
  const g = raw.global[origin], name = g[1] < 0 ? null : D.names[g[1]];
  return {
    i,
    op : D.names[op],
    origin,
    type,
    layout,
    operands,
    value,
    buffer,
    name,
    label : raw.labels[origin],
    place : g[4],
    item : null,
    users : []
  };
}
// Unnamed ones are called by op and line, as everywhere in dtgc: exp@m.dtg:13, exp@m.dtg:13#2.
function labelsOf(raw) {
  const count = new Map();
  return raw.global.map(([ op, name, type, layout, place ]) => {
    if (name >= 0) return D.names[name];
    const at = D.places[place], file = at && D.files[at[0] - 1][0].split('/').pop();
    const text = D.names[op] + (at ? '@' + file + ':' + at[1] : ''), had = count.get(text) || 0;
    count.set(text, had + 1);
    return had ? text + '#' + (had + 1) : text;
  });
}
const nodeText = (n) => n.name || n.label;
const nodeLabel = nodeText;

function readEntry(raw, index) {
  raw.labels = labelsOf(raw);
  const e =
      {index, raw, name: raw.name, nodes: raw.local.map((n, i) => readNode(n, i, raw)), items: []};
  e.time = raw.compute + raw.exchange - raw.hidden;
  for (const i of raw.inputs)
    e.items.push(
        {kind: 'input', nodes: [i], time: 0, flops: 0, bytes: 0, step: -1, runs: '', times: 1});
  raw.steps.forEach(
      ([kind, nodes, time, flops, bytes, runs = '', times = 1], step) =>
          e.items.push({kind, nodes, time, flops, bytes, step, runs, times}));
  e.items.forEach((it, i) => {
    Object.assign(it, {
      i,
      exchanges: [],
      from: new Set(),
      to: new Set(),
      vars: [],
      writes: [],
      returns: [],
      inner: []
    });
    for (const n of it.nodes) e.nodes[n].item = it;
  });
  const byStep = new Map(e.items.map((it) => [it.step, it]));
  let last = null;
  e.copies = [];
  e.exchanges = [];
  for (const [step, node, kind, axes, group, bytes, time, cause, why] of raw.exchanges) {
    const x =
        {item: byStep.get(step), node, kind, axes, group, bytes, time, cause, why: D.names[why]};
    if (kind === 'copy') {
      e.copies.push(x);
      continue;
    }
    x.number = (last ? last.number : 0) + (last && last.item === x.item ? 0 : 1);
    x.item.exchanges.push(x);
    e.exchanges.push((last = x));
  }
  for (const it of e.items) findReads(e, it);
  for (const [v, n] of raw.assigns) {
    const b = e.nodes[base(e, n)];
    if (b.item && b.item.step >= 0) b.item.writes.push(v);
  }
  for (const [name, n] of raw.outputs) {
    const b = e.nodes[base(e, n)];
    if (b.item) b.item.returns.push(D.names[name]);
  }
  return e;
}

// Of all its runs.
const callTime = (it) => it.time * it.times;

function base(e, i) {
  while (e.nodes[i].op === 'reshape') i = e.nodes[i].operands[0];
  return i;
}

// What a step reads: through everything that is computed inside its loop.
function findReads(e, item) {
  const seen = new Set(item.nodes), todo = item.nodes.flatMap((n) => e.nodes[n].operands);
  while (todo.length) {
    const i = todo.pop(), n = e.nodes[i];
    if (seen.has(i)) continue;
    seen.add(i);
    if (n.op === 'var') {
      if (!item.vars.includes(n.value)) item.vars.push(n.value);
    } else if (n.item) {
      if (n.item === item) continue;
      item.from.add(i);
      n.item.to.add(item);
    } else {
      if (n.op !== 'const') item.inner.push(i);
      todo.push(...n.operands);
    }
  }
  item.inner.sort((a, b) => a - b);
}

const V = D.vars.map(
    ([name, type, layout, place, bytes, offset, param, reasons, said], i) =>
        ({i, name: D.names[name], type, layout, place, bytes, offset, param, reasons, said}));
const E = D.entries.map(readEntry);
let current = E.find((e) => e.name !== 'init') || E[0];  // the entry that is shown
