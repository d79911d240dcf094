#!/bin/bash
# A stranger's project uses Limber each way there is: find_package and pkg-config, static and shared, and add_subdirectory;
# in C and in C++. The libraries are built without programs, as a distribution does it; a shared one exports the public API alone.
set -eu
source=${LIMBER_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
quietly() { "$@" > "$work/log" 2>&1 || { echo "FAILED: $*"; tail -n 30 "$work/log"; exit 1; }; }

mkdir "$work/user"
cat > "$work/user/main.c" << 'CODE'
#include <limber/limber.h>
#include <limber/os.h>
#include <stdio.h>
int main(void)
{
    lmb_pool *pool;
    if (lmb_pool_create(2, &pool, NULL) != LMB_OK) { return 1; }
    lmb_pool_destroy(pool);
    puts(lmb_result_name(LMB_OK));
    return lmb_sin(0) == 0 ? 0 : 1;
}
CODE
cp "$work/user/main.c" "$work/user/main.cpp"
cat > "$work/user/CMakeLists.txt" << TEXT
cmake_minimum_required(VERSION 3.22)
project(user LANGUAGES C CXX)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "\${CMAKE_BINARY_DIR}")
if(SUBDIRECTORY)
    add_subdirectory($source limber)
else()
    find_package(limber 0.1 REQUIRED)
endif()
add_executable(in_c main.c)
add_executable(in_cpp main.cpp)
foreach(target in_c in_cpp)
    target_link_libraries(\${target} PRIVATE limber::limber_os limber::limber)
endforeach()
TEXT

# Plain C without optimisation: what is tried here is how things link. Position-independent everywhere, so that a compiler
# cache has the objects of one for the others.
options=(-G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS=-O0 "-DLIMBER_SETS=" -DCMAKE_POSITION_INDEPENDENT_CODE=ON)
command -v ccache > /dev/null && options+=(-DCMAKE_C_COMPILER_LAUNCHER=ccache)
for shared in OFF ON; do
    prefix=$work/prefix_$shared
    quietly cmake -S "$source" -B "$work/build_$shared" "${options[@]}" -DLIMBER_PROGRAMS=OFF -DBUILD_SHARED_LIBS=$shared
    quietly cmake --build "$work/build_$shared"
    quietly cmake --install "$work/build_$shared" --prefix "$prefix"
    lib=$(dirname "$(find "$prefix" -name 'liblimber.*' | head -n 1)")
    export LD_LIBRARY_PATH=$lib PKG_CONFIG_PATH=$lib/pkgconfig
    if [ $shared = ON ]; then
        [ -L "$lib/liblimber.so" ] || { echo "BUILD_SHARED_LIBS made no shared library:"; ls "$lib"; exit 1; }
        others=$(nm -D --defined-only "$lib/liblimber.so" | awk '{ print $3 }' | grep -vE '^lmb_' || true)
        [ -z "$others" ] || { echo "liblimber.so exports what is not public:"; echo "$others" | head; exit 1; }
    fi
    quietly cmake -S "$work/user" -B "$work/found_$shared" -G Ninja -DCMAKE_PREFIX_PATH="$prefix"
    quietly cmake --build "$work/found_$shared"
    quietly "$work/found_$shared/in_c"
    quietly "$work/found_$shared/in_cpp"
    quietly gcc -std=c99 -Wall -Wextra -Wpedantic -Werror "$work/user/main.c" $(pkg-config --cflags --libs limber) -o "$work/by_c"
    quietly g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror "$work/user/main.cpp" $(pkg-config --cflags --libs limber) -o "$work/by_cpp"
    quietly "$work/by_c"
    quietly "$work/by_cpp"
done

unset LD_LIBRARY_PATH
quietly cmake -S "$work/user" -B "$work/below" "${options[@]}" -DSUBDIRECTORY=ON -DBUILD_SHARED_LIBS=OFF
quietly cmake --build "$work/below" --target in_c in_cpp
quietly "$work/below/in_c"
quietly "$work/below/in_cpp"
