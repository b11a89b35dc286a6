/*
 * Starting a program that goes its own way: nobody waits for its end, it outlives us, and has neither our terminal nor
 * our files.
 */
#ifndef PLATFORM_LAUNCH_H
#define PLATFORM_LAUNCH_H

#include "util/err.h"
#include "util/strvec.h"

/*
 * argv[0] is a path; `env` has NAME=value, put over our environment. On Windows a program that is started from an
 * elevated prompt is not elevated itself: it runs as what the user starts from the desktop, where there is one.
 * -1 where it can't be run.
 */
int launch(const struct strvec *argv, const struct strvec *env, struct err *err);

#endif
