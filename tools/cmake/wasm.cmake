# The library as a WebAssembly reactor without imports, for the studio and for tests of equal bits.
# No -O at link: wasm-opt or the linker's own passes are not part of a Debian machine, and -O there changes nothing.
file(GLOB export_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/studio/*.c")
if(export_sources)
    add_executable(limber_wasm ${export_sources})
    limber_flags(limber_wasm)
    set_target_properties(limber_wasm PROPERTIES OUTPUT_NAME limber SUFFIX .wasm)
    target_include_directories(limber_wasm PRIVATE "${PROJECT_SOURCE_DIR}/src")
    target_link_libraries(limber_wasm PRIVATE limber)
    target_link_options(limber_wasm PRIVATE -mexec-model=reactor -Wl,-z,stack-size=1048576 -Wl,--fatal-warnings)
endif()
