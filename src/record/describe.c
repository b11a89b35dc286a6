#include "record/describe.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "platform/fs.h"
#include "platform/host.h"
#include "record/build_facts.h"
#include "record/checkout.h"
#include "record/machine_facts.h"
#include "util/alloc.h"

static void add_number(struct manifest *manifest, const char *key, int64_t value)
{
	char *text = xasprintf("%lld", (long long)value);

	manifest_add_host(manifest, key, text);
	free(text);
}

static void add_sysctl(struct manifest *manifest, const char *key, const char *path)
{
	struct strbuf value = STRBUF_INIT;
	struct err err = ERR_INIT;

	if (!fs_read(path, 4096, &value, &err)) {
		value.buf[strcspn(value.buf, "\n")] = '\0';
		manifest_add_host(manifest, key, value.buf);
	}
	err_clear(&err);
	strbuf_release(&value);
}

static void add_host(struct manifest *manifest)
{
	struct host host;

	host_read(&host);
	manifest_add_host(manifest, "hostname", host.hostname);
	manifest_add_host(manifest, "os", host.os);
	manifest_add_host(manifest, "kernel", host.kernel);
	manifest_add_host(manifest, "arch", host.arch);
	manifest_add_host(manifest, "cpu_model", host.cpu_model);
	add_number(manifest, "cpus", host.cpus);
	add_number(manifest, "memory_bytes", host.memory_bytes);
	manifest_add_host(manifest, "user", host.user);
	if (host.caller)
		manifest_add_host(manifest, "caller", host.caller);
	manifest_add_host(manifest, "home", host.home);
	host_release(&host);
	/* Both affect how much memory a build takes. */
	add_sysctl(manifest, "transparent_hugepage", "/sys/kernel/mm/transparent_hugepage/enabled");
	add_sysctl(manifest, "overcommit_memory", "/proc/sys/vm/overcommit_memory");
	add_sysctl(manifest, "overcommit_ratio", "/proc/sys/vm/overcommit_ratio");
	add_sysctl(manifest, "swappiness", "/proc/sys/vm/swappiness");
	add_sysctl(manifest, "cpu_governor",
		   "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
}

static void add_time_zone(struct manifest *manifest)
{
	time_t now = time(NULL);
	const struct tm *local = localtime(&now);
	char zone[16];

	if (local && strftime(zone, sizeof(zone), "%z", local) == 5) {
		char *text = xasprintf("UTC%.3s:%s", zone, zone + 3);

		manifest_add_host(manifest, "time_zone", text);
		free(text);
	}
}

static void add_space(struct manifest *manifest, const char *key, const char *path)
{
	int64_t space = path ? fs_free_space(path) : -1;

	if (space >= 0)
		add_number(manifest, key, space);
}

void describe_given(const struct record_plan *plan, const char *dir, struct manifest *manifest,
		    struct strvec *notes)
{
	manifest->recorder = xstrdup(plan->profiler->name);
	if (plan->profiler->version)
		manifest->recorder_version = plan->profiler->version(plan->profiler);
	manifest->source = xstrdup_or_null(plan->source);
	add_host(manifest);
	machine_facts_add(&manifest->system);
	add_time_zone(manifest);
	add_space(manifest, "source_free_bytes", plan->source);
	add_space(manifest, "output_free_bytes", plan->output);
	if (!plan->source)
		return;
	checkout_describe(plan->source, dir, manifest, notes);
	build_facts_add_given(plan, &manifest->build);
}

void describe_made(const struct record_plan *plan, struct manifest *manifest)
{
	if (plan->source)
		build_facts_add_made(plan, &manifest->build);
}
