# The studio's module: the library, the command, and studio/*.c, as a WebAssembly reactor without imports. The same objects
# once more as a module that imports its memory and shares it with instances of itself in other threads. And one of the
# library alone, that tests compare with the native library. There is no -O at link: it would call wasm-opt, which a Debian
# machine does not have.

function(limber_reactor target)
    add_executable(${target} ${ARGN} "${PROJECT_SOURCE_DIR}/studio/wasm_runtime.c" "${PROJECT_SOURCE_DIR}/studio/console.c")
    limber_flags(${target})
    set_target_properties(${target} PROPERTIES SUFFIX .wasm)
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/src"
        "${PROJECT_SOURCE_DIR}/include")
    # The objects and not the archive: binutils' ar, the one on a bare machine, writes no index of wasm symbols.
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${limber_core}> $<TARGET_OBJECTS:limber_bodies>)
    # A host that watches puts a function of its own into the table.
    target_link_options(${target} PRIVATE -Wl,--export-table -Wl,--growable-table)
    # The stack lies below the data: one that overflows traps instead of writing over them.
    target_link_options(${target} PRIVATE -mexec-model=reactor -Wl,-z,stack-size=1048576 -Wl,--stack-first
        -Wl,--fatal-warnings)
endfunction()

# Threads. Debian's wasi-libc knows none: its allocator gets a lock, and its objects, like all others here, are compiled
# without atomics, which lld would refuse. Only the files that wait for other threads have them. The memory is a host's,
# which makes it as large as the first pages at least.
set(threads_sources "${PROJECT_SOURCE_DIR}/studio/wasm_pool.c" "${PROJECT_SOURCE_DIR}/studio/wasm_heap.c")
set_property(SOURCE ${threads_sources} APPEND PROPERTY COMPILE_OPTIONS -matomics -mbulk-memory)
function(limber_shared_reactor target)
    limber_reactor(${target} ${ARGN} ${threads_sources})
    target_link_options(${target} PRIVATE -Wl,--import-memory -Wl,--shared-memory -Wl,--initial-memory=8388608
        -Wl,--max-memory=4294967296 -Wl,--no-check-features -Wl,--export=__stack_pointer)
    foreach(name malloc calloc realloc free)
        target_link_options(${target} PRIVATE -Wl,--wrap=${name})
    endforeach()
    # Nobody calls these; they have no lock, and whoever calls them does not link.
    foreach(name aligned_alloc posix_memalign)
        target_link_options(${target} PRIVATE -Wl,--wrap=${name})
    endforeach()
endfunction()

# The command without main and without the folders that need a system or a library that is not here: pictures (libpng,
# libjpeg, giflib, ffmpeg), sockets, processes. Their commands are refused by name; studio/wasm_pictures.c refuses the rest.
file(GLOB_RECURSE command_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cli/*.c")
list(FILTER command_sources EXCLUDE REGEX "/cli/(batch|live|render|studio)/")
list(REMOVE_ITEM command_sources "${PROJECT_SOURCE_DIR}/cli/main.c")
file(GLOB studio_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/studio/*.c")
list(REMOVE_ITEM studio_sources "${PROJECT_SOURCE_DIR}/studio/wasm_runtime.c" "${PROJECT_SOURCE_DIR}/studio/console.c"
    "${PROJECT_SOURCE_DIR}/studio/wasm_alone.c" ${threads_sources})

# The module is linked as a page gets it, without threads and with them, and with a program of tests in it.
add_library(limber_studio OBJECT ${studio_sources} ${command_sources} "${PROJECT_SOURCE_DIR}/src/os/file.c")
limber_flags(limber_studio)
# A page loads the module before its first character: what runs once a command is compiled for size, but for readers of meshes.
target_compile_options(limber_studio PRIVATE -Oz)
target_compile_options(limber_bodies PRIVATE -Oz)
foreach(room asset author capture embed ik io learn mapping procedural retarget rig)
    file(GLOB_RECURSE once_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${room}/*.c")
    list(FILTER once_sources EXCLUDE REGEX "/io/(gltf|surface)/")
    set_property(SOURCE ${once_sources} APPEND PROPERTY COMPILE_OPTIONS -Oz)
endforeach()
limber_options()
target_include_directories(limber_studio PRIVATE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/src"
    "${PROJECT_SOURCE_DIR}/include" "${PROJECT_BINARY_DIR}")
target_compile_definitions(limber_studio PRIVATE _XOPEN_SOURCE=700)

set(alone "${PROJECT_SOURCE_DIR}/studio/wasm_alone.c")
limber_reactor(limber_wasm ${alone} $<TARGET_OBJECTS:limber_studio>)
limber_shared_reactor(limber_threads_wasm $<TARGET_OBJECTS:limber_studio>)
set_target_properties(limber_wasm PROPERTIES OUTPUT_NAME limber)
set_target_properties(limber_threads_wasm PROPERTIES OUTPUT_NAME limber-threads)
# A page needs both.
add_dependencies(limber_wasm limber_threads_wasm)
# Names of functions and the C library's debug information are a twentieth of what a page loads.
target_link_options(limber_wasm PRIVATE -Wl,--strip-all)
target_link_options(limber_threads_wasm PRIVATE -Wl,--strip-all)
limber_reactor(live "${PROJECT_SOURCE_DIR}/tests/wasm/live.c" ${alone} $<TARGET_OBJECTS:limber_studio>)
limber_shared_reactor(pool "${PROJECT_SOURCE_DIR}/tests/wasm/pool.c")
limber_reactor(parity "${PROJECT_SOURCE_DIR}/tests/wasm/parity.c")
