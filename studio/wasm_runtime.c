// Stands in for the parts of the C runtime that print, with which the module would import a
// console: text for a terminal goes nowhere, and a failed assertion is a trap.
#include <stddef.h>
#include <wasi/api.h>

_Noreturn void __assert_fail(const char *expression, const char *file, int line,
                             const char *function);

// printf's family refers to the standard streams even where only snprintf is called.
__wasi_errno_t __wasi_fd_close(__wasi_fd_t descriptor)
{
    (void)descriptor;
    return __WASI_ERRNO_BADF;
}

__wasi_errno_t __wasi_fd_seek(__wasi_fd_t descriptor, __wasi_filedelta_t offset,
                              __wasi_whence_t whence, __wasi_filesize_t *position)
{
    (void)descriptor, (void)offset, (void)whence, (void)position;
    return __WASI_ERRNO_BADF;
}

__wasi_errno_t __wasi_fd_write(__wasi_fd_t descriptor, const __wasi_ciovec_t *parts,
                               size_t part_count, __wasi_size_t *written)
{
    (void)descriptor, (void)parts, (void)part_count, (void)written;
    return __WASI_ERRNO_BADF;
}

_Noreturn void __assert_fail(const char *expression, const char *file, int line,
                             const char *function)
{
    (void)expression, (void)file, (void)line, (void)function;
    __builtin_trap();
}
