/*
 * Loaded into a program by LD_PRELOAD, it kills the program when it is about to rename a file for the Nth time; KILL_AT is
 * N. What the program starts is left alone.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_int left; /* renames up to the one that is not made; 0: it is not to be killed */

__attribute__((constructor)) static void read_environment(void)
{
	const char *at = getenv("KILL_AT");

	left = at ? atoi(at) : 0;
	unsetenv("KILL_AT");
	unsetenv("LD_PRELOAD");
}

int renameat(int old_dir, const char *old_name, int new_dir, const char *new_name)
{
	if (left > 0 && atomic_fetch_sub(&left, 1) == 1)
		kill(getpid(), SIGKILL);
	return renameat2(old_dir, old_name, new_dir, new_name, 0);
}
