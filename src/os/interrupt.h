/// Signals, the desktop and sleep.
#ifndef OS_INTERRUPT_H
#define OS_INTERRUPT_H

#include "limber/os.h"

/// Has the user's browser open an address, and does not wait for it. False when there is no desktop
/// to ask; that it does open is not known.
bool lmbi_desktop_open(const char *address);

/// From now on SIGINT and SIGTERM do not end the program: lmbi_interrupted returns whether one came. A
/// second one ends it as usual.
void lmbi_interrupt_catch(void);

bool lmbi_interrupted(void);

/// From now on SIGINT and SIGTERM are counted and do nothing else, however many come.
void lmbi_interrupt_count_start(void);

/// How many came.
int lmbi_interrupt_count(void);

/// The number of the first that came; 0 for none.
int lmbi_interrupt_signal(void);

/// Waits, no longer than that; a signal may end it early.
void lmbi_sleep_s(double seconds);

#endif
