/*
 * A manifest as a JSON object and back; manifest.c's own.
 */
#ifndef RUNDIR_MANIFEST_JSON_H
#define RUNDIR_MANIFEST_JSON_H

#include "rundir/fields.h"
#include "rundir/manifest.h"

/* The caller releases it. */
json_t *manifest_to_json(const struct manifest *manifest);

/* Into a manifest fresh from manifest_init(); what was read before a failure is the caller's to release. */
int manifest_from_json(const json_t *object, struct manifest *manifest, struct err *err);

#endif
