// -------- one tensor: its blocks on the mesh, the reasons of its layout, its versions. Drawn
// into the panel.

// -------- the mesh as a picture

const MOST_TABLES = 12;
// Of a long axis the first ones and the last; null stands for those between.
const someOf = (size) => (size <= 8 ? [...Array(size).keys()] : [0, 1, 2, 3, null, size - 1]);

// Calls cell(coord) for each device that is shown; one table for each point of the axes before the
// last two.
function meshView(cell) {
  const n = AXES.length;
  if (n === 0) return el('div', {class: 'meshes'}, meshTable([], cell));
  let outer = [[]], left = false;
  for (const a of AXES.slice(0, Math.max(0, n - 2))) {
    outer = outer.flatMap((c) => someOf(a.size).filter((x) => x !== null).map((x) => [...c, x]));
    left = left || someOf(a.size).includes(null) || outer.length > MOST_TABLES;
    outer = outer.slice(0, MOST_TABLES);
  }
  return el(
      'div', {class: 'meshes'}, outer.map((c) => meshTable(c, cell)),
      left ? el('span', {class: 'dim'}, '\u2026 and more') : null);
}

function meshTable(outer, cell) {
  const n = AXES.length, columns = n ? AXES[n - 1] : null, rows = n > 1 ? AXES[n - 2] : null;
  const across = columns ? someOf(columns.size) : [0], down = rows ? someOf(rows.size) : [0];
  const head = (a, x) =>
      el('th', {scope: a === rows ? 'row' : 'col', style: {color: 'var(--ink)'}},
         x === null ? '\u2026' : [a.name, ' ' + x]);
  const t = el('table', {class: 'mesh'});
  if (outer.length)
    t.append(el('caption', {}, outer.map((x, i) => AXES[i].name + ' ' + x).join(', ')));
  if (columns)
    t.append(el('tr', {}, rows && el('td', {class: 'gap'}), across.map((x) => head(columns, x))));
  for (const y of down)
    t.append(el('tr', {}, rows && head(rows, y), across.map((x) => {
      if (x === null || y === null) return el('td', {class: 'gap'}, '\u2026');
      return cell([...outer, ...(rows ? [y] : []), ...(columns ? [x] : [])]);
    })));
  return t;
}

const deviceNumber = (coord) => coord.reduce((n, x, i) => n * AXES[i].size + x, 0);
const coordText = (coord) =>
    (coord.length ? coord.map((x, i) => AXES[i].name + ' ' + x).join(', ') : 'the device');

// -------- a tensor's blocks

const WIDE = 330, HIGH = 170, MOST_ROWS = 64;

// The picture has at most two dims: the split ones, else the first two.
function drawnDims(layout, dims) {
  const l = D.layouts[layout], cut = [];
  l.dims.forEach((d, i) => {
    if (d.axes.length || d.window) cut.push(i);
  });
  if (cut.length > 2) return null;
  const shown = cut.slice();
  for (let i = 0; i < dims.length && shown.length < Math.min(2, dims.length); i++)
    if (!shown.includes(i)) shown.push(i);
  return shown.sort((a, b) => a - b);
}

function blocksView(layout, type) {
  const dims = dimsOf(type), l = D.layouts[layout], shown = drawnDims(layout, dims);
  const say = el('p', {class: 'said mono', 'aria-live': 'polite'});
  const devices = [], rects = new Map();
  const light = (key, coord) => {
    for (const d of devices)
      d.button.classList.toggle('on', coord ? d.coord === coord : key !== null && d.key === key);
    for (const [k, r] of rects) r.classList.toggle('on', k === key);
    if (coord) {
      const d = devices.find((x) => x.coord === coord);
      say.textContent =
          'device ' + deviceNumber(coord) + ' (' + coordText(coord) + ') holds ' + d.what;
    } else if (key) {
      const who = devices.filter((x) => x.key === key);
      say.textContent = who[0].what + ' is on ' + count(who.length, 'device') +
          ' shown here: ' + who.map((d) => deviceNumber(d.coord)).join(', ');
    } else
      say.textContent = '';
  };
  const mesh = meshView((coord) => {
    const box = boxOf(layout, dims, coord), key = boxText(box), elements = boxCount(box);
    const what = (elements ? key : 'nothing') +
        (elements ? ', ' + bytesText(elements * D.types[type][1]) : '') +
        (l.partial ? ', a term of the ' + l.reduce : '');
    const button =
        el('button', {
          'aria-label': 'device ' + deviceNumber(coord) + ', ' + coordText(coord) + ': ' + what,
          onmouseenter: () => light(key, coord),
          onfocus: () => light(key, coord),
          onmouseleave: () => light(null),
          onblur: () => light(null)
        },
           deviceNumber(coord));
    devices.push({coord, key, box, what, button});
    return el('td', {class: 'holds'}, button);
  });
  const out = el('div', {});
  if (shown)
    out.append(drawBlocks(layout, dims, shown, devices, rects, light));
  else
    out.append(el('p', {class: 'dim'}, 'More than two dims are cut: see the table.'));
  out.append(say, el('p', {class: 'dim'}, 'Devices (point at one):'), mesh);
  out.append(blockTable(devices, !shown || dims.length > 2));
  return out;
}

