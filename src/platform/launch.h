/*
 * Starts a program that is independent of stagetrace: nobody waits for its end, it may outlive stagetrace, and it has
 * neither our terminal nor our files.
 */
#ifndef PLATFORM_LAUNCH_H
#define PLATFORM_LAUNCH_H

#include "util/err.h"
#include "util/strvec.h"

/*
 * argv[0] is a path; `env` has NAME=value, added to our environment. On Windows, if stagetrace is elevated and there
 * is a desktop, the program is not elevated: it runs with the rights of programs that the user starts from the
 * desktop. -1: it cannot be run.
 */
int launch(const struct strvec *argv, const struct strvec *env, struct err *err);

#endif
