/*
 * Variables of our environment.
 */
#ifndef PLATFORM_ENV_H
#define PLATFORM_ENV_H

/* In UTF-8; NULL where it is not set, or empty. The caller frees it. */
char *env_get(const char *name);

#endif