function drawBlocks(layout, dims, shown, devices, rects, light) {
  const l = D.layouts[layout],
        [dy, dx] = shown.length === 2 ? shown : [null, shown.length ? shown[0] : null];
  const w = dx === null ? 60 : WIDE, h = dy === null ? 46 : HIGH,
        nx = dx === null ? 1 : dims[dx] || 1, ny = dy === null ? 1 : dims[dy] || 1;
  const cut = axesCutting(layout), first = cut.length ? hue(cut[0]) : null;
  const s = svg('svg', {
    class: 'picture',
    viewBox: '0 0 ' + (w + 2) + ' ' + (h + 2),
    width: w + 2,
    height: h + 2,
    role: 'img',
    'aria-label': 'the blocks of the tensor'
  });
  for (const d of devices) {
    if (rects.has(d.key) || boxCount(d.box) === 0) continue;
    const [x0, x1] = dx === null ? [0, 1] : d.box[dx], [y0, y1] = dy === null ? [0, 1] : d.box[dy];
    const x = 1 + x0 / nx * w, y = 1 + y0 / ny * h, bw = (x1 - x0) / nx * w,
          bh = (y1 - y0) / ny * h;
    const style = first ? {
      '--hue': first,
      'fill-opacity': D.layouts[layout].dims.some((z) => z.window) ? '.55' : '1'
    } :
                          {};
    const r = svg('rect', {
      x,
      y,
      width: bw,
      height: bh,
      style,
      onmouseenter: () => light(d.key),
      onmouseleave: () => light(null)
    });
    const who = devices.filter((z) => z.key === d.key).map((z) => deviceNumber(z.coord));
    s.append(r);
    if (l.partial) s.append(svg('rect', {class: 'terms', x, y, width: bw, height: bh}));
    const text = who.length > 4 ? who.slice(0, 3).join(' ') + ' \u2026' : who.join(' ');
    if (bw > 7 * text.length && bh > 13)
      s.append(svg('text', {x: x + bw / 2, y: y + bh / 2}, text));
    rects.set(d.key, r);
  }
  if (l.partial) s.prepend(hatchPattern(axesIn(l.partial)[0].i));
  s.append(svg('rect', {class: 'frame', x: 1, y: 1, width: w, height: h}));
  const name = (d) => 'dim ' + d + ' (' + dims[d] + ')';
  const note = dx === null ? 'A scalar' :
      dy === null          ? name(dx) + ' to the right' :
                             name(dy) + ' downwards, ' + name(dx) + ' to the right';
  const more = dims.length > shown.length ? '; the other dims are whole' : '';
  return el(
      'div', {}, s,
      el('p', {class: 'dim'},
         note + more + '. Numbers are devices' +
             (l.partial ? '; hatched: each holds a term of a ' + l.reduce + ' over ' +
                      axesIn(l.partial).map((a) => a.name).join(', ') :
                          '') +
             '.'));
}

function hatchPattern(axis) {
  const line = svg('path', {d: 'M0 6 L6 0', style: {stroke: hue(axis), 'stroke-width': '2'}});
  return svg(
      'defs', {},
      svg('pattern', {id: 'hatch', width: 6, height: 6, patternUnits: 'userSpaceOnUse'}, line));
}

function blockTable(devices, open) {
  const rows = devices.slice(0, MOST_ROWS)
                   .map(
                       (d) =>
                           el('tr', {}, el('td', {class: 'num'}, deviceNumber(d.coord)),
                              el('td', {}, coordText(d.coord)), el('td', {class: 'mono'}, d.what)));
  const head =
      el('tr', {}, el('th', {class: 'num'}, 'device'), el('th', {}, 'coordinates'),
         el('th', {}, 'holds'));
  return el(
      'details', open ? {open: true} : {}, el('summary', {}, 'Blocks as a table'),
      el('table', {class: 'list'}, head, rows),
      DEVICES > rows.length && el('p', {class: 'dim'}, 'Some of ' + DEVICES + ' devices.'));
}

