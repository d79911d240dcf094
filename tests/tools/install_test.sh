#!/bin/bash
# The installed library serves a stranger's project: through find_package, pkg-config and add_subdirectory, in C and C++,
# without handing its own warnings and flags on.
set -eu
source=${LIMBER_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${LIMBER_BUILD:-$source/build/dev}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" > "$work/install.log"
"$work/prefix/bin/limber" --version
if [ -e "$source/build/studio/limber.wasm" ]; then
    # Where the page was built it is installed, and found.
    for name in $(tr -d '[]",' < "$source/studio/page/site.json") sw.js; do
        [ -e "$work/prefix/share/limber/studio/$name" ] || { echo "$name is not installed"; exit 1; }
    done
    timeout --foreground -s INT 1 "$work/prefix/bin/limber" studio --port 0 --no-open --json > "$work/studio" || [ $? = 124 ]
    grep -q 'share/limber/studio"' "$work/studio"
fi

mkdir "$work/user"
cat > "$work/user/main.c" << 'CODE'
#include <limber/limber.h>
#include <limber/os.h>
int main(void)
{
    int unused_and_converted = 1.5; /* would not compile under the library's own warnings */
    lmb_pool *pool;
    if (lmb_pool_create(2, &pool, NULL) != LMB_OK) { return 1; }
    lmb_pool_destroy(pool);
    return lmb_sin(0) == 0 ? 0 : 1;
}
CODE
cp "$work/user/main.c" "$work/user/main.cpp"

export PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name limber.pc)")
if command -v pkg-config > /dev/null; then
    gcc -std=c11 "$work/user/main.c" $(pkg-config --cflags --libs limber) -o "$work/by_pkg_config"
    "$work/by_pkg_config"
    case $(pkg-config --cflags limber) in *-W*) echo "limber.pc hands warnings on"; exit 1 ;; esac
fi

languages=C
target=main.c
if command -v g++ > /dev/null; then languages="C CXX"; target=main.cpp; fi
cat > "$work/user/CMakeLists.txt" << TEXT
cmake_minimum_required(VERSION 3.22)
project(user LANGUAGES $languages)
if(SUBDIRECTORY)
    add_subdirectory($source limber)
    add_executable(user main.c)
    target_link_libraries(user PRIVATE limber::limber_os)
else()
    find_package(limber 0.1 REQUIRED)
    add_executable(user $target)
    target_link_libraries(user PRIVATE limber::limber_os)
endif()
target_link_libraries(user PRIVATE limber::limber)
get_target_property(options limber::limber INTERFACE_COMPILE_OPTIONS)
if(options)
    message(FATAL_ERROR "limber hands \${options} on")
endif()
TEXT
cmake -S "$work/user" -B "$work/found" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" > "$work/log" || { cat "$work/log"; exit 1; }
cmake --build "$work/found" > "$work/log" || { cat "$work/log"; exit 1; }
"$work/found/user"

# Without a build type the library is optimised all the same.
cmake -S "$source" -B "$work/plain" -DLIMBER_PROGRAMS=OFF > "$work/log" || { cat "$work/log"; exit 1; }
grep -q 'CMAKE_BUILD_TYPE.*=Release' "$work/plain/CMakeCache.txt" || { echo "a plain build is not a Release"; exit 1; }

# Below another project only the library is built: no command, no tests. Configuring is enough to see that.
cmake -S "$work/user" -B "$work/below" -G Ninja -DSUBDIRECTORY=ON > "$work/log" || { cat "$work/log"; exit 1; }
targets=$(cmake --build "$work/below" --target help)
case $targets in *limber_command* | *test_*) echo "a project below which Limber stands gets its programs:"; echo "$targets"; exit 1 ;; esac
