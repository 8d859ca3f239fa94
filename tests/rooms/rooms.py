#!/usr/bin/env python3
"""rooms.py BUILD: the rooms of the tree are those of docs/tour.md.

A room is a folder of compiler/ or runtime/ with .c files; the rooms that it may see are those in the
include paths that CMake gives its sources. Law:
  1. no circle among rooms
  2. an include of a source or header names one file, of its own room, of one that it may see, or of
     include/ (or one that the build makes): a header's room counts, not that of who includes it
  3. no circle among headers
  4. what an object refers to is defined in its own room or in one that it may see; public functions
     (dtrt_, dtgc_) are called from anywhere, but no circle of rooms comes of that
  5. no file name and no type has two meanings, be it of a header or of sources: each stands once in
     the tree
  6. what a room sees stands left of it in the picture of docs/tour.md, which has all rooms
  7. no circle among the sources of a room, but for those listed in RECURSION

rooms.py --planted: breaks each of them in a small tree of its own, and must find it.
"""
import collections, json, os, re, subprocess, sys, tempfile

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
TYPES = (
    re.compile(r'^(?:typedef )?(?:struct|enum|union) (\w+) \{', re.M),
    re.compile(r'^\} (\w+);', re.M),
    re.compile(r'^typedef [^{;]*?\(?\*?\b(\w+)\)?(?:\([^)]*\))?;', re.M),
)
# Sources that call each other in circles, because recursion is what they do.
RECURSION = {
    'compiler/frontend': ('adopt assert builtin call entry eval flow flow_rows flow_stmt lookup loss_scaling microbatch operate says spec stack '
                          'stmt variable', 'expressions have calls and statements in them, and calls expressions'),
    'compiler/ops': ('args array blocks build carried complex contraction dynamic elementwise functions index index_range joined_dims linear_algebra lower matrix '
                     'matrix_gradients order pad_modes reduce relayout scan scatters shape simplify_pads simplify_product simplify_index simplify_puts simplify_rolls '
                     'simplify_sum slice_in_two state untyped window',
                     'rules, gradients and rewrites of ops are built of other ops'),
    'compiler/loops': ('entry_build kernels product product_roles repeated tile_nest', 'a tile loop is a step that has steps in it'),
    'runtime/kernels': ('gemm gemm_cores gemm_deep gemm_half', 'a product over many terms, or on many cores, is '
                        'split into products'),
}
# Types of sources that have one meaning and are defined for each instruction set.
ONE_MEANING = {
    'Part': 'the first lanes of a vector, as gemm_kernel.inc takes them: a mask, or their number',
    'Word': 'two numbers of 16 bits',
}
# Targets that have sources of a room beside its own: what only some machines build.
BESIDE = {'runtime/comm': 'dtrt_mpi_objects'}
SOURCES = ('.c', '.h', '.cpp', '.inc', '.def', '.l', '.y')


def circle(edges):
    """A circle of the graph as a list, or None."""
    state, path = {}, []

    def visit(v):
        state[v] = 1
        path.append(v)
        for w in sorted(edges.get(v, ())):
            if state.get(w) == 1:
                return path[path.index(w):] + [w]
            if w not in state:
                found = visit(w)
                if found:
                    return found
        path.pop()
        state[v] = 2
        return None

    for v in sorted(edges):
        if v not in state:
            found = visit(v)
            if found:
                return found
    return None


def components(edges):
    """The sets of two or more vertices that reach each other, as sorted lists."""
    reach = {}
    for v in edges:
        seen, work = set(), list(edges[v])
        while work:
            w = work.pop()
            if w not in seen:
                seen.add(w)
                work += edges.get(w, ())
        reach[v] = seen
    found = {tuple(sorted(w for w in reach[v] if v in reach.get(w, ()))) for v in edges if v in reach[v]}
    return sorted(list(c) for c in found)


