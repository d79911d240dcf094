# The library as a WebAssembly reactor without imports, for the studio, and a second one that tests compare with the
# native library. There is no -O at link: it would call wasm-opt, which a Debian machine does not have.

function(limber_reactor target)
    add_executable(${target} ${ARGN} "${PROJECT_SOURCE_DIR}/studio/wasm_runtime.c")
    limber_flags(${target})
    set_target_properties(${target} PROPERTIES SUFFIX .wasm)
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
    # The objects and not the archive: binutils' ar, the one on a bare machine, writes no index of wasm symbols.
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:limber>)
    target_link_options(${target} PRIVATE -mexec-model=reactor -Wl,-z,stack-size=1048576 -Wl,--fatal-warnings)
endfunction()

limber_reactor(limber_wasm "${PROJECT_SOURCE_DIR}/studio/wasm_exports.c")
set_target_properties(limber_wasm PROPERTIES OUTPUT_NAME limber)
limber_reactor(parity "${PROJECT_SOURCE_DIR}/tests/wasm/parity.c")