// -------- why: from a tensor back to the annotation

// A tensor here is what a reason names: { kind: node, var or output; entry; index } of the whole
// program's graph.
function tensorFacts(t) {
  if (t.kind === 'var')
    return {name: V[t.index].name, reasons: V[t.index].reasons, said: V[t.index].said};
  const raw = D.entries[t.entry];
  if (t.kind === 'output')
    return {name: D.names[raw.outputs[t.index][0]], reasons: raw.outputs[t.index][2], said: -1};
  const g = raw.global[t.index];
  return {name : raw.labels[t.index], reasons : g[5], said : g[6]};
}

function tensorLink(t) {
  const name = tensorFacts(t).name;
  if (t.kind === 'var') return linkTo('v' + t.index, name);
  if (t.kind === 'node' && t.entry === current.index) {
    const n = current.nodes.find((x) => x.origin === t.index);
    if (n && n.op !== 'const') return linkTo('n' + n.i, name);
  }
  return el('span', {}, name);
}

// [tensor, reason] from t on, until one that no tensor gave
function chainOf(t, axis) {
  const out = [];
  for (let at = t; at && out.length < 10000;) {
    const r = tensorFacts(at).reasons.find((x) => x[0] === axis);
    if (!r) break;
    out.push([at, r]);
    at = r[1] === 'from' ? {kind: r[2], entry: r[3], index: r[4]} : null;
  }
  return out;
}

function hopView([, r]) {
  if (r[1] === 'said')
    return el('li', {}, 'annotated at ', el('b', {}, placeText(r[2])), sourceView(r[2], true));
  if (r[1] === 'kept') return el('li', {}, 'kept from the program that this one is a variant of');
  if (r[1] === 'cheapest') return el('li', {}, 'chosen by cost, since no layout is given for the output');
  if (r[1] === 'shared') return el('li', {}, 'chosen by updates: shared weight update, since no layout is given');
  const [, , kind, entry, index, opEntry, op, won] = r, from = tensorLink({kind, entry, index});
  if (op < 0) return el('li', {}, 'from ', from, ', its value in entry ' + D.entries[opEntry].name);
  const g = D.entries[opEntry].global[op], how = won ? ' (the ' + won + ' cut won)' : '';
  return el(
      'li', {}, 'from ', from,
      ' by ' + D.names[g[0]] + (g[4] < 0 ? '' : ' at ' + placeText(g[4])) + how);
}

const MOST_HOPS = 6;  // a longer chain is folded in the middle

function chainView(chain) {
  const list = (hops, start) => el('ol', {class: 'chain', start}, hops.map(hopView)),
        n = chain.length;
  if (n <= MOST_HOPS) return list(chain, 1);
  return [
    list(chain.slice(0, 3), 1),
    el('details', {}, el('summary', {}, count(n - 4, 'step') + ' between'),
       list(chain.slice(3, -1), 4)),
    list(chain.slice(-1), n)
  ];
}

function whyView(t) {
  const facts = tensorFacts(t), chains = new Map();  // axes with the same chain stand together
  for (const [axis] of facts.reasons) {
    const chain = chainOf(t, axis), key = JSON.stringify(chain.map((hop) => hop[1].slice(1)));
    if (!chains.has(key)) chains.set(key, {chain, axes: []});
    chains.get(key).axes.push(AXES[axis]);
  }
  if (!chains.size && facts.said < 0) return el('p', {}, 'replicated: nothing splits it');
  if (!chains.size)
    return el('p', {}, 'replicated: annotated at ', el('b', {}, placeText(facts.said)),
              sourceView(facts.said, true));
  const head = ({chain, axes}) =>
      el('p', {}, axisChips(axes),
         chain.length === 1 ? '' : 'through ' + count(chain.length - 1, 'step') + ':');
  return el('div', {}, [...chains.values()].map((c) => [head(c), chainView(c.chain)]));
}

// -------- the panel

const linkTo = (ref, text) => el('button', {class: 'link', onclick: () => go(current, ref)}, text);

function sourceView(place, bare) {
  if (place < 0) return null;
  const [f, line, callF, callLine] = D.places[place];
  const show = (file, at) =>
      el('div', {class: 'source'},
         bare ? null : el('span', {class: 'mono dim'}, fileOf(file)[0] + ':' + at),
         el('pre', {class: 'mono', tabindex: 0}, fileOf(file)[1][at].trim()));
  return el(
      'div', {}, show(f, line),
      callF ? [el('span', {class: 'dim'}, 'called at'), show(callF, callLine)] : null);
}