class Tree:
    def __init__(self, root, build):
        self.root, self.build = root, build
        self.sees = collections.defaultdict(set)  # room: the rooms in its include path
        self.apart = {}  # of a source that another target has (main.c): what it sees
        self.object = {}  # source: its object, of the room's own target
        self.files = [os.path.join(at, f)[len(root) + 1:] for house in ('compiler', 'runtime')
                      for at, _, names in os.walk(os.path.join(root, house))
                      for f in names if f.endswith(SOURCES)]
        self.text = {f: open(os.path.join(root, f), encoding='utf-8').read() for f in self.files}
        self.rooms = {os.path.dirname(f) for f in self.files if f.endswith('.c')}
        self.commands()

    def commands(self):
        with open(os.path.join(self.build, 'compile_commands.json'), encoding='utf-8') as f:
            commands = json.load(f)
        for c in commands:
            file = os.path.relpath(c['file'], self.root)
            room = os.path.dirname(file)
            out = c.get('output') or re.search(r' -o (\S+)', c['command'])[1]
            # A room's own target is named after it; a source may be in an executable's, too.
            own = room.replace('/', '_').replace('compiler_', 'dtg_').replace('runtime_', 'dtrt_')
            if room not in self.rooms:
                continue
            sees = {os.path.relpath(at, self.root) for at in re.findall(r'-I\s*(\S+)', c['command'])}
            sees = sees & self.rooms - {room}
            if any(f'/{t}.dir/' in '/' + out for t in (own, BESIDE.get(room, own))):
                self.sees[room] |= sees
                self.object[file] = os.path.join(c['directory'], out)
            else:
                self.apart.setdefault(file, sees)
        self.apart = {f: sees for f, sees in self.apart.items() if f not in self.object}

    def faults(self):
        return (self.room_circles() + self.picture() + self.includes() + self.header_circles() + self.symbols() +
                self.names())

    def room_circles(self):
        found = circle(self.sees)
        return ['rooms in a circle: ' + ' -> '.join(found)] if found else []

    def picture(self):
        """Lines `house: a b < c < d`: c is above a and b, d above c and all below it."""
        with open(os.path.join(self.root, 'docs/tour.md'), encoding='utf-8') as f:
            lines = re.findall(r'^(compiler|runtime): +(.*<.*)$', f.read(), re.M)
        below = collections.defaultdict(set)
        for house, line in lines:
            groups = [[r if r.startswith('runtime/') else f'{house}/{r}' for r in g.split()]
                      for g in line.split('<')]
            for low, high in zip(groups, groups[1:]):
                for r in high:
                    below[r] |= set(low)
        drawn = set(below) | {r for low in below.values() for r in low}

        def under(room, seen):
            for r in below.get(room, ()):
                if r not in seen:
                    seen.add(r)
                    under(r, seen)
            return seen

        faults = [f'docs/tour.md: {r} is not in the picture' for r in sorted(self.rooms - drawn)]
        faults += [f'docs/tour.md: {r} is in the picture and not in the tree'
                   for r in sorted(drawn - self.rooms)]
        for room in sorted(self.sees):
            faults += [f'docs/tour.md: {room} sees {r}, which is not left of it'
                       for r in sorted(self.sees[room] - under(room, set()))]
        return faults

    def resolve(self, f, name):
        room = os.path.dirname(f)
        places = [room] + sorted(self.apart.get(f, self.sees[room]))
        found = [os.path.normpath(os.path.join(p, name)) for p in places]
        return list(dict.fromkeys(g for g in found if g in self.text))

    def includes(self):
        faults = []
        made = {n for at, _, names in os.walk(os.path.join(self.build, 'compiler'))
                if 'CMakeFiles' not in at for n in names if n.endswith('.h')}
        for f in self.files:
            if os.path.dirname(f) not in self.sees and os.path.dirname(f) not in self.rooms:
                continue
            for m in INCLUDE.finditer(self.text[f]):
                at = f'{f}:{self.text[f].count(chr(10), 0, m.start()) + 1}: "{m[1]}"'
                found = self.resolve(f, m[1])
                if len(found) > 1:
                    faults.append(f'{at} is two files: {", ".join(found)}')
                elif not found and m[1] not in made and \
                        not os.path.exists(os.path.join(self.root, 'include', m[1])):
                    where = [g for g in self.files if os.path.basename(g) == os.path.basename(m[1])]
                    faults.append(f'{at} is in no room below ({", ".join(where) or "there is none"})')
                elif found and '..' in m[1].split('/'):
                    faults.append(f'{at} climbs by its path')
        return faults

    def header_circles(self):
        edges = {f: {g for m in INCLUDE.finditer(self.text[f]) for g in self.resolve(f, m[1])[:1]}
                 for f in self.files if f.endswith('.h')}
        found = circle(edges)
        return ['headers in a circle: ' + ' -> '.join(found)] if found else []

    def symbols(self):
        file_of, wants = {}, []
        objects = {o: f for f, o in self.object.items() if os.path.exists(o)}
        if not objects:
            return ['no objects were found: is the build complete?']
        out = subprocess.run(['nm', '-A'] + sorted(objects), capture_output=True, text=True,
                             check=True).stdout
        for line in out.splitlines():
            o, _, rest = line.partition(':')
            kind, name = rest.split()[-2:]
            f = objects[o]
            if kind in 'TDBRV':
                file_of[name] = f
            elif kind in 'Uwv':
                wants.append((f, name))
        faults = []
        refers, calls = collections.defaultdict(set), collections.defaultdict(set)
        for f, name in wants:
            if name not in file_of or file_of[name] == f:
                continue
            room, there = os.path.dirname(f), os.path.dirname(file_of[name])
            if there == room:
                calls[f].add(file_of[name])
                continue
            refers[room].add(there)
            # The runtime's public functions are called through include/dtrt.h.
            if there not in self.sees[room] and not name.startswith(('dtrt_', 'dtgc_')):
                faults.append(f'{f}: `{name}` is of {there}, which it does not see')
        found = circle(refers)
        if found:
            faults.append('rooms whose objects refer to each other: ' + ' -> '.join(found))
        return faults + self.source_circles(calls)

    def source_circles(self, calls):
        faults, looped = [], collections.defaultdict(set)
        for group in components(calls):
            room = os.path.dirname(group[0])
            names = {os.path.basename(f)[:-2] for f in group}
            looped[room] |= names
            if names - set(RECURSION.get(room, ('', ''))[0].split()):
                found = circle({f: calls[f] & set(group) for f in group})
                faults.append('sources in a circle: ' + ' -> '.join(found))
        return faults + [f'RECURSION names {name} of {r}, which is in no circle' for r in RECURSION if r in self.rooms
                         for name in sorted(set(RECURSION[r][0].split()) - looped[r])]

    def names(self):
        faults, stems, types = [], collections.defaultdict(set), collections.defaultdict(set)
        for f in self.files:
            stem = os.path.basename(f).split('.')[0]
            stems[stem].add(os.path.dirname(f))
            for pattern in TYPES:
                for m in pattern.finditer(self.text[f]):
                    types[m[1]].add(f)
        for stem, folders in sorted(stems.items()):
            if len(folders) > 1:
                faults.append(f'the file name {stem} has two meanings: in {", ".join(sorted(folders))}')
        for name, files in sorted(types.items()):
            # A header may name a type that a source of its room defines.
            kernels = all(f.startswith('runtime/kernels/') for f in files) and name in ONE_MEANING
            if len(files) > 1 and not kernels and not self.one_definition(name, files):
                faults.append(f'the type {name} has two meanings: in {", ".join(sorted(files))}')
        return faults

    def one_definition(self, name, files):
        """All but one only name the struct; the one that defines it includes one that names it."""
        body = [f for f in files if re.search(r'\b(?:struct|enum|union) %s \{' % name, self.text[f])
                or re.search(r'^\} %s;' % name, self.text[f], re.M)]
        if len(body) != 1:
            return False
        seen, work = set(), [body[0]]
        while work:
            f = work.pop()
            if f not in seen:
                seen.add(f)
                work += [g for m in INCLUDE.finditer(self.text[f]) for g in self.resolve(f, m[1])[:1]]
        return all(f in seen for f in files)


