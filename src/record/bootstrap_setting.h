/*
 * What x.py takes its settings from: its own options, those of [bootstrap], the toml file of the checkout.
 */
#ifndef RECORD_BOOTSTRAP_SETTING_H
#define RECORD_BOOTSTRAP_SETTING_H

#include "record/plan.h"

/* The toml file that x.py reads; NULL: none. The caller frees it. */
char *bootstrap_toml(const struct record_plan *plan);

/*
 * The value of a setting of a table, "build" and "build-dir", without the quotes of a text; NULL: it is not set. The caller
 * frees it. A toml file is not parsed: a plain line is found, `build-dir = "out"` below `[build]`, or before all tables
 * `build.build-dir = "out"`; no value of several lines, and nothing in files that it includes.
 */
char *bootstrap_setting(const struct record_plan *plan, const char *table, const char *key);

/* The directory in which x.py builds. The caller frees it. */
char *bootstrap_build_dir(const struct record_plan *plan);

#endif
