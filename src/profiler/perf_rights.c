#include "profiler/perf_rights.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/fs.h"
#include "platform/host.h"
#include "platform/program.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/strvec.h"
#include "util/text.h"

#define LARGE_PAGES "/sys/kernel/mm/transparent_hugepage"

/* Numbers of include/uapi/linux/capability.h. */
enum { CAP_IPC_LOCK_NR = 14, CAP_SYS_ADMIN_NR = 21, CAP_PERFMON_NR = 38 };

static int64_t read_number(const char *path, int64_t otherwise)
{
	FILE *file = fopen(path, "r");
	long long value = otherwise;

	if (file) {
		if (fscanf(file, "%lld", &value) != 1)
			value = otherwise;
		fclose(file);
	}
	return value;
}

static bool can_read(const char *path)
{
	FILE *file = fopen(path, "r");

	if (file)
		fclose(file);
	return file != NULL;
}

/* Whether a setting of transparent huge pages lets programs have some: "always [madvise] never". */
static bool gives_pages(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[128] = "";

	if (file && !fgets(line, sizeof(line), file))
		*line = '\0';
	if (file)
		fclose(file);
	return strstr(line, "[always]") || strstr(line, "[madvise]");
}

/* Sizes below 2 MB have settings of their own; "inherit" is the one for all. */
bool perf_rights_large_pages(const char *dir)
{
	struct strvec names = STRVEC_INIT;
	struct err err = ERR_INIT;
	char *path = fs_join(dir, "enabled");
	bool gives = gives_pages(path);

	free(path);
	fs_list(dir, &names, &err);
	err_clear(&err);
	for (size_t i = 0; i < names.nr && !gives; i++) {
		path = xasprintf("%s/%s/enabled", dir, names.v[i]);
		gives = text_starts_with(names.v[i], "hugepages-") && gives_pages(path);
		free(path);
	}
	strvec_release(&names);
	return gives;
}

static int kernel_version(void)
{
	int major = 0, minor = 0;
	struct host host;

	host_read(&host);
	if (!host.kernel || sscanf(host.kernel, "%*s %d.%d", &major, &minor) != 2)
		major = minor = 0;
	host_release(&host);
	return major * 100 + minor;
}

/* Found in the list of mounts: usually only root may read the directory itself. */
static bool is_tracefs_mounted(void)
{
	FILE *file = fopen("/proc/self/mounts", "r");
	char line[1024];
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file))
		found = strstr(line, " tracefs ") != NULL;
	if (file)
		fclose(file);
	return found;
}

/* perf has our capabilities, and those of its file (setcap). */
static bool has_capability(const char *perf, int capability)
{
	return host_has_capability(capability) ||
	       (perf && host_program_has_capability(perf, capability));
}

void perf_rights_read(struct perf_rights *rights)
{
	static const char *const roots[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

	struct err err = ERR_INIT;
	char *perf = program_find_own("perf", &err);

	*rights = (struct perf_rights){
		.admin = host_is_admin(),
		.capable = has_capability(perf, CAP_PERFMON_NR) ||
			   has_capability(perf, CAP_SYS_ADMIN_NR),
		.may_lock_memory = has_capability(perf, CAP_IPC_LOCK_NR),
		.may_realtime = host_allows_realtime(),
		.paranoid = read_number("/proc/sys/kernel/perf_event_paranoid", -2),
		.max_stack = read_number(PERF_MAX_STACK_FILE, 0),
		.max_sample_rate = read_number(PERF_SAMPLE_RATE_FILE, 0),
		.mlock_kb = read_number("/proc/sys/kernel/perf_event_mlock_kb", 0),
	};
	err_clear(&err);
	free(perf);
	rights->tracefs_mounted = is_tracefs_mounted();
	rights->kernel = kernel_version();
	rights->large_pages = perf_rights_large_pages(LARGE_PAGES);
	for (size_t i = 0; i < ARRAY_SIZE(roots); i++) {
		char path[128];

		snprintf(path, sizeof(path), "%s/events/syscalls/sys_enter_mmap/id", roots[i]);
		rights->tracefs |= can_read(path);
		snprintf(path, sizeof(path), "%s/events/exceptions/page_fault_user/id", roots[i]);
		rights->page_faults |= can_read(path);
	}
}