# -------- planted faults --------

SOUND = {
    'runtime/low/low.h': 'typedef struct Low Low;\nint low(void);\n',
    'runtime/low/low.c': '#include "low.h"\nstruct Low {\n  int x;\n};\nint low(void) { return 0; }\n',
    'runtime/high/high.h': '#include "low.h"\nint high(void);\n',
    'runtime/high/high.c': '#include "high.h"\nint high(void) { return low(); }\n',
    'compiler/other/other.c': 'int other(void);\nint other(void) { return 1; }\n',
    'docs/tour.md': 'runtime: low < high\ncompiler: runtime/low < other\n',
}
PLANTED = [
    ('is in no room below', {'runtime/low/low.c': '#include "high.h"\nint low(void) { return 0; }\n'}, None),
    ('climbs by its path', {'runtime/high/high.c': '#include "../low/low.h"\nint high(void) { return 0; }\n'},
     None),
    ('is two files', {'runtime/high/low.h': 'int low(void);\n'}, None),
    ('rooms in a circle', {}, ('runtime/low', 'runtime/high')),
    ('which is not left of it', {}, ('compiler/other', 'runtime/high')),
    ('is not in the picture', {'docs/tour.md': 'runtime: low < high\n'}, None),
    ('headers in a circle', {'runtime/low/low.h': '#include "lower.h"\nint low(void);\n',
                             'runtime/low/lower.h': '#include "low.h"\n'}, None),
    ('which it does not see', {'runtime/low/low.c': 'int high(void);\nint low(void);\n'
                               'int low(void) { return high(); }\n'}, None),
    ('refer to each other', {'runtime/low/low.c': 'int dtrt_high(void);\nint low(void);\n'
                             'int low(void) { return dtrt_high(); }\n',
                             'runtime/high/high.c': '#include "high.h"\nint dtrt_high(void);\n'
                             'int dtrt_high(void) { return 0; }\nint high(void) { return low(); }\n'}, None),
    ('refer to each other', {'runtime/low/low.c': 'int dtrt_high(void) __attribute__((weak));\nint low(void);\n'
                             'int low(void) { return dtrt_high(); }\n',
                             'runtime/high/high.c': '#include "high.h"\nint dtrt_high(void);\n'
                             'int dtrt_high(void) { return 0; }\nint high(void) { return low(); }\n'}, None),
    ('sources in a circle', {'runtime/low/low.c': 'int lower(void);\nint low(void);\nint low(void) { return lower(); }\n',
                             'runtime/low/lower.c': 'int low(void);\nint lower(void);\n'
                             'int lower(void) { return low(); }\n'}, None),
    ('the file name low has two', {'compiler/other/low.c': 'int more;\n'}, None),
    ('the type Low has two', {'compiler/other/other.c': 'typedef struct Low {\n  int y;\n} Low;\n'
                              'int other(void);\nint other(void) { return 1; }\n'}, None),
    ('the type Part has two', {'compiler/other/other.c': 'typedef struct Part {\n  int y;\n} Part;\n'
                               'int other(void);\nint other(void) { return 1; }\n',
                               'runtime/high/high.c': '#include "high.h"\ntypedef enum Part { FEW, ALL } Part;\n'
                               'int high(void) { return low() + FEW; }\n'}, None),
]

