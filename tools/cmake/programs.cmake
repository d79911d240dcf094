# Programs of this repository, and what they share.

# The table of rooms is held by the build: an #include that points up fails it.
file(GLOB_RECURSE layered CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/*.[ch]"
    "${PROJECT_SOURCE_DIR}/src/*.inl" "${PROJECT_SOURCE_DIR}/include/*.h" "${PROJECT_SOURCE_DIR}/cli/*.[ch]"
    "${PROJECT_SOURCE_DIR}/samples/*.[ch]" "${PROJECT_SOURCE_DIR}/studio/*.[ch]" "${PROJECT_SOURCE_DIR}/bodies/*.[ch]"
    "${PROJECT_SOURCE_DIR}/batch/*.[ch]")
add_custom_command(OUTPUT "${PROJECT_BINARY_DIR}/layers.checked"
    COMMAND "${PROJECT_SOURCE_DIR}/tools/check-layers" "${PROJECT_SOURCE_DIR}"
    COMMAND "${CMAKE_COMMAND}" -E touch "${PROJECT_BINARY_DIR}/layers.checked"
    DEPENDS ${layered} "${PROJECT_SOURCE_DIR}/tools/check-layers" "${PROJECT_SOURCE_DIR}/tools/layers.txt"
    COMMENT "Checking that rooms include only rooms below them" VERBATIM)
add_custom_target(limber_layers ALL DEPENDS "${PROJECT_BINARY_DIR}/layers.checked")

# What every program of this repository links, and what the command's files may use.
function(limber_program target)
    limber_flags(${target})
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}")
    target_compile_definitions(${target} PRIVATE _XOPEN_SOURCE=700 _FILE_OFFSET_BITS=64)
    target_link_libraries(${target} PRIVATE limber_batch limber_bodies ${limber_os_core} ${limber_core})
endfunction()

if(LIMBER_COMMAND)
    include(tools/cmake/command.cmake)
endif()

# Without libFuzzer the same targets replay files, so that they always compile and always run over the seeds.
file(GLOB fuzz_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/fuzz/*_fuzz.c")
add_custom_target(fuzzers)
foreach(source IN LISTS fuzz_sources)
    get_filename_component(name "${source}" NAME_WE)
    if(LIMBER_FUZZ)
        add_executable(fuzz_${name} "${source}")
        target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    else()
        add_executable(fuzz_${name} "${source}" "${PROJECT_SOURCE_DIR}/fuzz/replay.c")
    endif()
    # A reader of the command's own: fuzz/cli_<folder>_<name>_fuzz.c runs cli/<folder>/<name>*.c.
    if(name MATCHES "^cli_([a-z]+)_(.*)_fuzz$")
        file(GLOB parts CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cli/${CMAKE_MATCH_1}/${CMAKE_MATCH_2}*.c")
        target_sources(fuzz_${name} PRIVATE ${parts})
    endif()
    # A part of the command that needs others: fuzz/command_<name>_fuzz.c has all of it.
    if(name MATCHES "^command_")
        target_sources(fuzz_${name} PRIVATE $<TARGET_OBJECTS:limber_cli>)
        target_link_libraries(fuzz_${name} PRIVATE ${limber_command_libraries})
    endif()
    limber_program(fuzz_${name})
    add_dependencies(fuzzers fuzz_${name})
    set_target_properties(fuzz_${name} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/fuzz" OUTPUT_NAME ${name})
endforeach()