function factList(pairs) {
  return el('dl', {}, pairs.filter((p) => p).map(([k, v]) => [el('dt', {}, k), el('dd', {}, v)]));
}

function sizeFacts(layout, type) {
  const dims = dimsOf(type), here = localDims(layout, dims);
  return [
    ['whole', el('span', {class: 'mono'}, typeText(type))], ['layout', layoutView(layout)],
    [
      'one device',
      el('span', {}, el('span', {class: 'mono'}, '[' + here.join(', ') + ']'),
         (isEven(layout, dims) ? '' : ' at most') + ', ' + bytesText(localBytes(layout, type)))
    ]
  ];
}

// The op that required an exchange; without one it is a variable's or an output's layout that
// required it.
function wantedBy(e, x) {
  const c = x.cause < 0 ? null : e.raw.global[x.cause];
  if (c) return e.raw.labels[x.cause] + ' (' + D.names[c[0]] + ')';
  const v = e.raw.assigns.find((a) => base(e, a[1]) === x.node),
        o = e.raw.outputs.find((a) => base(e, a[1]) === x.node);
  return v ? 'variable ' + V[v[0]].name : o ? 'output ' + D.names[o[0]] : 'its own layout';
}

function exchangeFacts(e, x) {
  const c = x.cause < 0 ? null : e.raw.global[x.cause];
  const from = e.nodes[e.nodes[x.node].operands[0]];
  return [
    ['exchange', x.kind + ' of ' + count(x.group, 'device')],
    ['over', x.axes ? axisChips(axesIn(x.axes)) : 'no axis'],
    ['received', bytesText(x.bytes) + ' (' + x.bytes + ' bytes) a device'],
    ['time', timeText(x.time) + x.item.runs + ', ' + percent(x.time * x.item.times, e.time) +
      ' of the call'],
    ['from', layoutView(from.layout)], ['to', layoutView(e.nodes[x.node].layout)],
    ['wanted by', wantedBy(e, x) + (!c || c[4] < 0 ? '' : ' at ' + placeText(c[4]))]
  ];
}

function stepFacts(e, it) {
  if (it.kind === 'input') return [['input', 'of the entry']];
  const n = e.raw.steps.length;
  return [
    ['step', it.step + ' (of 0 to ' + (n - 1) + '), ' + it.kind + ', ' + it.column],
    it.exchanges.length ?
        null :
        ['time', timeText(it.time) + it.runs + ', ' + percent(callTime(it), e.time) + ' of the call'],
    it.flops ? ['work', digits(it.flops / 1e6) + ' Mflop a device'] : null
  ];
}

function bufferFacts(e, n) {
  if (n.buffer < 0) return null;
  const [offset, bytes, first, last, , v] = e.raw.buffers[n.buffer], end = e.raw.steps.length;
  if (v >= 0) return ['lies in', el('span', {}, 'variable ', linkTo('v' + v, V[v].name))];
  return [
    'lies in',
    'the arena at ' + offset + ', ' + bytesText(bytes) + ', from ' +
        (first < 0 ? 'the start' : 'step ' + first) + ' to ' +
        (last >= end ? 'the end' : 'step ' + last)
  ];
}

function nodePanel(e, n) {
  const it = n.item, x = it && it.exchanges.find((y) => y.node === n.i);
  const out = [
    el('h2', {}, nodeText(n)),
    el('p', {class: 'dim'}, x ? x.kind + ' in entry ' + e.name : n.op + ' in entry ' + e.name)
  ];
  out.push(factList([
    ...sizeFacts(n.layout, n.type), ...(x ? exchangeFacts(e, x) : []),
    ...(it ? stepFacts(e, it) : []), bufferFacts(e, n)
  ]));
  if (n.place >= 0) out.push(el('h3', {}, 'Source'), sourceView(n.place));
  if (x && x.why)
    out.push(
        el('h3', {}, 'Why there is an exchange'),
        el('ul', {class: 'plain'},
           x.why.trim().split('\n').map((line) => el('li', {}, line.trim()))));
  const g = e.raw.global[n.origin];
  const other = g[3] !== n.layout;
  out.push(
      el('h3', {},
         other ? 'Why it lies so: an op wanted this; the tensor itself was given' :
                 'Why it lies so'),
      other ? el('p', {}, layoutView(g[3])) : null,
      whyView({kind: 'node', entry: e.index, index: n.origin}));
  out.push(el('h3', {}, 'Blocks on the mesh'), blocksView(n.layout, n.type));
  const versions = e.nodes.filter(
      (m) => m.origin === n.origin && (m.item || m.i === n.i || m.op === 'exchange') &&
          m.type === n.type);
  if (versions.length > 1)
    out.push(
        el('h3', {}, 'Versions of this value on a device'),
        el('ul', {class: 'plain'}, versions.map((m) => versionView(e, m, n))));
  if (it) out.push(...flowView(e, it, n));
  return out;
}