# What only objects show: the others are not compiled.
OF_OBJECTS = ('which it does not see', 'refer to each other', 'sources in a circle')


def faults_of(files, extra, compiled):
    with tempfile.TemporaryDirectory() as root:
        sees = {'runtime/low': [], 'runtime/high': ['runtime/low'], 'compiler/other': []}
        if extra:
            sees[extra[0]].append(extra[1])
        commands = []
        build = os.path.join(root, 'build')
        for f, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(root, f)), exist_ok=True)
            with open(os.path.join(root, f), 'w', encoding='utf-8') as out:
                out.write(text)
        for f in files:
            if not f.endswith('.c'):
                continue
            room = os.path.dirname(f)
            own = room.replace('/', '_').replace('compiler_', 'dtg_').replace('runtime_', 'dtrt_')
            o = f'{own}.dir/{os.path.basename(f)}.o'
            os.makedirs(os.path.join(build, f'{own}.dir'), exist_ok=True)
            path = ''.join(f' -I{os.path.join(root, at)}' for at in [room] + sees[room])
            command = f'cc -w{path} -o {o} -c {os.path.join(root, f)}'
            commands.append({'directory': build, 'command': command, 'output': o,
                             'file': os.path.join(root, f)})
            if compiled:
                subprocess.run(command.split(), cwd=build, check=True)
        with open(os.path.join(build, 'compile_commands.json'), 'w', encoding='utf-8') as out:
            json.dump(commands, out)
        return Tree(root, build).faults()


def planted():
    bad = ['a sound tree: ' + x for x in faults_of(SOUND, None, True)]
    for want, files, extra in PLANTED:
        found = faults_of({**SOUND, **files}, extra, want in OF_OBJECTS)
        if not any(want in x for x in found):
            bad.append(f'planted and not found: {want} (found: {found})')
    return bad


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    if sys.argv[1] == '--planted':
        faults = planted()
    else:
        tree = Tree(os.path.dirname(os.path.dirname(here)), os.path.abspath(sys.argv[1]))
        faults = tree.faults()
        print(f'{len(tree.rooms)} rooms, {len(tree.files)} files, {len(tree.object)} objects')
    for x in faults:
        print('FAIL', x)
    sys.exit(bool(faults))


main()
