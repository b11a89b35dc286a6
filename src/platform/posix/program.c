#include "platform/program.h"

#include <elf.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "platform/fs.h"
#include "platform/terminal.h"
#include "util/alloc.h"

void program_start(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
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
