/*
 * The files of src/report/page/ as the Makefile puts them into the program: all scripts, and all styles.
 */
#ifndef REPORT_BUILTIN_PAGE_H
#define REPORT_BUILTIN_PAGE_H

#include <stddef.h>

extern const char builtin_page_script[], builtin_page_style[];
extern const size_t builtin_page_script_length, builtin_page_style_length;

#endif
