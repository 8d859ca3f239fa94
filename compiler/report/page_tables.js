// -------- the frame: head, entries as tabs, exchanges, memory, variables; and what the address
// says is shown.

// -------- head

function drawHead() {
  const theme = el('button', {id: 'theme', onclick: () => setTheme(isDark() ? 'light' : 'dark')});
  const mesh = AXES.length ? 'mesh [' + AXES.map((a) => a.name + '=' + a.size).join(', ') + '], ' +
          count(DEVICES, 'device') :
                             'one device';
  const picture = meshView((c) => el('td', {title: coordText(c)}, deviceNumber(c)));
  const [name, flops, vector, memory, size, start] = D.machine;
  document.body.append(el(
      'header', {}, theme, el('h1', {}, D.program), el('p', {}, mesh),
      el('div', {class: 'head'},
         el('div', {}, picture,
            el('p', {class: 'dim'}, 'Numbers are devices; the last axis varies fastest.')),
         el('div', {}, factList([
              ['machine', name], ['products', rateText(flops) + 'flop/s'],
              ['all else', rateText(vector) + 'flop/s'],
              ['memory', rateText(memory) + 'B/s' + (size ? ', ' + bytesText(size) : '')],
              ['a step', timeText(start) + ' to start'],
              ...AXES.map(
                  (a) =>
                      [axisChip(a.i),
                       rateText(a.bandwidth) + 'B/s, ' + timeText(a.latency) + ' a message'])
            ])))));
}

