/*
 * Facts about this machine, for the manifest and the preflight.
 */
#ifndef PLATFORM_HOST_H
#define PLATFORM_HOST_H

#include <stdbool.h>
#include <stdint.h>

struct host {
	char *hostname;
	char *os;     /* "Debian GNU/Linux 12 (bookworm)" */
	char *kernel; /* "Linux 6.1.0-18-amd64" */
	char *arch;   /* "x86_64" */
	char *cpu_model;
	int64_t cpus; /* online */
	int64_t memory_bytes;
	char *user;
	char *home;
};

void host_read(struct host *host);
void host_release(struct host *host);

/* Windows, or else Linux. */
bool host_is_windows(void);

/* May everything be read and set (root, elevated prompt)? */
bool host_is_admin(void);

/* Linux capabilities that this process has in effect, by number (capability.h); false elsewhere. */
bool host_has_capability(int capability);

/* Does this program get the capability when it is run (setcap)? */
bool host_program_has_capability(const char *path, int capability);

#endif
