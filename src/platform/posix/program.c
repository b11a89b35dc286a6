#include "platform/program.h"

#include <elf.h>
#include <malloc.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "platform/fs.h"
#include "platform/terminal.h"
#include "util/alloc.h"

/* Arrays of this size and above are mapped, each by itself: they grow in place, and go back to the system when freed. */
#define MAPPED_MIN (4 << 20)

void program_start(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	/* Else glibc takes larger and larger arrays from its heap, where later ones keep the freed ones in use. */
	mallopt(M_MMAP_THRESHOLD, MAPPED_MIN);
	mallopt(M_TRIM_THRESHOLD, 2 * MAPPED_MIN);
	terminal_ensure_streams();
}

char *env_get(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? xstrdup(value) : NULL;
}

char *executable_path(void)
{
	return fs_absolute("/proc/self/exe");
}

/* Groups below are those of the system: "staff" may write in /usr/local. */
#define USERS_GROUP 100

/* Is it root's, and can nobody else write it? In a user namespace the files of root have the owner of "/". */
static bool is_roots(const char *path, uid_t root)
{
	struct stat st;

	if (lstat(path, &st) || (st.st_uid && st.st_uid != root))
		return false;
	/* In such a directory nobody can rename or remove what is another's. */
	if (S_ISDIR(st.st_mode) && st.st_mode & S_ISVTX)
		return true;
	return !(st.st_mode & S_IWOTH) && (!(st.st_mode & S_IWGRP) || st.st_gid < USERS_GROUP);
}

/* `path` is absolute and has no links. */
static bool is_safe(const char *path)
{
	char *at = xstrdup(path);
	struct stat root;
	bool safe = !stat("/", &root);

	while (safe && strcmp(at, "/") != 0) {
		char *above = fs_dirname(at);

		safe = is_roots(at, root.st_uid);
		free(at);
		at = above;
	}
	free(at);
	return safe && is_roots("/", root.st_uid);
}

char *program_version(const char *path)
{
	(void)path;
	return NULL;
}

char *program_find_own(const char *name, struct err *err)
{
	const char *path = getenv("PATH");
	char *refused = NULL, *found = NULL;

	while (path && *path && !found) {
		size_t len = strcspn(path, ":");
		char *dir = len ? xstrndup(path, len) : xstrdup(".");
		char *candidate = xasprintf("%s/%s", dir, name);

		/* A program may depend on the name of the link by which it is run; for root its place counts. */
		if (fs_is_executable(candidate))
			found = geteuid() && *dir == '/' ? xstrdup(candidate)
							 : fs_absolute(candidate);
		if (found && !geteuid() && !is_safe(found)) {
			free(refused);
			refused = found;
			found = NULL;
		}
		free(candidate);
		free(dir);
		path += len + (path[len] == ':');
	}
	if (!found && refused)
		err_set(err, ERR_UNSUPPORTED,
			"'%s' is not run as root, as other users can replace it: put a %s that "
			"only "
			"root can change into PATH",
			refused, name);
	else if (!found)
		err_set(err, ERR_NOT_FOUND, "%s is not installed", name);
	free(refused);
	return found;
}

static volatile sig_atomic_t count;

/*
 * When a terminal closes, SIGHUP comes twice, from its shell and from the kernel: they count as one interrupt, like a
 * Ctrl-C.
 */
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
	/* Under nohup SIGHUP must remain ignored. */
	if (sigaction(SIGHUP, NULL, &before) || before.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

int interrupt_count(void)
{
	return count;
}

void memory_trim(void)
{
	malloc_trim(0);
}

/* The size follows from the ELF header: the kernel's build puts the section headers at the end. */
const void *vdso_image(size_t *size)
{
	const unsigned char *image = (const unsigned char *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	size_t page = (size_t)sysconf(_SC_PAGESIZE), end;
	Elf64_Ehdr ehdr;

	if (!image || memcmp(image, ELFMAG, SELFMAG) || image[EI_CLASS] != ELFCLASS64)
		return NULL;
	memcpy(&ehdr, image, sizeof(ehdr));
	end = (size_t)(ehdr.e_shoff + (size_t)ehdr.e_shnum * ehdr.e_shentsize);
	if (!ehdr.e_shoff || !ehdr.e_shnum || end > 16 * page)
		return NULL;
	*size = end;
	return image;
}