function versionView(e, m, here) {
  const x = m.item && m.item.exchanges.find((y) => y.node === m.i);
  return el(
      'li', {},
      m === here ?
          el('b', {}, 'this one') :
          linkTo('n' + m.i, m.item && m.item.step >= 0 ? 'step ' + m.item.step : 'inside a loop'),
      ' ', layoutView(m.layout), ' ',
      x ? 'by ' + x.kind + ', ' + bytesText(x.bytes) + ', ' + timeText(x.time) :
          m.op === 'exchange' ? 'a local copy' :
                                'as ' + m.op + ' makes it');
}

function flowView(e, it, n) {
  const list = (title, rows) =>
      (rows.length ?
           [el('h3', {}, title), el('ul', {class: 'plain'}, rows.map((r) => el('li', {}, r)))] :
           []);
  const tensor = (i) => [linkTo('n' + i, nodeText(e.nodes[i])), ' ', layoutView(e.nodes[i].layout)];
  const users = [...it.to].filter((u) => u.from.has(n.i));
  return [
    ...list('The step also makes', it.nodes.filter((i) => i !== n.i).map(tensor)),
    ...list(
        'It reads',
        [
          ...[...it.from].sort((a, b) => a - b).map(tensor),
          ...it.vars.map((v) => [linkTo('v' + v, V[v].name), ' ', layoutView(V[v].layout)])
        ]),
    ...list(
        'Read by',
        users.map(
            (u) =>
                [linkTo('n' + u.nodes[0], nodeText(e.nodes[u.nodes[0]])),
                 ' (' + (u.exchanges.length ? u.exchanges[0].kind : e.nodes[u.nodes[0]].op) +
                     ')'])),
    ...list('It writes', it.writes.map((v) => linkTo('v' + v, V[v].name))),
    ...(it.inner.length ?
            [el('details', {},
                el('summary', {}, count(it.inner.length, 'op') + ' computed inside its loop'),
                el('ul', {class: 'plain mono'},
                   it.inner.map(
                       (i) =>
                           el('li', {},
                              nodeText(e.nodes[i]) + ' = ' + e.nodes[i].op + ' ' +
                                  typeText(e.nodes[i].type)))))] :
            [])
  ];
}

function varPanel(v) {
  const out = [el('h2', {}, v.name), el('p', {class: 'dim'}, v.param ? 'a param' : 'a state')];
  out.push(factList(
      [...sizeFacts(v.layout, v.type), ['lies at', 'offset ' + v.offset + ' of the variables']]));
  if (v.place >= 0) out.push(el('h3', {}, 'Source'), sourceView(v.place));
  out.push(
      el('h3', {}, 'Why it lies so'), whyView({kind: 'var', entry: 0, index: v.i}),
      el('h3', {}, 'Blocks on the mesh'), blocksView(v.layout, v.type));
  const steps = (title, rows) =>
      (rows.length ?
           [
             el('h3', {}, title),
             el('ul', {class: 'plain'},
                rows.map(
                    (it) => el(
                        'li', {}, linkTo('n' + it.nodes[0], nodeText(current.nodes[it.nodes[0]])),
                        ' (' + it.kind + ')')))
           ] :
           []);
  out.push(
      ...steps(
          'Read in entry ' + current.name + ' by',
          current.items.filter((it) => it.vars.includes(v.i))),
      ...steps('Written by', current.items.filter((it) => it.writes.includes(v.i))));
  return out;
}

function drawPanel(ref) {
  const panel = document.getElementById('panel'), i = Number(ref.slice(1));
  if (ref[0] === 'v' && V[i])
    panel.replaceChildren(...varPanel(V[i]).filter((x) => x));
  else if (ref[0] === 'n' && current.nodes[i])
    panel.replaceChildren(...nodePanel(current, current.nodes[i]).filter((x) => x));
  else
    panel.replaceChildren(
        el('p', {class: 'dim'},
           'Choose a tensor in the graph or in a table: its shape, layout and why, its blocks on ' +
               'the mesh, its line in the source.'));
  panel.scrollTop = 0;
}
