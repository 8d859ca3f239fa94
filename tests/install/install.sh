#!/bin/bash
# Installs into a scratch prefix, moves it, and uses it as a stranger would: the command, find_package and
# pkg-config, from C and C++, with nothing of the build folder in what is found.
# install.sh CMAKE BUILD SOURCE SCRATCH
set -eu
cmake=$1 build=$2 source=$3 scratch=$4
here=$source/tests/install
. "$here/../lib.sh"
rm -rf "$scratch"
mkdir -p "$scratch/first" "$scratch/work"
export XDG_CACHE_HOME="$scratch/cache"
unset LD_LIBRARY_PATH DTRT_MPI_MODULE DTGC_CACHE

# What comes after a failed step depends on it.
stop() { fail "$@"; exit 1; }

"$cmake" --install "$build" --prefix "$scratch/first" >"$scratch/install.log"
mv "$scratch/first" "$scratch/prefix" # nothing may have learnt where it was
prefix=$scratch/prefix
lib=$(dirname "$(find "$prefix" -name libdtgc.so)")
cd "$scratch/work"

# ---- what is installed
doc=share/doc/dtg
for file in bin/dtgc bin/dtgc-launch include/dtgc.h include/dtrt.h include/dtrt_math.h include/dtrt_special.h include/dtg/nn.dtg share/man/man1/dtgc.1 \
  $doc/README.md $doc/docs/limits.md $doc/samples/mnist/run $doc/samples/digits/data/digits.csv.gz share/dtg/python/dtg.py; do
  [ -f "$prefix/$file" ] || stop "$file is not installed"
done
for page in "$source"/docs/*.md; do [ -f "$prefix/$doc/docs/${page##*/}" ] || stop "${page##*/} is not installed"; done
[ -z "$(find "$prefix/$doc" -name out)" ] || stop 'what samples wrote is installed'
# Links between installed pages lead somewhere; those into the source have none here.
for page in "$prefix/$doc"/README.md "$prefix/$doc"/docs/*.md; do
  for link in $(sed '/^```/,/^```$/d' "$page" | grep -o '](\([^)#: ]*\)' | sed 's/^](//'); do # not of programs: blocks[0](x)
    case $link in http* | compiler/* | ../compiler/* | runtime/* | ../runtime/* | include/* | ../include/* | tests/* | ../tests/*) continue ;; esac
    [ -e "$(dirname "$page")/$link" ] || stop "$page links to $link, which is not installed"
  done
done
for file in "$prefix/bin/dtgc" "$lib"/*.so; do
  needs=$(readelf -d "$file")
  case $needs in *"$build"*) stop "$file has a path of the build folder: $needs" ;; esac
  # libdtgc-jit.so finds LLVM where it was.
  ldd "$file" | grep -q 'not found' && stop "$file: $(ldd "$file" | grep 'not found')"
done
ldd "$prefix/bin/dtgc" | grep libdtgc.so | grep -q "$prefix" || stop "dtgc takes another libdtgc: $(ldd "$prefix/bin/dtgc")"
grep -rlF -e "$build" -e "$scratch/first" "$lib/cmake" "$lib/pkgconfig" && stop "a path of the build is in the files above"

# ---- the command
cp "$prefix/$doc"/samples/digits/*.dtg .
ln -s "$prefix/$doc/samples/digits/data" data
"$prefix/bin/dtgc" digits.dtg mixed.dtg --dump=layouts >layouts.txt
grep -q 'model.d1.w' layouts.txt || stop "no layouts: $(cat layouts.txt)"
feed="--feed image=data/digits.csv.gz:0-63 --feed label=data/digits.csv.gz:64 --limit 80 --epochs 1 --plain"
"$prefix/bin/dtgc" run digits.dtg mixed.dtg fit train $feed | sed 's/  [^ ]* steps.*//' >ran.txt
"$prefix/bin/dtgc" digits.dtg mixed.dtg -o digits --also batch=16
case $(ldd ./digits) in *"$build"* | *"not found"*) stop "./digits: $(ldd ./digits)" ;; esac
./digits fit train $feed | sed 's/  [^ ]* steps.*//' >built.txt
grep -q 'epoch 1/1  loss' ran.txt || stop "dtgc run: $(cat ran.txt)"
cmp ran.txt built.txt || stop "dtgc run and dtgc -o differ"

# ---- samples by the installed dtgc, the Python binding by the installed library
[ "$(PATH="$prefix/bin:$PATH" "$prefix/$doc/samples/exchanges" train digits.dtg mixed.dtg | tail -1 | tr -d ' ')" != '' ] ||
  stop 'samples/exchanges does not find the installed dtgc'
if python3 -c 'import numpy' 2>/dev/null; then
  PYTHONPATH="$prefix/share/dtg/python" python3 -c 'import dtg; print(dtg.open_library()._name)' >python.txt ||
    stop 'the Python binding does not open its library'
  [ "$(readlink -f "$(cat python.txt)")" = "$(readlink -f "$lib/libdtgc.so")" ] || stop "the Python binding opens $(cat python.txt)"
fi

# ---- find_package
"$cmake" -G "${DTG_GENERATOR:-Unix Makefiles}" -S "$here/consumer" -B consumer -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_BUILD_TYPE=Release >consumer.log 2>&1 || stop "find_package: $(cat consumer.log)"
"$cmake" --build consumer >>consumer.log 2>&1 || stop "$(cat consumer.log)"
for program in in_c in_cpp; do
  ldd "consumer/$program" | grep libdtgc | grep -q "$prefix" || stop "$program: $(ldd "consumer/$program")"
  [ "$("consumer/$program")" = "sum 10" ] || stop "$program says $("consumer/$program")"
done
[ "$(consumer/ahead)" = "sum 10" ] || stop "ahead says $(consumer/ahead)"
"$cmake" -S "$here/consumer" -B newer -DCMAKE_PREFIX_PATH="$prefix" -DVERSION=99 >newer.log 2>&1 &&
  stop "find_package finds a version that is not there"

# ---- pkg-config
command -v pkg-config >/dev/null || { echo "no pkg-config: that part is left out"; exit 0; }
export PKG_CONFIG_PATH="$lib/pkgconfig"
${CC:-cc} "$here/consumer/sum.c" $(pkg-config --cflags --libs dtgc) -Wl,-rpath,"$lib" -o pc_c
${CXX:-c++} -std=c++17 "$here/consumer/sum.cpp" $(pkg-config --cflags --libs dtgc) -Wl,-rpath,"$lib" -o pc_cpp
for program in ./pc_c ./pc_cpp; do
  [ "$($program)" = "sum 10" ] || stop "$program says $($program)"
done
"$prefix/bin/dtgc" --emit-c emitted "$here/consumer/sum.dtg"
${CC:-cc} -O1 -Iemitted -c emitted/sum.c -o sum.o
${CC:-cc} "$here/consumer/ahead.c" sum.o $(pkg-config --cflags --libs dtrt) -o pc_ahead
[ "$(./pc_ahead)" = "sum 10" ] || stop "pc_ahead says $(./pc_ahead)"
if pkg-config --exists dtrt-mpi; then
  ${CC:-cc} "$here/consumer/ahead.c" sum.o $(pkg-config --cflags --libs dtrt-mpi) -o pc_mpi
  nm pc_mpi | grep -q 'T dtrt_comm_open_mpi' || stop "dtrt-mpi is linked without its transport"
fi
