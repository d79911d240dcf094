# Compiler flags of Limber's own targets. They are PRIVATE: nothing leaks to a project that links the library.

set(limber_warnings -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wdouble-promotion -Wundef -Wvla -Wcast-qual
    -Wwrite-strings -Wstrict-prototypes -Wmissing-prototypes -Wno-missing-field-initializers)
# Contraction into fused multiply-adds would give different bits on machines that have them.
set(limber_math -ffp-contract=off -fno-math-errno)
# For s390x GCC takes floats to be computed as doubles in ISO modes; the processor computes floats.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR STREQUAL "s390x")
    list(APPEND limber_math -fexcess-precision=fast)
endif()

function(limber_flags target)
    set_target_properties(${target} PROPERTIES
        C_STANDARD 17 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF C_VISIBILITY_PRESET hidden
        POSITION_INDEPENDENT_CODE ON)
    target_compile_options(${target} PRIVATE ${limber_warnings} ${limber_math})
    if(LIMBER_WERROR)
        target_compile_options(${target} PRIVATE -Werror)
    endif()
    if(LIMBER_FORCE_SCALAR)
        target_compile_definitions(${target} PRIVATE LMBI_FORCE_SCALAR)
    endif()
    target_compile_definitions(${target} PRIVATE ${limber_set_definitions})
    if(LIMBER_SANITIZE)
        target_compile_options(${target} PRIVATE -fsanitize=${LIMBER_SANITIZE} -fno-sanitize-recover=all
            -fno-omit-frame-pointer)
        target_link_options(${target} PUBLIC -fsanitize=${LIMBER_SANITIZE})
    endif()
    if(LIMBER_FUZZ)
        target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
    endif()
endfunction()

# A kernel's file for one instruction set says which in its name: *_avx2.c, *_avx512.c. On other processors the
# file compiles to nothing by its own #if.
function(limber_instruction_set_flags)
    if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
        return()
    endif()
    foreach(source IN LISTS ARGN)
        if(source MATCHES "_avx2\\.c$")
            set_property(SOURCE "${source}" APPEND PROPERTY COMPILE_OPTIONS "-mavx2")
        elseif(source MATCHES "_avx512\\.c$")
            set_property(SOURCE "${source}" APPEND PROPERTY COMPILE_OPTIONS
                "-mavx512f;-mavx512bw;-mavx512dq;-mavx512vl;-mprefer-vector-width=512")
        endif()
    endforeach()
endfunction()
