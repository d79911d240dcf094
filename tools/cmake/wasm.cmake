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
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:limber>)
    # The stack lies below the data: one that overflows traps instead of writing over them.
    target_link_options(${target} PRIVATE -mexec-model=reactor -Wl,-z,stack-size=1048576 -Wl,--stack-first
        -Wl,--fatal-warnings)
endfunction()

# The command without what needs a system or a library that is not here: pictures (libpng, libjpeg, giflib, ffmpeg), sockets,
# processes. Its commands are refused by name; studio/wasm_pictures.c refuses the rest.
file(GLOB command_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cli/*.c")
list(FILTER command_sources EXCLUDE REGEX
    "/cli/(main|render|stage|texture|picture|ground_picture|weight_panels|gif[a-z_]*|mp4|listen[a-z_]*|play|network|batch[a-z_]*|studio[a-z_]*)\\.c$")
file(GLOB studio_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/studio/*.c")
list(REMOVE_ITEM studio_sources "${PROJECT_SOURCE_DIR}/studio/wasm_runtime.c" "${PROJECT_SOURCE_DIR}/studio/console.c")

limber_reactor(limber_wasm ${studio_sources} ${command_sources} "${PROJECT_SOURCE_DIR}/src/os/file.c")
target_compile_definitions(limber_wasm PRIVATE _XOPEN_SOURCE=700)
set_target_properties(limber_wasm PROPERTIES OUTPUT_NAME limber)
limber_reactor(parity "${PROJECT_SOURCE_DIR}/tests/wasm/parity.c")
