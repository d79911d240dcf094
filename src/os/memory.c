/// A cap on what this program may allocate, enforced by the system, and what becomes of freed memory.
#include "limber/os.h"
#include "os/paths.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

// Sanitizers reserve terabytes of address space that they never touch, and the system counts it.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SHADOW 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || \
    __has_feature(thread_sanitizer)
#define HAS_SHADOW 1
#endif
#endif
#ifndef HAS_SHADOW
#define HAS_SHADOW 0
#endif

// RLIMIT_DATA counts private writable memory, not what is mapped from files or only reserved.
bool lmbi_memory_cap(uint64_t bytes)
{
    struct rlimit limit;
    if (HAS_SHADOW || getrlimit(RLIMIT_DATA, &limit) != 0) {
        return false;
    }
    limit.rlim_cur = bytes < limit.rlim_max ? (rlim_t)bytes : limit.rlim_max;
    return setrlimit(RLIMIT_DATA, &limit) == 0;
}

uint64_t lmbi_memory_capped(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY
               ? (uint64_t)limit.rlim_cur
               : 0;
}

void lmbi_memory_keep_freed(void)
{
#if defined(__GLIBC__)
    // Larger blocks still come from the system, so that they can grow without being copied.
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
#endif
}

uint64_t lmbi_file_size(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
}
