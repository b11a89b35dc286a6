#include "platform/interrupt.h"

#include <signal.h>
#include <string.h>

static volatile sig_atomic_t count;

static void handle(int sig)
{
	(void)sig;
	count++;
}

void interrupt_catch(void)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = handle;
	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

int interrupt_count(void)
{
	return count;
}
