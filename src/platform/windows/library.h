/*
 * Functions of system libraries that are loaded when they are first needed. Few commands use shell32.dll and user32.dll;
 * under Wine, these and what they need take a third of the time in which a program starts.
 */
#ifndef PLATFORM_WINDOWS_LIBRARY_H
#define PLATFORM_WINDOWS_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

/*
 * Store the function `name` of a library in the system's directory in `function`, a pointer to a function, of `size`
 * bytes; the library stays. False, and a null pointer: there is none.
 */
bool library_function(const wchar_t *library, const char *name, void *function, size_t size);

#endif
