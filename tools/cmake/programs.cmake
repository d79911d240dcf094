# The programs: what the library leaves to them (threads, files, pictures), the command, benches, samples, fuzzers.

# The table of rooms is held by the build: an #include that points up fails it.
file(GLOB_RECURSE layered CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/*.[ch]"
    "${PROJECT_SOURCE_DIR}/src/*.inl" "${PROJECT_SOURCE_DIR}/include/*.h" "${PROJECT_SOURCE_DIR}/cli/*.[ch]"
    "${PROJECT_SOURCE_DIR}/samples/*.[ch]" "${PROJECT_SOURCE_DIR}/studio/*.[ch]")
add_custom_command(OUTPUT "${PROJECT_BINARY_DIR}/layers.checked"
    COMMAND "${PROJECT_SOURCE_DIR}/tools/check-layers" "${PROJECT_SOURCE_DIR}"
    COMMAND "${CMAKE_COMMAND}" -E touch "${PROJECT_BINARY_DIR}/layers.checked"
    DEPENDS ${layered} "${PROJECT_SOURCE_DIR}/tools/check-layers" "${PROJECT_SOURCE_DIR}/tools/layers.txt"
    COMMENT "Checking that rooms include only rooms below them" VERBATIM)
add_custom_target(limber_layers ALL DEPENDS "${PROJECT_BINARY_DIR}/layers.checked")

find_package(Threads REQUIRED)
find_package(PNG REQUIRED)
find_package(GIF REQUIRED)
find_package(JPEG REQUIRED)

file(GLOB os_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/os/*.c")
add_library(limber_os STATIC ${os_sources})
limber_flags(limber_os)
target_include_directories(limber_os PRIVATE "${PROJECT_SOURCE_DIR}/src")
target_compile_definitions(limber_os PRIVATE _XOPEN_SOURCE=700)
target_link_libraries(limber_os PUBLIC limber Threads::Threads)

# What every program of this repository links, and what the command's files may use.
function(limber_program target)
    limber_flags(${target})
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}")
    target_compile_definitions(${target} PRIVATE _XOPEN_SOURCE=700)
    target_link_libraries(${target} PRIVATE limber_os limber)
endfunction()

# The command without its main: a test takes functions of it.
file(GLOB command_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cli/*.c" "${PROJECT_SOURCE_DIR}/cli/native/*.c")
list(REMOVE_ITEM command_sources "${PROJECT_SOURCE_DIR}/cli/main.c")
add_library(limber_cli OBJECT ${command_sources})
limber_program(limber_cli)
target_include_directories(limber_cli SYSTEM PRIVATE ${GIF_INCLUDE_DIR})
target_link_libraries(limber_cli PUBLIC PNG::PNG JPEG::JPEG ${GIF_LIBRARIES})

add_executable(limber_command "${PROJECT_SOURCE_DIR}/cli/main.c" $<TARGET_OBJECTS:limber_cli>)
limber_program(limber_command)
# Weak references do not pull members out of an archive.
target_sources(limber_command PRIVATE $<TARGET_OBJECTS:limber>)
set_target_properties(limber_command PROPERTIES OUTPUT_NAME limber)
target_link_libraries(limber_command PRIVATE PNG::PNG JPEG::JPEG ${GIF_LIBRARIES})
# build/limber is the command of the last preset built among those for use.
if(PROJECT_BINARY_DIR MATCHES "^${PROJECT_SOURCE_DIR}/build/(dev|release)$")
    add_custom_command(TARGET limber_command POST_BUILD
        COMMAND "${CMAKE_COMMAND}" -E create_symlink "${CMAKE_MATCH_1}/limber" "${PROJECT_SOURCE_DIR}/build/limber")
endif()

foreach(kind bench samples)
    file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${kind}/*.c")
    foreach(source IN LISTS sources)
        get_filename_component(name "${source}" NAME_WE)
        add_executable(${kind}_${name} "${source}")
        limber_program(${kind}_${name})
        target_include_directories(${kind}_${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
        target_link_libraries(${kind}_${name} PRIVATE ${CMAKE_DL_LIBS})
        target_compile_definitions(${kind}_${name} PRIVATE
            LMBI_BUILD="${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION} ${CMAKE_C_FLAGS}")
        set_target_properties(${kind}_${name} PROPERTIES
            RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/${kind}" OUTPUT_NAME ${name})
    endforeach()
endforeach()

# A folder of samples is one program; those that open a window (which include gl.h) want GLFW and OpenGL.
find_package(glfw3 QUIET)
find_package(OpenGL QUIET)
file(GLOB folders CONFIGURE_DEPENDS LIST_DIRECTORIES true "${PROJECT_SOURCE_DIR}/samples/*")
foreach(folder IN LISTS folders)
    get_filename_component(name "${folder}" NAME)
    file(GLOB sources CONFIGURE_DEPENDS "${folder}/*.c")
    if(NOT sources)
        continue()
    endif()
    if(EXISTS "${folder}/gl.h" AND NOT (glfw3_FOUND AND TARGET OpenGL::GL))
        message(STATUS "GLFW or OpenGL was not found: samples/${name} is not built (libglfw3-dev)")
        continue()
    endif()
    add_executable(samples_${name} ${sources})
    limber_program(samples_${name})
    if(EXISTS "${folder}/gl.h")
        target_link_libraries(samples_${name} PRIVATE glfw OpenGL::GL PNG::PNG)
    endif()
    set_target_properties(samples_${name} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/samples" OUTPUT_NAME ${name})
endforeach()

# A peer for the benches to run beside us, where the user says where it is installed. Nothing of it is in this repository.
set(LIMBER_OZZ "" CACHE PATH "Where ozz-animation is installed: skin_bench, blend_bench and crowd_bench then measure it in the same run")
if(LIMBER_OZZ)
    enable_language(CXX)
    file(GLOB peers "${PROJECT_SOURCE_DIR}/bench/peers/ozz_skin.cpp" "${PROJECT_SOURCE_DIR}/bench/peers/ozz_blend.cpp"
        "${PROJECT_SOURCE_DIR}/bench/peers/ozz_crowd.cpp")
    add_library(peer_ozz STATIC ${peers})
    target_include_directories(peer_ozz PRIVATE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/include")
    target_include_directories(peer_ozz SYSTEM PRIVATE "${LIMBER_OZZ}/include")
    target_compile_features(peer_ozz PRIVATE cxx_std_17)
    # The job's matrices have the types that the processor of the installed library was compiled for.
    target_compile_options(peer_ozz PRIVATE -O3 -march=native)
    foreach(name animation geometry base)
        file(GLOB archive "${LIMBER_OZZ}/lib/libozz_${name}*.a")
        target_link_libraries(peer_ozz PRIVATE ${archive})
    endforeach()
    foreach(name skin_bench blend_bench crowd_bench)
        target_sources(bench_${name} PRIVATE $<TARGET_OBJECTS:peer_ozz>)
        target_link_libraries(bench_${name} PRIVATE peer_ozz)
    endforeach()
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
    # A reader of the command's own: fuzz/cli_<name>_fuzz.c runs cli/<name>*.c or cli/native/<name>*.c.
    if(name MATCHES "^cli_(.*)_fuzz$")
        file(GLOB parts CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cli/${CMAKE_MATCH_1}*.c"
            "${PROJECT_SOURCE_DIR}/cli/native/${CMAKE_MATCH_1}*.c")
        target_sources(fuzz_${name} PRIVATE ${parts})
    endif()
    # A part of the command that needs others: fuzz/command_<name>_fuzz.c has all of it.
    if(name MATCHES "^command_")
        target_sources(fuzz_${name} PRIVATE $<TARGET_OBJECTS:limber_cli>)
        target_link_libraries(fuzz_${name} PRIVATE PNG::PNG JPEG::JPEG ${GIF_LIBRARIES})
    endif()
    limber_program(fuzz_${name})
    add_dependencies(fuzzers fuzz_${name})
    set_target_properties(fuzz_${name} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/fuzz" OUTPUT_NAME ${name})
endforeach()
