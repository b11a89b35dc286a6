#include "platform/host.h"

#include <pwd.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "platform/fs.h"
#include "platform/posix/groups.h"
#include "platform/posix/value.h"
#include "util/alloc.h"
#include "util/strvec.h"
#include "util/text.h"

void host_read(struct host *host)
{
	struct passwd *pw = getpwuid(getuid());
	const char *home = getenv("HOME"), *caller = getenv("SUDO_USER");
	char name[256] = "";
	struct utsname un;

	memset(host, 0, sizeof(*host));
	gethostname(name, sizeof(name) - 1);
	host->hostname = xstrdup(name);
	if (!uname(&un)) {
		host->kernel = xasprintf("%s %s", un.sysname, un.release);
		host->arch = xstrdup(un.machine);
	}
	host->os = value_read("/etc/os-release", "PRETTY_NAME=", "\"");
	host->cpu_model = value_read("/proc/cpuinfo", "model name", " \t:");
	host->cpus = sysconf(_SC_NPROCESSORS_ONLN);
	host->memory_bytes = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
	host->user = xstrdup_or_null(pw ? pw->pw_name : getenv("USER"));
	host->caller = xstrdup_or_null(caller && *caller ? caller : NULL);
	host->home = xstrdup_or_null(home ? home : pw ? pw->pw_dir : NULL);
}

/* The first line of /proc/stat, in ticks: user nice system idle iowait irq softirq steal (guests are in user). */
static void read_processors(struct host_load *load)
{
	char *text = value_read("/proc/stat", "cpu ", " ");
	int64_t tick_ns = NS_PER_S / sysconf(_SC_CLK_TCK);
	long long v[8];

	if (text && sscanf(text, "%lld %lld %lld %lld %lld %lld %lld %lld", &v[0], &v[1], &v[2],
			   &v[3], &v[4], &v[5], &v[6], &v[7]) == 8) {
		load->busy_ns = (v[0] + v[1] + v[2] + v[5] + v[6]) * tick_ns;
		load->stolen_ns = v[7] * tick_ns;
	}
	free(text);
}

static int64_t read_meminfo(const char *key)
{
	return value_read_number("/proc/meminfo", key);
}

static int64_t usage_ns(int who)
{
	struct rusage usage;

	if (getrusage(who, &usage))
		return 0;
	return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * NS_PER_S +
	       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * NS_PER_US;
}

void host_load_read(struct host_load *load)
{
	int64_t total = read_meminfo("MemTotal:"), available = read_meminfo("MemAvailable:");

	*load = (struct host_load){ .busy_ns = -1, .stolen_ns = -1, .memory_bytes = -1 };
	read_processors(load);
	load->own_ns = usage_ns(RUSAGE_SELF) + usage_ns(RUSAGE_CHILDREN);
	if (total >= 0 && available >= 0)
		load->memory_bytes = (total - available) * 1024;
}

void host_memory_read(struct host_memory *memory)
{
	int64_t available = read_meminfo("MemAvailable:"), commit = read_meminfo("Committed_AS:");
	int64_t limit = read_meminfo("CommitLimit:");
	struct rlimit space;

	*memory = (struct host_memory){ -1, -1, -1, -1, -1, -1, -1 };
	memory->available_bytes = available < 0 ? -1 : available * 1024;
	memory->commit_bytes = commit < 0 ? -1 : commit * 1024;
	memory->commit_limit_bytes = limit < 0 ? -1 : limit * 1024;
	if (!getrlimit(RLIMIT_AS, &space) && space.rlim_cur != RLIM_INFINITY &&
	    space.rlim_cur < INT64_MAX)
		memory->address_space_limit_bytes = (int64_t)space.rlim_cur;
	groups_read_memory(&groups_paths, memory);
	if (memory->oom_kills < 0)
		memory->oom_kills = value_read_number("/proc/vmstat", "oom_kill ");
}

#define BLOCK_DEVICES "/sys/block"

