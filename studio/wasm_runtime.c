// Stands in for the parts of the C runtime with which the module would import a system: what is
// printed goes to the console in memory, and a failed assertion or an exit is a trap.
#include "console.h"

#include <stdio.h>
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

/// No descriptor is a terminal.
__wasi_errno_t __wasi_fd_fdstat_get(__wasi_fd_t descriptor, __wasi_fdstat_t *status)
{
    (void)descriptor, (void)status;
    return __WASI_ERRNO_BADF;
}

__wasi_errno_t __wasi_fd_write(__wasi_fd_t descriptor, const __wasi_ciovec_t *parts,
                               size_t part_count, __wasi_size_t *written)
{
    *written = 0;
    for (size_t k = 0; k < part_count; ++k) {
        if (!console_put(descriptor == 1 ? CONSOLE_OUTPUT : CONSOLE_MESSAGES, parts[k].buf,
                         parts[k].buf_len)) {
            return __WASI_ERRNO_NOMEM;
        }
        *written += parts[k].buf_len;
    }
    return __WASI_ERRNO_SUCCESS;
}

/// The environment is empty.
__wasi_errno_t __wasi_environ_sizes_get(__wasi_size_t *count, __wasi_size_t *size)
{
    *count = 0;
    *size = 0;
    return __WASI_ERRNO_SUCCESS;
}

__wasi_errno_t __wasi_environ_get(uint8_t **environ, uint8_t *text)
{
    (void)environ, (void)text;
    return __WASI_ERRNO_SUCCESS;
}

_Noreturn void __wasi_proc_exit(__wasi_exitcode_t code)
{
    (void)code;
    __builtin_trap();
}

_Noreturn void __assert_fail(const char *expression, const char *file, int line,
                             const char *function)
{
    fprintf(stderr, "%s:%d: %s: %s does not hold\n", file, line, function, expression);
    __builtin_trap();
}
