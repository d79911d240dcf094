# The command, benches and samples, with the libraries of pictures that they need.

find_package(PNG REQUIRED)
find_package(GIF REQUIRED)
find_package(JPEG REQUIRED)

# Samples in C++ and the decoder of Draco are built where the C compiler has a C++ compiler beside it: both then bring the
# same sanitizers.
if(NOT CMAKE_CXX_COMPILER AND NOT CMAKE_CROSSCOMPILING)
    string(REGEX REPLACE "gcc([^/]*)$" "g++\\1" beside "${CMAKE_C_COMPILER}")
    string(REGEX REPLACE "clang([^/]*)$" "clang++\\1" beside "${beside}")
    string(REGEX REPLACE "/cc$" "/c++" beside "${beside}")
    if(EXISTS "${beside}" AND NOT beside STREQUAL CMAKE_C_COMPILER)
        set(CMAKE_CXX_COMPILER "${beside}")
    endif()
endif()
if(CMAKE_CXX_COMPILER)
    enable_language(CXX)
endif()

set(limber_command_libraries PNG::PNG JPEG::JPEG ${GIF_LIBRARIES})

# Meshes that Draco compressed are read where its library is here.
if(CMAKE_CXX_COMPILER)
    find_package(draco CONFIG QUIET)
endif()
set(draco_library "")
foreach(name draco::draco_static draco::draco)
    if(TARGET ${name} AND NOT draco_library)
        set(draco_library ${name})
    endif()
endforeach()
if(draco_library)
    add_library(limber_draco STATIC "${PROJECT_SOURCE_DIR}/cli/files/draco.cpp")
    target_compile_features(limber_draco PRIVATE cxx_std_17)
    target_compile_options(limber_draco PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
        $<$<BOOL:${LIMBER_WERROR}>:-Werror>)
    target_include_directories(limber_draco PRIVATE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/include")
    target_link_libraries(limber_draco PRIVATE ${draco_library})
    list(APPEND limber_command_libraries limber_draco)
    # Whole libraries that hardly anything is used of would cost every command its start, and a cap on memory its room.
    if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
        list(APPEND limber_command_libraries -static-libstdc++ -static-libgcc)
    endif()
else()
    message(STATUS "libdraco was not found: glTF that Draco compressed is refused (libdraco-dev)")
endif()

# The command without its main: a test takes functions of it.
file(GLOB_RECURSE command_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cli/*.c")
list(REMOVE_ITEM command_sources "${PROJECT_SOURCE_DIR}/cli/main.c")
add_library(limber_cli OBJECT ${command_sources})
limber_program(limber_cli)
limber_options()
target_include_directories(limber_cli PRIVATE "${PROJECT_BINARY_DIR}")
if(TARGET limber_draco)
    target_compile_definitions(limber_cli PRIVATE CLI_HAS_DRACO)
endif()
target_include_directories(limber_cli SYSTEM PRIVATE ${GIF_INCLUDE_DIR})
target_link_libraries(limber_cli PUBLIC ${limber_command_libraries})

add_executable(limber_command "${PROJECT_SOURCE_DIR}/cli/main.c" $<TARGET_OBJECTS:limber_cli>)
limber_program(limber_command)
# Weak references do not pull members out of an archive.
target_sources(limber_command PRIVATE $<TARGET_OBJECTS:${limber_core}>)
set_target_properties(limber_command PROPERTIES OUTPUT_NAME limber)
target_link_libraries(limber_command PRIVATE ${limber_command_libraries})
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
        # What is sanitized is not timed.
        if(LIMBER_SANITIZE AND kind STREQUAL "bench")
            set_target_properties(bench_${name} PROPERTIES EXCLUDE_FROM_ALL TRUE)
        endif()
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

if(CMAKE_CXX_COMPILER)
    file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/samples/*.cpp")
    foreach(source IN LISTS sources)
        get_filename_component(name "${source}" NAME_WE)
        add_executable(samples_${name} "${source}")
        target_compile_features(samples_${name} PRIVATE cxx_std_17)
        target_compile_options(samples_${name} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
            $<$<BOOL:${LIMBER_WERROR}>:-Werror>)
        if(LIMBER_SANITIZE)
            target_compile_options(samples_${name} PRIVATE -fsanitize=${LIMBER_SANITIZE} -fno-sanitize-recover=all)
        endif()
        target_link_libraries(samples_${name} PRIVATE ${limber_os_core} ${limber_core})
        set_target_properties(samples_${name} PROPERTIES
            RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/samples" OUTPUT_NAME ${name})
    endforeach()
else()
    message(STATUS "No C++ compiler was found beside ${CMAKE_C_COMPILER}: the samples in C++ are not built")
endif()

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

# Preloaded by tests/bad/allocation_test.mjs.
if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND NOT LIMBER_SANITIZE)
    add_library(failing_malloc MODULE "${PROJECT_SOURCE_DIR}/tests/bad/failing_malloc.c")
    limber_flags(failing_malloc)
    set_target_properties(failing_malloc PROPERTIES PREFIX "" C_EXTENSIONS ON C_VISIBILITY_PRESET default
        LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/bad")
endif()
