#include "platform/interrupt.h"

#include <signal.h>
#include <string.h>

static volatile sig_atomic_t count;

/* A terminal that closes says so twice, by its shell and by the kernel: one call to end, as Ctrl-C is. */
static volatile sig_atomic_t hung_up;

static void handle(int sig)
{
	if (sig == SIGHUP && hung_up)
		return;
	hung_up |= sig == SIGHUP;
	count++;
}

void interrupt_catch(void)
{
	struct sigaction action, before;

	memset(&action, 0, sizeof(action));
	action.sa_handler = handle;
	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	/* Under nohup it is to stay ignored. */
	if (sigaction(SIGHUP, NULL, &before) || before.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

int interrupt_count(void)
{
	return count;
}
