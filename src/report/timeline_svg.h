/*
 * A build as a picture, one self-contained SVG file without scripts: a bar for each process, coloured by what it is for
 * and, for a compiler, by what it does; below, on the same axis of time, the processors and the memory in use. Equal input
 * gives equal bytes.
 */
#ifndef REPORT_TIMELINE_SVG_H
#define REPORT_TIMELINE_SVG_H

#include <stdio.h>

#include "report/timeline_picture.h"

/* At most so many processes are drawn: those that took longest. */
#define TIMELINE_SVG_BARS 20000

/* A failed write is left in ferror(out). */
void timeline_svg_write(const struct timeline_picture *picture, FILE *out);

#endif
