# Tests are found by their names; there is no list to keep.
enable_testing()

set(test_environment "LIMBER=${PROJECT_BINARY_DIR}/limber" "LIMBER_BUILD=${PROJECT_BINARY_DIR}"
    "LIMBER_SOURCE=${PROJECT_SOURCE_DIR}")
get_filename_component(shared "${PROJECT_SOURCE_DIR}/../shared" ABSOLUTE)
# What compiles a program against a sanitized library, and for tests of what a sanitizer itself takes part in.
if(LIMBER_SANITIZE)
    list(APPEND test_environment "CC=${CMAKE_C_COMPILER}" "LIMBER_SANITIZE=${LIMBER_SANITIZE}")
endif()
if(EXISTS "${shared}")
    list(APPEND test_environment "LIMBER_SHARED=${shared}")
endif()

# Tests named *_long_test take minutes: their label is long. Those that do more when LIMBER_LONG is set are labelled longer.
# `./dev test` leaves out the first, `./dev test-all` runs both with LIMBER_LONG=1.
# One that says in a comment that it runs alone has nothing beside it.
function(limber_test_properties name source)
    # Exit 77 is how a test says that something it needs is not on this machine.
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "${test_environment}" TIMEOUT 600 SKIP_RETURN_CODE 77
        WORKING_DIRECTORY "${PROJECT_BINARY_DIR}")
    file(STRINGS "${source}" asks REGEX "LIMBER_LONG")
    file(STRINGS "${source}" alone REGEX "^// Runs alone")
    if(alone)
        set_tests_properties(${name} PROPERTIES RUN_SERIAL TRUE)
    endif()
    if(name MATCHES "_long_test$")
        set_tests_properties(${name} PROPERTIES LABELS long TIMEOUT 1800)
    elseif(asks)
        set_tests_properties(${name} PROPERTIES LABELS longer TIMEOUT 1800)
    endif()
endfunction()

