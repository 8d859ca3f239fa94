// -------- the graph: a row is a place in the model, the columns are what is done there: forward,
// backward, update. Time runs down the first column and up the second, so a value and its gradient
// stand side by side. Places nest as names do (model, model.block[3], model.block[3].attn); a
// closed one is one box a column.

const COLUMNS = ['forward', 'backward', 'update'];
const MOST_OPEN_ROWS = 90;  // places are opened by themselves, up to so many rows

// -------- which column a step belongs to

const gradOf = (name) => {
  const m = /^grad\((.*)\)$/.exec(name || '');
  return m && m[1];
};

function markColumns(e) {
  const n = e.nodes.length, isGrad = e.nodes.map((x) => gradOf(x.name) !== null),
        after = new Array(n).fill(false);
  const anyGrad = isGrad.some((x) => x);
  e.nodes.forEach((x, i) => {
    after[i] = isGrad[i] || x.operands.some((k) => after[k]);
  });
  const up = (roots) => {
    const mark = new Array(n).fill(false);
    roots.forEach((i) => {
      mark[i] = true;
    });
    for (let i = n - 1; i >= 0; i--)
      if (mark[i])
        for (const k of e.nodes[i].operands) mark[k] = true;
    return mark;
  };
  const outputs = e.raw.outputs.map((o) => o[1]);
  const toGrad = up(e.nodes.filter((x) => isGrad[x.i]).map((x) => x.i)),
        toOutput = up(outputs.filter((i) => !after[i]));
  const forward = up([
    ...outputs.filter((i) => !after[i]),
    ...e.nodes
        .filter(
            (x) => x.name && x.op !== 'exchange' && !after[x.i] && (toGrad[x.i] || toOutput[x.i]))
        .map((x) => x.i)
  ]);
  return e.nodes.map(
      (x, i) =>
          (!anyGrad || forward[i] ? 'forward' :
               toGrad[i]          ? 'backward' :
                                    'update'));
}

// -------- where in the model: the path of a step's name. A step without one takes that of the next name
// in its column.

function splitPath(path) {
  const out = [''];
  let depth = 0;
  for (const c of path) {
    if (c === '[') depth++;
    if (c === ']') depth--;
    if (c === '.' && depth === 0)
      out.push('');
    else
      out[out.length - 1] += c;
  }
  return out;
}

