/*
 * Facts about this machine, for the manifest and for the checks before a recording.
 */
#ifndef PLATFORM_HOST_H
#define PLATFORM_HOST_H

#include <stdbool.h>
#include <stddef.h>
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
	char *caller; /* who ran sudo; NULL: nobody did */
	char *home;
};

void host_read(struct host *host);
void host_release(struct host *host);

/*
 * What all programs of the machine have used so far. CPU time is the sum over all processors; -1: unknown. In a container
 * it is that of the whole machine too.
 */
struct host_load {
	int64_t busy_ns; /* CPU time of all programs and of the kernel */
	int64_t stolen_ns; /* time for which a hypervisor gave processors to others; Windows: unknown */
	int64_t own_ns; /* CPU time of this process, and on Linux of its descendants that have ended */
	int64_t memory_bytes; /* in use, without what can be reclaimed */
};

void host_load_read(struct host_load *load);

/* How much memory there is for new allocations, and what limits it; -1: unknown, or there is no limit. */
struct host_memory {
	int64_t available_bytes; /* physical, with what can be reclaimed */
	int64_t commit_bytes,
		commit_limit_bytes; /* of all programs; Linux enforces the limit with overcommit_memory=2 */
	/* Of the control group with the least limit of those that this process is in. Linux. */
	int64_t group_bytes, group_limit_bytes;
	int64_t address_space_limit_bytes; /* RLIMIT_AS of this process. Linux */
	int64_t oom_kills; /* so far: in that group, or without one in the machine. Linux */
};

void host_memory_read(struct host_memory *memory);

/* The limits of the control groups that this process is in; -1: none. */
struct host_group {
	int64_t version; /* of the tree with the limits of memory: 1 or 2; -1: there are no groups */
	int64_t memory_limit_bytes;
	int64_t swap_limit_bytes; /* version 1: of memory and swap together */
	int64_t processors_milli; /* thousandths of processors */
};

#define HOST_DISKS_MAX 256

struct host_disk {
	char *name, *model; /* the model may be NULL: unknown */
	int64_t bytes;
	int64_t rotational; /* 1: it turns; 0: it does not; -1: unknown */
};

/* Facts of the machine other than its processors and memory. */
struct host_system {
	int64_t boot_ns;    /* when it was started, since 1970 UTC; -1: unknown */
	int64_t swap_bytes; /* all swap space, or page files; -1: unknown */
	struct host_group group;
	/* Block devices. Windows: none, as the trace has them. */
	struct host_disk *disks;
	size_t disks_nr;
};

void host_system_read(struct host_system *system);
void host_system_release(struct host_system *system);

/* Whether the system is Windows; else it is Linux. */
bool host_is_windows(void);

/* Whether this process has all rights of an administrator (root, elevated prompt). */
bool host_is_admin(void);

/* Whether the Linux capability with this number (capability.h) is in effect for this process; false on other systems. */
bool host_has_capability(int capability);

/*
 * Whether a child of this process should be given the lowest real-time priority (SCHED_FIFO). The function tries it, as
 * containers may refuse it even to root. False if this process has a real-time priority, which its children inherit, or
 * if their CPU time would be limited.
 */
bool host_allows_realtime(void);

/* Whether the program gets the capability when it is run (setcap). */
bool host_program_has_capability(const char *path, int capability);

#endif
