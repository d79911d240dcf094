/// Marks what the module exports. Natively, where tests call the same functions, it says nothing.
#ifndef LIMBER_STUDIO_EXPORT_H
#define LIMBER_STUDIO_EXPORT_H

#ifdef __wasm__
#define EXPORT(name) __attribute__((export_name(#name)))
#else
#define EXPORT(name)
#endif

#endif