const varPaths = new Set(V.map((v) => v.name));
// opt.m[model.d1.w] is of the place of model.d1.w
function ownerPath(path) {
  const m = /^[^[]*\[(.*)\]$/.exec(path);
  return m && varPaths.has(m[1]) ? m[1] : path;
}

function markPlaces(e, column) {
  const n = e.nodes.length, named = new Array(n).fill(null), target = new Array(n).fill(null);
  for (const [v, i] of e.raw.assigns) target[i] = ownerPath(V[v].name);
  for (let i = n - 1; i >= 0; i--)
    if (target[i] && column[i] === 'update')
      for (const k of e.nodes[i].operands)
        if (!target[k] && column[k] === 'update') target[k] = target[i];
  const next = {};
  for (let i = n - 1; i >= 0; i--) {
    const x = e.nodes[i], own = x.name && (gradOf(x.name) || x.name);
    const isUpdate = column[i] === 'update';
    if (x.op === 'var') continue;
    if (own && x.op !== 'exchange' && !(isUpdate && target[i])) next[column[i]] = own;
    named[i] = isUpdate && target[i] ? target[i] : own || next[column[i]] || null;
  }
  const last = {};
  for (let i = 0; i < n; i++) {
    if (named[i])
      last[column[i]] = named[i];
    else
      named[i] = last[column[i]] || null;
  }
  return named;
}

function prepareGraph(e) {
  if (e.rows) return;
  const column = markColumns(e), named = markPlaces(e, column);
  for (const it of e.items) {
    const paths = it.nodes.map((i) => splitPath(named[i] || ''));
    it.column = column[it.nodes[0]];
    let place = paths[0].slice(0, -1);
    for (const p of paths.slice(1)) {
      let k = 0;
      while (k < place.length && k < p.length - 1 && place[k] === p[k]) k++;
      place = place.slice(0, k);
    }
    it.place = place.length ? place : paths[0].slice(0, -1);
    const own = it.nodes.map((i) => e.nodes[i]).find((x) => x.name);
    it.leaf = own && !it.writes.length ? splitPath(gradOf(own.name) || own.name).pop() :
        it.writes.length ? splitPath(ownerPath(V[it.writes[it.writes.length - 1]].name)).pop() :
                           '';
  }
  const columns = {};
  for (const c of COLUMNS) columns[c] = e.items.filter((it) => it.column === c);
  e.columns = COLUMNS.filter((c) => columns[c].length);
  e.rows = makeRows(columns, 0, '');
  e.open = new Set();
  openWhatFits(e);
}

// -------- rows: the runs of each column at one depth, side by side

// Steps one after the other that stand at the same place, or each step that stands here itself.
function runsOf(items, depth) {
  const out = [];
  for (const it of items) {
    const key = it.place.length > depth ? 'place ' + it.place[depth] : 'step ' + it.leaf,
          last = out[out.length - 1];
    if (last && last.key === key && it.place.length > depth)
      last.items.push(it);
    else
      out.push({key, items: [it], isPlace: it.place.length > depth});
  }
  return out;
}

function makeRows(columns, depth, path) {
  const rows = [];
  for (const run of runsOf(columns.forward, depth))
    rows.push({key: run.key, isPlace: run.isPlace, forward: run.items, backward: [], update: []});
  // From below upwards, as backward time goes: the k-th run of a place beside the k-th forward run
  // of it, further ones beside the last, so that a place that was passed once is one row.
  let at = 0;
  for (const run of runsOf(columns.backward.slice().reverse(), depth)) {
    const same = rows.map((r, i) => i)
                     .filter(
                         (i) => rows[i].key === run.key &&
                             (run.isPlace || (run.items[0].leaf && !rows[i].backward.length)));
    const free = same.filter((i) => !rows[i].backward.length);
    let k = free.length ? free[0] : same.length ? same[same.length - 1] : -1;
    if (k < 0) {
      k = at;
      rows.splice(
          k, 0, {key: run.key, isPlace: run.isPlace, forward: [], backward: [], update: []});
    }
    rows[k].backward.unshift(...run.items.slice().reverse());
    at = k + 1;
  }
  const onlySteps = rows.every((r) => !r.isPlace);
  for (const run of runsOf(columns.update, depth)) {
    let row = rows.find((r) => (run.isPlace ? r.key === run.key : onlySteps && !r.update.length));
    if (!row)
      rows.push(
          (row = {key: run.key, isPlace: run.isPlace, forward: [], backward: [], update: []}));
    row.update.push(...run.items);
  }
  const seen = new Map();
  for (const r of rows) {
    const k = seen.get(r.key) || 0;
    seen.set(r.key, k + 1);
    r.depth = depth;
    r.id = path + '/' + r.key + '#' + k;
    r.all = [...r.forward, ...r.backward, ...r.update];
    r.label = r.isPlace ? r.key.slice(6) : depth ? '' : r.all[0].leaf;
    // A place with one step needs no opening.
    while (r.isPlace && r.all.length === 1) {
      r.isPlace = false;
      r.label = [...r.all[0].place.slice(depth), r.all[0].leaf].filter((x) => x).join('.');
    }
    if (r.isPlace) r.children = makeRows(r, depth + 1, r.id);
  }
  return rows;
}

// -------- opening and closing

function openWhatFits(e) {
  let level = e.rows, total = level.length;
  for (;;) {
    const places = level.filter((r) => r.isPlace), more = places.flatMap((r) => r.children);
    const fits = total + more.length <= MOST_OPEN_ROWS;
    for (const r of places) {
      // Of the outermost places each that fits, of others all or none.
      if (!fits && (r.depth || total + r.children.length > MOST_OPEN_ROWS)) continue;
      e.open.add(r.id);
      total += r.children.length;
    }
    if (!fits || !places.length) return;
    level = more;
  }
}

function visibleRows(e) {
  const out = [], walk = (rows) => {
    for (const r of rows) {
      out.push(r);
      if (r.isPlace && e.open.has(r.id)) walk(r.children);
    }
  };
  walk(e.rows);
  return out;
}

function openTo(e, item) {
  const walk = (rows) => {
    for (const r of rows)
      if (r.isPlace && r.all.includes(item)) {
        e.open.add(r.id);
        walk(r.children);
      }
  };
  walk(e.rows);
}

function setAll(e, open) {
  e.open.clear();
  const walk = (rows) => {
    for (const r of rows)
      if (r.isPlace) {
        e.open.add(r.id);
        walk(r.children);
      }
  };
  if (open) walk(e.rows);
  drawGraph(e);
}

// -------- boxes

function exchangeMeter(e, time, axes) {
  const a = axesIn(axes);
  return el(
      'div', {class: 'meter', style: {'--hue': a.length ? hue(a[0].i) : null}},
      el('i', {style: {width: Math.min(100, 100 * time / (e.slowest || 1)) + '%'}}));
}

// The title is the button that chooses the step's tensor; it covers the box, all but its chips.
function boxTitle(e, n, kind, label, time) {
  const says =
      [nodeText(n), kind, typeText(n.type), 'layout ' + D.layouts[n.layout].text].join(', ');
  const button = el(
      'button', {onclick: () => go(e, 'n' + n.i), title: nodeText(n), 'aria-label': says}, label);
  return el('div', {class: 'title'}, button, el('span', {class: 'time'}, time));
}

function exchangeBox(e, it) {
  const x = it.exchanges[0], n = e.nodes[x.node], over = axesIn(x.axes);
  const made = it.exchanges.map((y) => e.nodes[y.node]).filter((m) => m.name || !it.writes.length);
  const color = over.length ? hue(over[0].i) : 'var(--whole)';
  return el(
      'div', {class: 'box exchange', id: 'item' + it.i, style: {'--hue': color}},
      boxTitle(e, n, x.kind, '\u21c4 ' + x.kind, timeText(it.time) + it.runs),
      el('div', {}, 'over ', over.length ? axisChips(over) : 'no axis ', bytesText(it.bytes)),
      exchangeMeter(e, callTime(it), x.axes),
      chipRow([...made.map((m) => chip('n' + m.i, nodeText(m), m.layout)), ...endChips(it)]));
}

function stepBox(e, it) {
  if (it.exchanges.length) return exchangeBox(e, it);
  const n = e.nodes[it.nodes[0]], more = it.nodes.length - 1, isCopy = it.kind === 'exchange';
  const isInput = it.kind === 'input',
        update = it.column === 'update' && it.leaf ? it.leaf + ': ' : '';
  const label =
      isCopy ? 'copy' : (n.name ? shortName(it, n) : update + n.op) + (more ? ' +' + more : '');
  const made = isCopy ? 'of ' + nodeText(e.nodes[n.operands[0]]) + ' ' : n.name ? n.op + ' ' : '';
  const read = it.vars.filter((v) => !it.writes.includes(v));
  return el(
      'div', {class: isInput ? 'box input' : 'box', id: 'item' + it.i}, band(n.layout),
      boxTitle(e, n, n.op, label, isInput ? 'input' : timeText(it.time) + it.runs),
      el('div', {class: 'mono'}, made + typeText(n.type)), layoutView(n.layout),
      chipRow(
          [...read.map((v) => chip('v' + v, V[v].name, V[v].layout, '\u2190 ')), ...endChips(it)]));
}

// Of a step's exchanges, as a set.
const axesOf = (it) => it.exchanges.reduce((s, x) => s | x.axes, 0);
const endChips = (it) =>
    [...it.writes.map((v) => chip('v' + v, V[v].name, V[v].layout, '\u2192 ')),
     ...it.returns.map((r) => el('span', {class: 'chip'}, 'returned as ' + r))];
const chipRow = (chips) =>
    (chips.length ?
         el('div', {class: 'chips'}, chips.slice(0, 5),
            chips.length > 5 ? el('span', {class: 'dim'}, '+' + (chips.length - 5)) : null) :
         '');

// Within an open place the last words of a name are enough.
function shortName(it, n) {
  const g = gradOf(n.name), full = g || n.name, place = it.place.join('.') + '.';
  const short = full.startsWith(place) ? full.slice(place.length) : full;
  return g ? 'grad(' + short + ')' : short;
}

function chip(ref, text, layout, sign) {
  return el(
      'button',
      {class: 'chip', title: text + ' ' + D.layouts[layout].text, onclick: () => go(current, ref)},
      el('span', {
        class: 'swatch',
        style: {
          background: stripes(axesCutting(layout), D.layouts[layout].partial, 3),
          width: '9px',
          height: '9px',
          'margin-right': '4px'
        }
      }),
      (sign || '') + text);
}

// A closed place in one column: what leaves it, how long it takes, its exchanges.
function placeBox(e, row, column) {
  const items = row[column], inside = new Set(items);
  if (!items.length) return null;
  const leaves =
      (it) => [...it.to].some((u) => !inside.has(u)) || it.returns.length || it.writes.length;
  const leaving = items.filter(leaves), last = (leaving.length ? leaving : items).slice(-1)[0];
  const n = e.nodes[last.nodes[0]], time = items.reduce((s, it) => s + callTime(it), 0);
  const says = 'open ' + row.label + ', ' + column;
  const button =
      el('button', {onclick: () => toggle(e, row), 'aria-expanded': 'false', 'aria-label': says},
         '\u25b8 ' + count(items.length, 'step'));
  const box =
      el('div', {class: 'box group', id: row.id + column}, band(n.layout),
         el('div', {class: 'title'}, button, el('span', {class: 'time'}, timeText(time))),
         el('div', {class: 'mono'}, 'gives ' + typeText(n.type)), layoutView(n.layout));
  const moving = items.filter((it) => it.exchanges.length),
        moves = moving.reduce((s, it) => s + callTime(it), 0);
  if (!moving.length) return box;
  const over = moving.reduce((s, it) => s | axesOf(it), 0);
  box.append(
      el('div', {}, '\u21c4 ' + count(moving.length, 'exchange') + ' over ',
         axisChips(axesIn(over)), timeText(moves)),
      exchangeMeter(e, moves, over));
  return box;
}

function toggle(e, row) {
  const at = document.querySelector('.scroll'), top = at.scrollTop, left = at.scrollLeft;
  if (!e.open.delete(row.id)) e.open.add(row.id);
  drawGraph(e);
  Object.assign(document.querySelector('.scroll'), {scrollTop: top, scrollLeft: left});
  const b = document.getElementById('toggle ' + row.id);
  if (b) b.focus({preventScroll: true});
}

// -------- drawing

function drawGraph(e) {
  prepareGraph(e);
  e.slowest = Math.max(0, ...e.items.filter((it) => it.exchanges.length).map(callTime));
  const rows = visibleRows(e), grid = el('div', {
                                 class: 'graph',
                                 style: {
                                   'grid-template-columns': 'minmax(96px, max-content) ' +
                                       e.columns.map(() => '232px').join(' ')
                                 }
                               });
  grid.append(
      el('div', {class: 'colhead'}, 'place'),
      ...e.columns.map(
          (c) =>
              el('div', {class: 'colhead'},
                 c +
                     (c === 'forward' && e.columns.length > 1 ? ' \u2193' :
                          c === 'backward'                    ? ' \u2191' :
                                                                ''))));
  const boxOfItem = new Map();
  rows.forEach((r, i) => {
    const open = r.isPlace && e.open.has(r.id), at = String(i + 2);
    const name = r.isPlace ?
        el('button',
           {id: 'toggle ' + r.id, 'aria-expanded': String(open), onclick: () => toggle(e, r)},
           (open ? '\u25be ' : '\u25b8 ') + r.label) :
        el('span', {class: 'dim'}, r.label);
    grid.append(
        el('div', {
          class: 'place',
          style: {'grid-row': at, 'grid-column': '1', 'padding-left': r.depth * 13 + 'px'}
        },
           name));
    if (open) return;
    e.columns.forEach((c, k) => {
      const cell =
          el('div', {class: 'cell', style: {'grid-row': at, 'grid-column': String(k + 2)}});
      const boxes = r.isPlace ? [placeBox(e, r, c)] : r[c].map((it) => stepBox(e, it));
      r[c].forEach(
          (it, j) =>
              boxOfItem.set(it, {box: boxes[r.isPlace ? 0 : j], row: i, column: k, edges: []}));
      if (boxes[0]) grid.append((cell.append(...boxes), cell));
    });
  });
  const scroll = document.getElementById('scroll');
  scroll.replaceChildren(grid);
  drawEdges(e, grid, boxOfItem);
  const over = (ev) => lightEdges(e, grid, ev.target.closest('.box'));
  grid.addEventListener('mouseover', over);
  grid.addEventListener('focusin', over);
  grid.addEventListener('mouseleave', () => lightEdges(e, grid, null));
  e.grid = grid;
}

// One line a pair of boxes. A line that an exchange makes or takes has its axis' hue and grows with
// its time.
function drawEdges(e, grid, boxOfItem) {
  const lines = new Map();
  for (const it of e.items)
    for (const i of it.from) {
      const a = boxOfItem.get(e.nodes[i].item), b = boxOfItem.get(it);
      if (!a || !b || a.box === b.box) continue;
      const key = a.box.id + ' ' + b.box.id,
            x = [e.nodes[i].item, it].find((y) => y.exchanges.length);
      const line = lines.get(key) || {a, b, time: 0, axes: 0};
      if (x) {
        line.time = Math.max(line.time, callTime(x));
        line.axes |= axesOf(x);
      }
      lines.set(key, line);
    }
  const s =
      svg('svg', {width: grid.scrollWidth, height: grid.scrollHeight, 'aria-hidden': 'true'},
          svg('marker', {
            id: 'head',
            viewBox: '0 0 8 8',
            refX: 7,
            refY: 4,
            markerWidth: 8,
            markerHeight: 8,
            markerUnits: 'userSpaceOnUse',
            orient: 'auto'
          },
              svg('path', {d: 'M0 0 L8 4 L0 8 z'})));
  const at = new Map(), of = (b) => {
    if (!at.has(b)) {
      const c = b.parentElement;
      at.set(
          b, {x: c.offsetLeft, y: c.offsetTop + b.offsetTop, w: b.offsetWidth, h: b.offsetHeight});
    }
    return at.get(b);
  };
  const taken = occupied(boxOfItem);
  e.lines = [];
  e.lit = null;
  for (const {a, b, time, axes} of lines.values()) {
    const d = linePath(of(a.box), of(b.box), a, b, taken), first = axesIn(axes)[0];
    const p = svg('path', {
      d,
      'marker-end': 'url(#head)',
      class: first                    ? 'moves' :
          Math.abs(a.row - b.row) > 6 ? 'far' :
                                        '',
      style: first ? {
        '--hue': hue(first.i),
        'stroke-width': 1.5 + 9 * Math.sqrt(time / (e.slowest || 1)) + 'px'
      } :
                     {}
    });
    s.append(p);
    e.lines.push({a: a.box, b: b.box, path: p});
  }
  grid.prepend(s);
}

function occupied(boxOfItem) {
  const set = new Set();
  for (const {row, column} of boxOfItem.values()) set.add(row + ' ' + column);
  return set;
}

function linePath(p, q, a, b, taken) {
  const cx = p.x + p.w / 2, down = q.y > p.y;
  if (a.column === b.column) {
    let free = true;
    for (let r = Math.min(a.row, b.row) + 1; r < Math.max(a.row, b.row); r++)
      if (taken.has(r + ' ' + a.column)) free = false;
    const y0 = down ? p.y + p.h : p.y, y1 = down ? q.y - 2 : q.y + q.h + 2;
    if (free) return 'M' + cx + ' ' + y0 + ' L' + cx + ' ' + y1;
    const left = a.column === 0, side = left ? p.x : p.x + p.w,
          out = (left ? -1 : 1) * Math.min(64, 16 + 6 * Math.abs(b.row - a.row));
    const ya = p.y + p.h * 0.6, yb = q.y + q.h * 0.4;
    return 'M' + side + ' ' + ya + ' C' + (side + out) + ' ' + ya + ' ' + (side + out) + ' ' + yb +
        ' ' + side + ' ' + yb;
  }
  const right = q.x > p.x, x0 = right ? p.x + p.w : p.x, x1 = right ? q.x - 2 : q.x + q.w + 2,
        bend = right ? 50 : -50;
  const y0 = p.y + p.h / 2, y1 = q.y + q.h / 2;
  return 'M' + x0 + ' ' + y0 + ' C' + (x0 + bend) + ' ' + y0 + ' ' + (x1 - bend) + ' ' + y1 + ' ' +
      x1 + ' ' + y1;
}

function lightEdges(e, grid, box) {
  if (e.lit === box) return;
  e.lit = box;
  grid.classList.toggle('focus', !!box);
  for (const l of e.lines) l.path.classList.toggle('on', l.a === box || l.b === box);
}

// The chosen tensor's step is marked and scrolled into sight.
function markChosen(e, ref) {
  const i = Number(ref.slice(1)),
        it = ref[0] === 'n' && e.nodes[i] ? e.nodes[base(e, i)].item : null;
  for (const b of document.querySelectorAll('.box.on')) b.classList.remove('on');
  if (!it) return;
  if (!document.getElementById('item' + it.i)) {
    openTo(e, it);
    drawGraph(e);
  }
  const b = document.getElementById('item' + it.i);
  if (!b) return;
  b.classList.add('on');
  b.scrollIntoView({block: 'nearest', inline: 'nearest'});
}