const isDark = () =>
    (document.documentElement.dataset.theme ||
     (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';
function setTheme(which) {
  if (which) document.documentElement.dataset.theme = which;
  document.getElementById('theme').textContent = isDark() ? 'light theme' : 'dark theme';
}

// -------- sortable tables

const MOST_ROWS_AT_ONCE = 80;  // a button shows the rest

// A column: title; what it sorts by (none: it does not sort); what stands in its cell (none: what
// it sorts by); `number` for right-aligned columns; `long` for text that may wrap anywhere.
function sortable(caption, columns, rows, sortBy, refOf) {
  let by = sortBy, down = true, all = rows.length <= MOST_ROWS_AT_ONCE;
  const table = el('table', {class: 'list'}, el('caption', {class: 'dim'}, caption));
  const rest =
      el('button', {
        onclick: () => {
          all = true;
          draw();
        }
      },
         'show all ' + rows.length);
  const classOf = (c) => (c.number ? 'num' : c.long ? 'name' : null);
  const head = (c, k) => {
    const order = !c.by ? null : k !== by ? 'none' : down ? 'descending' : 'ascending';
    const turn = () => {
      down = k === by ? !down : !!c.number;
      by = k;
      draw();
      table.querySelectorAll('th')[k].firstChild.focus();
    };
    const mark = k !== by ? '' : down ? ' \u25be' : ' \u25b4';
    const title = c.by ? el('button', {onclick: turn}, c.title + mark) : c.title;
    return el('th', {scope: 'col', class: classOf(c), 'aria-sort': order}, title);
  };
  const draw = () => {
    const value = columns[by].by, less = (a, b) => (a < b ? -1 : a > b ? 1 : 0) * (down ? -1 : 1);
    const sorted = rows.slice().sort((x, y) => less(value(x), value(y)));
    const cell = (c, r) => el('td', {class: classOf(c)}, (c.cell || c.by)(r));
    const line = (r) => el('tr', {'data-ref': refOf(r)}, columns.map((c) => cell(c, r)));
    rest.hidden = all;
    table.replaceChildren(
        table.caption, el('tr', {}, columns.map(head)),
        ...(all ? sorted : sorted.slice(0, MOST_ROWS_AT_ONCE)).map(line));
  };
  draw();
  return el('div', {class: 'wide'}, table, rest);
}

const placeCell = (p) => el('span', {class: 'mono'}, placeText(p));
const typeCell = (type) => el('span', {class: 'mono'}, typeText(type));
const layoutWords = (layout) => D.layouts[layout].text;

const barOf = (part, axes) =>
    el('div', {class: 'meter bar', style: {'--hue': axes.length ? hue(axes[0].i) : null}},
       el('i', {style: {width: 100 * part + '%'}}));

function exchangesTable(e) {
  const all = (x) => x.time * x.item.times; // runs of a call
  const most = Math.max(0, ...e.exchanges.map(all)),
        steps = new Set(e.exchanges.map((x) => x.item)).size;
  const copies =
      e.copies.length ? ' (and ' + count(e.copies.length, 'local copy', 'local copies') + ')' : '';
  const caption = count(steps, 'exchange') + ', ' + e.raw.received + ' bytes a device each call' +
      copies + '. Combined ones have one number; their time is shared out among them.';
  const node = (x) => e.nodes[x.node], from = (x) => e.nodes[node(x).operands[0]].layout,
        to = (x) => node(x).layout;
  const place = (x) => (x.cause < 0 ? node(x).place : e.raw.global[x.cause][4]),
        over = (x) => axesIn(x.axes);
  const tensor = (x) => [linkTo('n' + x.node, nodeText(node(x))), ' ', typeCell(node(x).type)];
  const columns = [
    {title: '#', by: (x) => x.number, number: true},
    {title: 'kind', by: (x) => x.kind},
    {title: 'over', by: (x) => over(x).map((a) => a.name).join(), cell: (x) => axisChips(over(x))},
    {title: 'of', by: (x) => x.group, number: true},
    {title: 'bytes', by: (x) => x.bytes, number: true},
    {title: 'time', by: (x) => x.time, cell: (x) => timeText(x.time), number: true},
    {title: 'runs', by: (x) => x.item.times, cell: (x) => x.item.runs, number: true},
    {title: 'share', by: all, cell: (x) => percent(all(x), e.time), number: true},
    {title: '', cell: (x) => barOf(most ? all(x) / most : 0, over(x))},
    {title: 'tensor', by: (x) => nodeText(node(x)), cell: tensor, long: true},
    {title: 'from', by: (x) => layoutWords(from(x)), cell: (x) => layoutView(from(x))},
    {title: 'to', by: (x) => layoutWords(to(x)), cell: (x) => layoutView(to(x))},
    {title: 'wanted by', by: (x) => wantedBy(e, x), long: true},
    {title: 'at', by: (x) => placeText(place(x)), cell: (x) => placeCell(place(x)), long: true},
  ];
  return sortable(caption, columns, e.exchanges, 7, (x) => 'n' + x.node);
}

function variablesTable() {
  const here = (v) => '[' + localDims(v.layout, dimsOf(v.type)).join(', ') + ']';
  const columns = [
    {title: 'path', by: (v) => v.name, cell: (v) => linkTo('v' + v.i, v.name), long: true},
    {title: 'kind', by: (v) => (v.param ? 'param' : 'state')},
    {title: 'whole', by: (v) => typeText(v.type), cell: (v) => typeCell(v.type)},
    {title: 'layout', by: (v) => layoutWords(v.layout), cell: (v) => layoutView(v.layout)},
    {title: 'one device', by: here, cell: (v) => el('span', {class: 'mono'}, here(v))},
    {title: 'bytes', by: (v) => v.bytes, number: true},
    {title: 'share', by: (v) => v.bytes, cell: (v) => percent(v.bytes, D.vars_bytes), number: true},
    {title: 'declared', by: (v) => placeText(v.place), cell: (v) => placeCell(v.place), long: true},
  ];
  const caption = count(V.length, 'variable') + ', ' + bytesText(D.vars_bytes) + ' (' +
      D.vars_bytes + ' bytes) a device';
  return sortable(caption, columns, V, 5, (v) => 'v' + v.i);
}

// -------- time

function timeSplit(e) {
  const segments = [[
    'computation', e.raw.compute, 'var(--whole)',
    count(e.raw.steps.length, 'step') + ', ' + digits(e.raw.flops / 1e6) + ' Mflop a device'
  ]];
  for (const [axes, n, bytes, time] of e.raw.over) {
    const a = axesIn(axes);
    segments.push([
      'exchanges over ' + (a.map((x) => x.name).join(', ') || 'no axis'), time,
      stripes(a.map((x) => x.i), 0), n + ', ' + bytesText(bytes) + ' received by a device'
    ]);
  }
  return el(
      'div', {},
      el('p', {}, el('b', {}, timeText(e.time)), ' a call, modelled for machine ' + D.machine[0] +
             (e.raw.hidden > 0 ? ', ' + timeText(e.raw.hidden) + ' of exchanges hidden' : '')),
      el('div', {class: 'split', 'aria-hidden': 'true'},
         segments.filter((s) => s[1] > 0)
             .map(
                 ([, t, color]) => el(
                     'span', {style: {background: color, width: 100 * t / (e.raw.compute + e.raw.exchange || 1) + '%'}}))),
      el('ul', {class: 'legend'},
         segments.map(
             ([name, t, color, more]) => el(
                 'li', {}, el('span', {class: 'swatch', style: {background: color}}), name + ': ',
                 el('b', {}, timeText(t)), ' (' + percent(t, e.time) + '), ' + more))));
}

// -------- memory: live buffers at each step, and their offsets in the arena

const ROUND = 64;  // as memory.c places buffers
const roundUp = (b) => Math.ceil(b / ROUND) * ROUND;

function memoryData(e) {
  const n = e.raw.steps.length, change = new Array(n + 3).fill(0), list = [];
  for (const [offset, bytes, first, last, node, v] of e.raw.buffers) {
    if (v >= 0 || bytes === 0) continue;
    list.push({offset, bytes, first, last, node});
    change[first + 1] += roundUp(bytes);
    change[last + 2] -= roundUp(bytes);
  }
  const alive = [];
  let sum = 0, peak = 0;
  for (let t = 0; t <= n + 1; t++) {
    sum += change[t];
    alive.push(sum);
    if (sum > alive[peak]) peak = t;
  }
  return {n, list, alive, peak};
}

// Position t of a chart: before all steps, step t - 1, or after all. Steps count from 0, as in
// --dump=memory.
const stepName = (t, n) => (t === 0 ? 'the start' : t === n + 1 ? 'the end' : 'step ' + (t - 1));

function memoryView(e) {
  const m = memoryData(e), out = el('div', {}), peak = m.alive[m.peak] || 0;
  const total = D.vars_bytes + e.raw.arena, size = D.machine[4];
  out.append(
      el('p', {}, el('b', {}, bytesText(total)),
         ' a device: variables ' + bytesText(D.vars_bytes) + ', arena ' + bytesText(e.raw.arena) +
             (size ? ' (' + percent(total, size) + ' of ' + bytesText(size) + ')' : '') +
             '; at most ' + bytesText(e.raw.live) + ' of the arena are alive at once, at ' +
             stepName(m.peak, m.n) + '.'));
  if (!m.list.length) return out;
  const at = m.list.filter((b) => b.first + 1 <= m.peak && m.peak <= b.last + 1)
                 .sort((a, b) => b.bytes - a.bytes);
  out.append(
      el('h3', {}, 'Alive at each step'), aliveChart(e, m, peak, at),
      el('h3', {}, 'The arena: each value over the steps of its life'), arenaChart(e, m));
  out.append(el(
      'details', {open: at.length <= 12},
      el('summary', {}, count(at.length, 'value') + ' alive at the peak, ' + stepName(m.peak, m.n)),
      el('table', {class: 'list'},
         el('tr', {},
            ['bytes', 'offset', 'life', 'value', 'layout'].map(
                (h, i) => el('th', {class: i < 2 ? 'num' : null}, h))),
         at.slice(0, 200).map(
             (b) =>
                 el('tr', {}, el('td', {class: 'num'}, b.bytes), el('td', {class: 'num'}, b.offset),
                    el('td', {}, stepName(b.first + 1, m.n) + ' to ' + stepName(b.last + 1, m.n)),
                    el('td', {class: 'name'}, linkTo('n' + b.node, nodeLabel(e.nodes[b.node]))),
                    el('td', {}, layoutView(e.nodes[b.node].layout)))))));
  return out;
}

const CW = 1200, LEFT = 74;  // of the charts

function aliveChart(e, m, peak, at) {
  const H = 170, top = 34, base0 = H - 22, x = (t) => LEFT + (CW - LEFT - 10) * t / (m.n + 2),
        y = (b) => base0 - (base0 - top) * b / (peak || 1);
  let d = 'M' + x(0) + ' ' + base0;
  m.alive.forEach((b, t) => {
    d += ' L' + x(t) + ' ' + y(b) + ' L' + x(t + 1) + ' ' + y(b);
  });
  const names = at.slice(0, 3).map((b) => nodeLabel(e.nodes[b.node])).join(', '),
        right = m.peak > m.n / 2;
  return svg(
      'svg', {
        class: 'chart',
        viewBox: '0 0 ' + CW + ' ' + H,
        role: 'img',
        'aria-label': 'bytes alive at each step; the peak is ' + bytesText(peak) + ' at ' +
            stepName(m.peak, m.n)
      },
      svg('path', {class: 'axisline', d: 'M' + LEFT + ' ' + top + ' V' + base0 + ' H' + (CW - 10)}),
      svg('path', {class: 'alive', d: d + ' L' + x(m.n + 2) + ' ' + base0 + ' z'}),
      svg('path', {class: 'peak', d: 'M' + x(m.peak + 0.5) + ' 22 V' + base0}),
      svg('text', {x: x(m.peak + 0.5), y: 14, 'text-anchor': right ? 'end' : 'start'},
          'peak ' + bytesText(peak) + ' at ' + stepName(m.peak, m.n) + ': ' + names +
              (at.length > 3 ? ' and ' + (at.length - 3) + ' more' : '')),
      svg('text', {x: LEFT - 6, y: top + 4, 'text-anchor': 'end'}, bytesText(peak)),
      svg('text', {x: LEFT - 6, y: base0, 'text-anchor': 'end'}, '0'), stepTicks(m, x, H - 6));
}

function stepTicks(m, x, y) {
  const every = Math.max(1, Math.ceil((m.n + 2) / 12)), out = [];
  for (let t = 0; t <= m.n + 1; t += every)
    out.push(
        svg('text', {x: x(t + 0.5), y, 'text-anchor': 'middle'},
            t === 0           ? 'start' :
                t === m.n + 1 ? 'end' :
                                String(t - 1)));
  return out;
}

function arenaChart(e, m) {
  const H = 300, top = 10, base0 = H - 22, size = e.raw.arena || 1,
        x = (t) => LEFT + (CW - LEFT - 10) * t / (m.n + 2),
        y = (b) => top + (base0 - top) * b / size;
  const say = el('p', {class: 'said mono', 'aria-live': 'polite'}, '');
  const rects = m.list.map((b) => {
    const n = e.nodes[b.node], axes = axesCutting(n.layout),
          what = nodeLabel(n) + ': ' + bytesText(b.bytes) + ' at ' + b.offset + ', ' +
        stepName(b.first + 1, m.n) + ' to ' + stepName(b.last + 1, m.n);
    const high = y(b.bytes) - y(0);
    return svg('rect', {
      class: high < 3 ? 'buffer thin' : 'buffer',
      x: x(b.first + 1),
      y: y(b.offset),
      width: x(b.last + 2) - x(b.first + 1),
      height: Math.max(1, high),
      style: axes.length ? {'--hue': hue(axes[0])} : {},
      onclick: () => go(e, 'n' + b.node),
      onmouseenter: () => {
        say.textContent = what + ', ' + D.layouts[n.layout].text;
      }
    });
  });
  const legend =
      el('ul', {class: 'legend'},
         AXES.filter((a) => m.list.some((b) => axesCutting(e.nodes[b.node].layout)[0] === a.i))
             .map((a) => el('li', {}, axisChip(a.i), ' cuts it first')),
         el('li', {}, el('span', {class: 'swatch', style: {background: 'var(--whole)'}}), 'whole'));
  return el(
      'div', {},
      svg('svg', {
        class: 'chart',
        viewBox: '0 0 ' + CW + ' ' + H,
        role: 'img',
        'aria-label': 'offset in the arena by step; the table below has the same'
      },
          svg('path',
              {class: 'axisline', d: 'M' + LEFT + ' ' + top + ' V' + base0 + ' H' + (CW - 10)}),
          svg('text', {x: LEFT - 6, y: top + 8, 'text-anchor': 'end'}, 'offset 0'),
          svg('text', {x: LEFT - 6, y: base0, 'text-anchor': 'end'}, bytesText(size)), rects,
          stepTicks(m, x, H - 6)),
      legend, say);
}

// -------- finding a tensor by name

function finder(e) {
  const found = el('div', {class: 'found'}), input = el('input', {
                                               type: 'search',
                                               placeholder: 'find a tensor or variable',
                                               'aria-label': 'find a tensor or variable'
                                             });
  const look = () => {
    const q = input.value.trim().toLowerCase();
    const hits = !q ? [] : [
      ...e.nodes.filter((n) => n.item && nodeText(n).toLowerCase().includes(q))
          .map((n) => ['n' + n.i, nodeText(n) + ' (' + n.op + ')']),
      ...V.filter((v) => v.name.toLowerCase().includes(q))
          .map((v) => ['v' + v.i, v.name + ' (variable)'])
    ];
    found.replaceChildren(
        ...hits.slice(0, 40).map(
            ([ref, text]) =>
                el('div', {},
                   el('button', {
                     class: 'link',
                     onclick: () => {
                       input.value = '';
                       look();
                       go(e, ref);
                     }
                   },
                      text))),
        ...(q && !hits.length ? [el('div', {}, 'nothing has that in its name')] : []));
  };
  input.addEventListener('input', look);
  input.addEventListener('keydown', (ev) => {
    if (ev.key === 'Escape') {
      input.value = '';
      look();
    }
  });
  return el('div', {style: {position: 'relative'}}, input, found);
}

// -------- entries and the address: #train/n17 shows local node 17 of entry train

function drawEntry(e) {
  current = e;
  for (const t of document.querySelectorAll('[role="tab"]')) {
    const on = t.id === 'tab' + e.index;
    t.setAttribute('aria-selected', String(on));
    t.tabIndex = on ? 0 : -1;
  }
  prepareGraph(e);
  const tools =
      el('div', {class: 'tools'}, finder(e),
         el('button', {onclick: () => setAll(e, true)}, 'open all'),
         el('button', {onclick: () => setAll(e, false)}, 'close all'));
  const key =
      el('ul', {class: 'legend'}, AXES.map((a) => el('li', {}, axisChip(a.i), ' cuts a dim')),
         AXES.length > 1 ? el('li', {}, 'striped: several axes') : null,
         AXES.length ?
             el('li', {}, el('span', {class: 'axis partial', style: {'--hue': hue(0)}}, 'hatched'),
                ' a term of a sum') :
             null,
         el('li', {}, 'dashed: an exchange; lines are as thick as it takes time'));
  const main = document.getElementById('entry');
  main.setAttribute('aria-labelledby', 'tab' + e.index);
  main.replaceChildren(
      timeSplit(e), el('h2', {}, 'Graph'), key, tools,
      el('div', {class: 'work'}, el('div', {
           class: 'scroll',
           id: 'scroll',
           tabindex: 0,
           role: 'region',
           'aria-label': 'graph of entry ' + e.name
         }),
         el('aside', {id: 'panel', 'aria-label': 'the chosen tensor', 'aria-live': 'polite'})),
      el('h2', {}, 'Exchanges'),
      e.exchanges.length ? exchangesTable(e) : el('p', {}, 'This entry exchanges nothing.'),
      el('h2', {}, 'Memory'), memoryView(e));
  drawGraph(e);
}

function go(e, ref) {
  const to = '#' + encodeURIComponent(e.name) + '/' + ref;
  if (location.hash === to)
    show();
  else
    location.hash = to;
}

function show() {
  let name = '', ref = '';
  try {
    [name, ref] = decodeURIComponent(location.hash.slice(1)).split('/');
  } catch (wrong) {
    name = '';  // an address that somebody mistyped
  }
  const e = E.find((x) => x.name === name) || current;
  if (e !== current || !document.getElementById('panel')) drawEntry(e);
  drawPanel(ref || '');
  if (ref) markChosen(e, ref);
  for (const r of document.querySelectorAll('tr[data-ref]'))
    r.classList.toggle('on', r.dataset.ref === ref);
}

function tabKeys(ev) {
  const tabs = [...document.querySelectorAll('[role="tab"]')], i = tabs.indexOf(ev.target),
        step = {ArrowRight: 1, ArrowLeft: -1}[ev.key];
  if (i < 0 || !step) return;
  const t = tabs[(i + step + tabs.length) % tabs.length];
  t.focus();
  t.click();
}

function start() {
  drawHead();
  const order = [...E.filter((e) => e.name !== 'init'), ...E.filter((e) => e.name === 'init')];
  document.body.append(
      el('main', {},
         el('div', {role: 'tablist', 'aria-label': 'entries', onkeydown: tabKeys},
            order.map(
                (e) =>
                    el('button', {
                      role: 'tab',
                      id: 'tab' + e.index,
                      'aria-controls': 'entry',
                      onclick: () => {
                        location.hash = '#' + encodeURIComponent(e.name);
                      }
                    },
                       e.name + ' \u2013 ' + timeText(e.time)))),
         el('section', {role: 'tabpanel', id: 'entry'})),
      el('section', {'aria-label': 'variables'}, el('h2', {}, 'Variables'),
         V.length ? variablesTable() : el('p', {}, 'The program has no variables.')));
  setTheme(null);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => setTheme(null));
  addEventListener('hashchange', show);
  show();
}
start();