find_path(CMOCKA_INCLUDE cmocka.h)
find_library(CMOCKA_LIBRARY cmocka)
# The judge of our JSON reader; without it that comparison is left out.
find_path(CJSON_INCLUDE cjson/cJSON.h)
find_library(CJSON_LIBRARY cjson)
# The judge of our inflate.
find_path(ZLIB_INCLUDE zlib.h)
find_library(ZLIB_LIBRARY z)
file(GLOB c_tests CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/*/*_test.c")
if(CMOCKA_INCLUDE AND CMOCKA_LIBRARY)
    foreach(source IN LISTS c_tests)
        get_filename_component(room "${source}" DIRECTORY)
        get_filename_component(room "${room}" NAME)
        get_filename_component(name "${source}" NAME_WE)
        set(target test_${room}_${name})
        if(room STREQUAL "cli" AND NOT LIMBER_COMMAND)
            continue()
        endif()
        # A kernel of a test's own: tests/<room>/<name>_kernels.inl beside <name>_test.c.
        string(REGEX REPLACE "_test\\.c$" "_kernels.inl" body "${source}")
        set(kernels "")
        if(EXISTS "${body}")
            limber_kernel_sources(kernels "${PROJECT_SOURCE_DIR}/tests" "${body}")
        endif()
        # A part of the command: tests/cli/<folder>_<name>_test.c runs cli/<folder>/<name>.c.
        set(part "")
        if(room STREQUAL "cli" AND name MATCHES "^([a-z]+)_(.*)_test$")
            set(part "${PROJECT_SOURCE_DIR}/cli/${CMAKE_MATCH_1}/${CMAKE_MATCH_2}.c")
        endif()
        add_executable(${target} "${source}" ${kernels} ${part})
        limber_program(${target})
        target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
        target_include_directories(${target} SYSTEM PRIVATE "${CMOCKA_INCLUDE}")
        target_link_libraries(${target} PRIVATE "${CMOCKA_LIBRARY}" ${CMAKE_DL_LIBS})
        if(CJSON_INCLUDE AND CJSON_LIBRARY AND name STREQUAL "json_test")
            target_include_directories(${target} SYSTEM PRIVATE "${CJSON_INCLUDE}")
            target_compile_definitions(${target} PRIVATE TEST_HAS_CJSON)
            target_link_libraries(${target} PRIVATE "${CJSON_LIBRARY}")
        endif()
        if(ZLIB_INCLUDE AND ZLIB_LIBRARY AND name STREQUAL "inflate_test")
            target_include_directories(${target} SYSTEM PRIVATE "${ZLIB_INCLUDE}")
            target_compile_definitions(${target} PRIVATE TEST_HAS_ZLIB)
            target_link_libraries(${target} PRIVATE "${ZLIB_LIBRARY}")
        endif()
        set_target_properties(${target} PROPERTIES
            RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/${room}" OUTPUT_NAME ${name})
        add_test(NAME ${room}/${name} COMMAND ${target})
        limber_test_properties(${room}/${name} "${source}")
    endforeach()
elseif(c_tests)
    message(WARNING "cmocka was not found: the C tests are not built")
endif()

# The rest runs the command.
if(NOT LIMBER_COMMAND)
    return()
endif()

find_program(BASH bash)
find_program(NODE NAMES node nodejs)
file(GLOB scripts CONFIGURE_DEPENDS
    "${PROJECT_SOURCE_DIR}/tests/*/*_test.sh" "${PROJECT_SOURCE_DIR}/tests/*/*_test.mjs")
foreach(script IN LISTS scripts)
    get_filename_component(room "${script}" DIRECTORY)
    get_filename_component(room "${room}" NAME)
    get_filename_component(name "${script}" NAME_WE)
    get_filename_component(extension "${script}" LAST_EXT)
    if(extension STREQUAL ".sh")
        set(runner "${BASH}")
    else()
        set(runner "${NODE}")
    endif()
    if(runner)
        add_test(NAME ${room}/${name} COMMAND "${runner}" "${script}")
        limber_test_properties(${room}/${name} "${script}")
        # These build the WebAssembly preset, in one folder.
        if(room MATCHES "^(wasm|studio|golden)$")
            set_tests_properties(${room}/${name} PROPERTIES RESOURCE_LOCK wasm)
        endif()
    endif()
endforeach()

# What the documents show, a test a document.
file(GLOB documents CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/CONTRIBUTING.md"
    "${PROJECT_SOURCE_DIR}/docs/*.md" "${PROJECT_SOURCE_DIR}/docs/*/*.md")
foreach(document IN LISTS documents)
    get_filename_component(name "${document}" NAME_WE)
    file(STRINGS "${document}" blocks REGEX "^```(console|sh|c)$")
    if(BASH AND blocks)
        add_test(NAME docs/${name} COMMAND "${BASH}" "${PROJECT_SOURCE_DIR}/tests/docs/page.sh" "${document}")
        limber_test_properties(docs/${name} "${document}")
    endif()
endforeach()

foreach(source IN LISTS fuzz_sources)
    get_filename_component(name "${source}" NAME_WE)
    string(REGEX REPLACE "_fuzz$" "" format "${name}")
    file(GLOB seeds CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/fuzz/seeds/${format}/*")
    add_test(NAME fuzz/${name} COMMAND fuzz_${name} ${seeds})
    limber_test_properties(fuzz/${name} "${source}")
endforeach()

# The native half of the comparison with WebAssembly; the other is built by the preset wasm.
add_executable(parity "${PROJECT_SOURCE_DIR}/tests/wasm/parity.c")
limber_program(parity)
set_target_properties(parity PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/wasm")

# The same for the calls by which a page holds a character: what studio/ has beside the module's own, on the command's files.
file(GLOB live_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/studio/live*.c")
add_executable(live "${PROJECT_SOURCE_DIR}/tests/wasm/live.c" ${live_sources} "${PROJECT_SOURCE_DIR}/studio/console.c"
    $<TARGET_OBJECTS:limber_cli>)
limber_program(live)
target_sources(live PRIVATE $<TARGET_OBJECTS:${limber_core}>)
target_link_libraries(live PRIVATE ${limber_command_libraries})
set_target_properties(live PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/wasm")

# What tests/render/browser_test.mjs gives a browser to run.
add_executable(gpu_cases "${PROJECT_SOURCE_DIR}/tests/render/gpu_cases.c")
limber_program(gpu_cases)
target_include_directories(gpu_cases PRIVATE "${PROJECT_SOURCE_DIR}/tests")
set_target_properties(gpu_cases PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/render")
