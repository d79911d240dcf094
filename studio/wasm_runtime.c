// Stands in for the parts of the C and C++ runtimes that print, with which the module would import a console: text for
// a terminal goes nowhere, and a failed assertion, or a C++ allocation that fails, is a trap.
#include <stddef.h>
#include <stdlib.h>
#include <wasi/api.h>

_Noreturn void __assert_fail(const char *expression, const char *file, int line, const char *function);
void *operator_new(size_t size) __asm__("_Znwm");
void *operator_new_array(size_t size) __asm__("_Znam");
void operator_delete(void *block) __asm__("_ZdlPv");
void operator_delete_array(void *block) __asm__("_ZdaPv");
void operator_delete_sized(void *block, size_t size) __asm__("_ZdlPvm");
void operator_delete_array_sized(void *block, size_t size) __asm__("_ZdaPvm");

// printf's family refers to the standard streams even where only snprintf is called.
__wasi_errno_t __wasi_fd_close(__wasi_fd_t descriptor)
{
    (void)descriptor;
    return __WASI_ERRNO_BADF;
}

__wasi_errno_t __wasi_fd_seek(__wasi_fd_t descriptor, __wasi_filedelta_t offset, __wasi_whence_t whence,
                              __wasi_filesize_t *position)
{
    (void)descriptor, (void)offset, (void)whence, (void)position;
    return __WASI_ERRNO_BADF;
}

__wasi_errno_t __wasi_fd_write(__wasi_fd_t descriptor, const __wasi_ciovec_t *parts, size_t part_count,
                               __wasi_size_t *written)
{
    (void)descriptor, (void)parts, (void)part_count, (void)written;
    return __WASI_ERRNO_BADF;
}

_Noreturn void __assert_fail(const char *expression, const char *file, int line, const char *function)
{
    (void)expression, (void)file, (void)line, (void)function;
    __builtin_trap();
}

void *operator_new(size_t size)
{
    void *block = malloc(size ? size : 1);
    if (!block) {
        __builtin_trap();
    }
    return block;
}

void *operator_new_array(size_t size)
{
    return operator_new(size);
}

void operator_delete(void *block)
{
    free(block);
}

void operator_delete_array(void *block)
{
    free(block);
}

void operator_delete_sized(void *block, size_t size)
{
    (void)size;
    free(block);
}

void operator_delete_array_sized(void *block, size_t size)
{
    (void)size;
    free(block);
}
