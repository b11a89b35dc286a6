/*
 * One setting as INI text that ini_read() reads to the same value: long values over several lines,
 * comment signs made plain.
 */
#ifndef CONFIG_INI_WRITER_H
#define CONFIG_INI_WRITER_H

#include "util/strbuf.h"

/* `value` has no blanks at its ends and no control characters. */
void ini_write(struct strbuf *sb, const char *key, const char *value);

#endif
