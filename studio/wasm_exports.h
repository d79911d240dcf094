/// What a page or any other WebAssembly host calls: flat functions over the module's memory.
/// Pointers are offsets in that memory, which grows: a host looks at `memory.buffer` anew after every
/// call. Texts that come in end with a zero byte. docs/studio.md shows how to call them, and
/// live_exports.h has the calls that hold a character open.
///
/// A call that does not come back (a failed assertion, a stack that is used up, a command that runs
/// out of memory) throws in the host. limber_messages still has what was said; nothing else of the
/// instance can be relied on, and the host makes a new one.
#ifndef LIMBER_STUDIO_WASM_EXPORTS_H
#define LIMBER_STUDIO_WASM_EXPORTS_H

#include <stddef.h>
#include <stdint.h>

#include "export.h"

const char *limber_version(void);

// ---- memory

/// Memory for bytes that the host hands in; NULL when there is none.
void *limber_alloc(size_t size);
void limber_free(void *block);

// ---- files, kept in memory

/// Copies the bytes into a file of that path, new or replacing the old one. 1 done, 0 out of
/// memory. A command reads the path "-" where it is to read stdin.
int limber_file_put(const char *path, const void *bytes, size_t size);
/// -1 when there is no such file.
int32_t limber_file_size(const char *path);
/// Valid until the file changes; NULL when there is no such file.
const uint8_t *limber_file_bytes(const char *path);
void limber_file_remove(const char *path);
size_t limber_file_count(void);
/// Paths in the order of their bytes; NULL past the last. Valid until a file comes or goes.
const char *limber_file_name(size_t index);

// ---- commands

/// Runs `limber` with a command line as `main` gets it, argv[0] being "limber". Returns the exit
/// code of the command.
int limber_run(int argc, char **argv);
/// Has what is written to stderr told while a command runs, a piece at a time, before limber_messages has all of it. The host
/// puts a function of this type into the module's `__indirect_function_table` and hands in its
/// index; 0 ends it. With `--progress=plain` a command writes lines "progress STAGE N%".
void limber_watch(void (*watch)(const char *text, size_t size));
/// What the last run wrote to stdout, not ended by a zero. Valid until the next run.
const char *limber_output(void);
size_t limber_output_size(void);
/// The same of stderr.
const char *limber_messages(void);
size_t limber_messages_size(void);

#endif
