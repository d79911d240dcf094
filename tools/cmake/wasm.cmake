# The studio's module: the library, the command, and studio/*.c, as a WebAssembly reactor without imports. And a second one,
# of the library alone, that tests compare with the native library. There is no -O at link: it would call wasm-opt, which a
# Debian machine does not have.

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

# The command without main and without the folders that need a system or a library that is not here: pictures (libpng,
# libjpeg, giflib, ffmpeg), sockets, processes. Their commands are refused by name; studio/wasm_pictures.c refuses the rest.
file(GLOB_RECURSE command_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cli/*.c")
list(FILTER command_sources EXCLUDE REGEX "/cli/(batch|live|render|studio)/")
list(REMOVE_ITEM command_sources "${PROJECT_SOURCE_DIR}/cli/main.c")
file(GLOB studio_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/studio/*.c")
list(REMOVE_ITEM studio_sources "${PROJECT_SOURCE_DIR}/studio/wasm_runtime.c" "${PROJECT_SOURCE_DIR}/studio/console.c")

# The module is linked twice: as a page gets it, and with a program of tests in it.
add_library(limber_studio OBJECT ${studio_sources} ${command_sources} "${PROJECT_SOURCE_DIR}/src/os/file.c")
limber_flags(limber_studio)
# A page loads the module before its first character: what runs once a command is compiled for size.
target_compile_options(limber_studio PRIVATE -Os)
target_compile_options(limber_bodies PRIVATE -Os)
file(GLOB_RECURSE once_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/capture/*.c" "${PROJECT_SOURCE_DIR}/src/learn/*.c"
    "${PROJECT_SOURCE_DIR}/src/io/*.c" "${PROJECT_SOURCE_DIR}/src/procedural/*.c" "${PROJECT_SOURCE_DIR}/src/author/*.c"
    "${PROJECT_SOURCE_DIR}/src/mapping/*.c" "${PROJECT_SOURCE_DIR}/src/retarget/*.c")
list(FILTER once_sources EXCLUDE REGEX "/io/(gltf|surface)/")
set_property(SOURCE ${once_sources} APPEND PROPERTY COMPILE_OPTIONS -Os)
limber_options()
target_include_directories(limber_studio PRIVATE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/src"
    "${PROJECT_SOURCE_DIR}/include" "${PROJECT_BINARY_DIR}")
target_compile_definitions(limber_studio PRIVATE _XOPEN_SOURCE=700)

limber_reactor(limber_wasm $<TARGET_OBJECTS:limber_studio>)
set_target_properties(limber_wasm PROPERTIES OUTPUT_NAME limber LINKER_LANGUAGE C)
# Names of functions and the C library's debug information are a twentieth of what a page loads.
target_link_options(limber_wasm PRIVATE -Wl,--strip-all)
limber_reactor(live "${PROJECT_SOURCE_DIR}/tests/wasm/live.c" $<TARGET_OBJECTS:limber_studio>)
limber_reactor(parity "${PROJECT_SOURCE_DIR}/tests/wasm/parity.c")