/* The first line of a file about a block device, without blanks at its ends; NULL: there is none. */
static char *read_of_device(const char *name, const char *file)
{
	char *path = xasprintf(BLOCK_DEVICES "/%s/%s", name, file);
	char *text = value_read(path, "", " "), *trimmed;
	size_t len = text ? strlen(text) : 0;

	while (len && text[len - 1] == ' ')
		len--;
	trimmed = len ? xstrndup(text, len) : NULL;
	free(text);
	free(path);
	return trimmed;
}

static int64_t number_of_device(const char *name, const char *file)
{
	char *text = read_of_device(name, file);
	int64_t number = -1;

	if (text && !text_parse_int(text, 0, INT64_MAX, &number))
		number = -1;
	free(text);
	return number;
}

/* Sizes are in units of 512 bytes, whatever the device has. Devices of no size, as unused loops, are left out. */
static void read_disks(struct host_system *system)
{
	struct strvec names = STRVEC_INIT;
	struct err err = ERR_INIT;

	if (fs_list(BLOCK_DEVICES, &names, &err))
		err_clear(&err);
	for (size_t i = 0; i < names.nr && system->disks_nr < HOST_DISKS_MAX; i++) {
		int64_t sectors = number_of_device(names.v[i], "size");

		if (sectors <= 0 || sectors > INT64_MAX / 512)
			continue;
		system->disks =
			xreallocarray(system->disks, system->disks_nr + 1, sizeof(*system->disks));
		system->disks[system->disks_nr++] = (struct host_disk){
			.name = xstrdup(names.v[i]),
			.model = read_of_device(names.v[i], "device/model"),
			.bytes = sectors * 512,
			.rotational = number_of_device(names.v[i], "queue/rotational"),
		};
	}
	strvec_release(&names);
}

void host_system_read(struct host_system *system)
{
	int64_t swap = read_meminfo("SwapTotal:"), boot = value_read_number("/proc/stat", "btime ");

	*system = (struct host_system){
		.boot_ns = boot < 0 || boot > INT64_MAX / NS_PER_S ? -1 : boot * NS_PER_S,
		.swap_bytes = swap < 0 ? -1 : swap * 1024,
		.group = groups_read_limits(&groups_paths),
	};
	read_disks(system);
}

bool host_is_windows(void)
{
	return false;
}

bool host_is_admin(void)
{
	return geteuid() == 0;
}

bool host_program_has_capability(const char *path, int capability)
{
	/*
	 * struct vfs_ns_cap_data, little endian: magic with the effective flag, then 32 bits each of permitted, inheritable
	 */
	unsigned char data[24];
	ssize_t len = getxattr(path, "security.capability", data, sizeof(data));
	int at = 4 + capability / 32 * 8 + capability % 32 / 8;

	return len >= 20 && data[0] & 1 && data[at] >> capability % 8 & 1;
}

/* SCHED_RESET_ON_FORK may be added to a policy. */
static bool is_ordinary(int policy)
{
	policy &= ~SCHED_RESET_ON_FORK;
	return policy == SCHED_OTHER || policy == SCHED_BATCH || policy == SCHED_IDLE;
}

bool host_allows_realtime(void)
{
	struct sched_param normal = { 0 }, lowest = { .sched_priority = 1 };
	int policy = sched_getscheduler(0);
	struct rlimit most;

	/* A child has our policy and priority: if it is a better one than the lowest, that would be a loss. */
	if (policy < 0 || !is_ordinary(policy))
		return false;
	/* A limit of the CPU time without a wait ends a process that is busy for longer. */
	if (getrlimit(RLIMIT_RTTIME, &most) || most.rlim_cur != RLIM_INFINITY)
		return false;
	if (sched_setscheduler(0, SCHED_FIFO, &lowest))
		return false;
	sched_setscheduler(0, policy, &normal);
	return true;
}

bool host_has_capability(int capability)
{
	char *mask = value_read("/proc/self/status", "CapEff:", " \t");
	unsigned long long bits = mask ? strtoull(mask, NULL, 16) : 0;

	free(mask);
	return bits >> capability & 1;
}
