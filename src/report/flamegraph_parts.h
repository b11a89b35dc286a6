/*
 * The fixed parts of a flame graph; lines, end with NULL.
 */
#ifndef REPORT_FLAMEGRAPH_PARTS_H
#define REPORT_FLAMEGRAPH_PARTS_H

/* Colours of Rust's crates: classes r0, r1, ...; a crate has the one of its name in every graph. */
#define FLAME_HUES 24

extern const char *const flame_hues[FLAME_HUES];
extern const char *const flame_style[];
extern const char *const flame_script[];

#endif
