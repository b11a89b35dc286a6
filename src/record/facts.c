#include "record/facts.h"

#include <stdlib.h>
#include <string.h>

#include "platform/child.h"
#include "platform/fs.h"
#include "platform/host.h"
#include "util/alloc.h"
#include "util/text.h"

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

void facts_add_host(struct manifest *manifest)
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
	manifest_add_host(manifest, "home", host.home);
	host_release(&host);
	/* Both change how much memory the same build takes. */
	add_sysctl(manifest, "transparent_hugepage", "/sys/kernel/mm/transparent_hugepage/enabled");
	add_sysctl(manifest, "overcommit_memory", "/proc/sys/vm/overcommit_memory");
}

/* The output of git with these arguments, without the last newline; NULL where it fails. */
static char *run_git(const char *source, const char *const *args)
{
	struct strbuf output = STRBUF_INIT;
	struct strvec argv = STRVEC_INIT;
	struct err err = ERR_INIT;
	int64_t exit_code = -1;
	bool fine;

	strvec_push(&argv, "git");
	/* The checkout is often another user's: perf wants root, x.py does not. */
	strvec_push(&argv, "-c");
	strvec_push(&argv, "safe.directory=*");
	strvec_push(&argv, "-C");
	strvec_push(&argv, source);
	for (; *args; args++)
		strvec_push(&argv, *args);
	fine = !child_capture(&argv, NULL, 60 * NS_PER_S, &output, &exit_code, &err) &&
	       exit_code == 0;
	err_clear(&err);
	strvec_release(&argv);
	if (!fine) {
		strbuf_release(&output);
		return NULL;
	}
	while (strbuf_ends_with(&output, "\n"))
		strbuf_set_len(&output, output.len - 1);
	return strbuf_detach(&output);
}

static int64_t count_lines(const char *text)
{
	int64_t lines = *text != '\0';

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

void facts_add_git(struct manifest *manifest, const char *source)
{
	static const char *const top[] = { "rev-parse", "--show-toplevel", NULL };
	static const char *const commit[] = { "rev-parse", "HEAD", NULL };
	static const char *const branch[] = { "rev-parse", "--abbrev-ref", "HEAD", NULL };
	static const char *const status[] = { "status", "--porcelain", "--untracked-files=no",
					      "--ignore-submodules=dirty", NULL };
	char *root = run_git(source, top), *changes;

	/* A checkout from a tarball inside some other repository is none. */
	if (root && !strcmp(root, source)) {
		manifest->git_commit = run_git(source, commit);
		manifest->git_branch = run_git(source, branch);
		changes = run_git(source, status);
		manifest->git_dirty = changes ? count_lines(changes) : -1;
		free(changes);
	}
	free(root);
}
