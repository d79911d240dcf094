# liblimber, and liblimber_os: threads, files and sockets for programs that want them from here.
# The programs of this repository link ${limber_core} and ${limber_os_core}, static archives in which private functions are
# to be seen. With BUILD_SHARED_LIBS the shared libraries, which export LMB_API alone, are made of the same objects.

if(BUILD_SHARED_LIBS)
    set(limber_core limber_core)
    set(limber_os_core limber_os_core)
else()
    set(limber_core limber)
    set(limber_os_core limber_os)
endif()

# What users of a library see.
function(limber_public target)
    target_include_directories(${target} PUBLIC
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
    if(NOT LIMBER_WASM)
        target_link_libraries(${target} PUBLIC m)
    endif()
endfunction()

add_library(${limber_core} STATIC ${library_sources})
limber_public(${limber_core})
target_include_directories(${limber_core} PRIVATE "${PROJECT_SOURCE_DIR}/src")
limber_flags(${limber_core})
limber_instruction_set_flags(${library_sources})

if(NOT LIMBER_WASM)
    find_package(Threads REQUIRED)
    file(GLOB os_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/os/*.c")
    add_library(${limber_os_core} STATIC ${os_sources})
    limber_flags(${limber_os_core})
    target_include_directories(${limber_os_core} PRIVATE "${PROJECT_SOURCE_DIR}/src")
    target_compile_definitions(${limber_os_core} PRIVATE _XOPEN_SOURCE=700 _FILE_OFFSET_BITS=64)
    target_link_libraries(${limber_os_core} PUBLIC ${limber_core} Threads::Threads)
endif()

# Made bodies, for the programs of this repository: no part of what is installed.
file(GLOB bodies_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bodies/*.c")
add_library(limber_bodies STATIC EXCLUDE_FROM_ALL ${bodies_sources})
limber_flags(limber_bodies)
target_include_directories(limber_bodies PRIVATE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/src")
target_link_libraries(limber_bodies PUBLIC ${limber_core})

# What a batch is to do and what came of it, for the command: no part of what is installed.
file(GLOB batch_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/batch/*.c")
add_library(limber_batch STATIC EXCLUDE_FROM_ALL ${batch_sources})
limber_flags(limber_batch)
target_include_directories(limber_batch PRIVATE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/src")
target_link_libraries(limber_batch PUBLIC ${limber_core})

if(BUILD_SHARED_LIBS)
    add_library(limber SHARED $<TARGET_OBJECTS:${limber_core}>)
    limber_public(limber)
    # os says what went wrong as the library does, by functions that a shared liblimber hides: it has its own of them.
    add_library(limber_os SHARED $<TARGET_OBJECTS:${limber_os_core}>)
    target_sources(limber_os PRIVATE "${PROJECT_SOURCE_DIR}/src/base/error.c" "${PROJECT_SOURCE_DIR}/src/base/format.c"
        "${PROJECT_SOURCE_DIR}/src/base/sha256.c")
    limber_flags(limber_os)
    target_include_directories(limber_os PRIVATE "${PROJECT_SOURCE_DIR}/src")
    target_link_libraries(limber_os PUBLIC limber Threads::Threads)
    set_target_properties(limber limber_os PROPERTIES
        VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} LINKER_LANGUAGE C)
endif()

add_library(limber::limber ALIAS limber)
if(NOT LIMBER_WASM)
    add_library(limber::limber_os ALIAS limber_os)
endif()
