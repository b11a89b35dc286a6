#include "platform/host.h"

#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include <lmcons.h>

#include "platform/clock.h"
#include "platform/windows/library.h"
#include "platform/windows/wide.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/strbuf.h"
#include "util/text.h"

#define NT_KEY  L"SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion"
#define CPU_KEY L"HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0"

#define FIRST_BUILD_OF_11 22000

/* A text value of the registry without blanks around it; NULL: there is none. The caller frees it. */
static char *read_text(const wchar_t *key, const wchar_t *name)
{
	wchar_t text[256];
	DWORD size = sizeof(text);
	char *value, *trimmed;
	size_t len;

	if (RegGetValueW(HKEY_LOCAL_MACHINE, key, name, RRF_RT_REG_SZ, NULL, text, &size))
		return NULL;
	value = wide_to_utf8(text);
	len = strlen(value);
	while (len && value[len - 1] == ' ')
		value[--len] = '\0';
	trimmed = len ? xstrdup(value + strspn(value, " ")) : NULL;
	free(value);
	return trimmed;
}

/* GetVersionEx() is not used: its result depends on the manifest of the program. */
static bool read_version(OSVERSIONINFOW *version)
{
	LONG(WINAPI * get)(OSVERSIONINFOW *);

	*version = (OSVERSIONINFOW){ .dwOSVersionInfoSize = sizeof(*version) };
	return library_function(L"ntdll.dll", "RtlGetVersion", &get, sizeof(get)) && !get(version);
}

/* "Windows 11 Pro 23H2, build 22631.3007". In the registry the name of Windows 11 is still Windows 10. */
static char *read_os(const OSVERSIONINFOW *version)
{
	char *product = read_text(NT_KEY, L"ProductName");
	char *release = read_text(NT_KEY, L"DisplayVersion");
	DWORD revision = 0, size = sizeof(revision);
	struct strbuf sb = STRBUF_INIT;
	char *ten;

	if (!release)
		release = read_text(NT_KEY, L"ReleaseId");
	ten = product ? strstr(product, "Windows 10") : NULL;
	if (ten && version->dwBuildNumber >= FIRST_BUILD_OF_11)
		ten[strlen("Windows 1")] = '1';
	strbuf_addf(&sb, "%s%s%s, build %lu", product ? product : "Windows", release ? " " : "",
		    release ? release : "", version->dwBuildNumber);
	if (!RegGetValueW(HKEY_LOCAL_MACHINE, NT_KEY, L"UBR", RRF_RT_REG_DWORD, NULL, &revision,
			  &size))
		strbuf_addf(&sb, ".%lu", revision);
	free(product);
	free(release);
	return strbuf_detach(&sb);
}

/* The architecture of the machine, also if this program is emulated on it. The names are those of uname. */
static char *read_arch(void)
{
	USHORT process = 0, machine = 0;

	if (!IsWow64Process2(GetCurrentProcess(), &process, &machine))
		return NULL;
	switch (machine) {
	case IMAGE_FILE_MACHINE_AMD64:
		return xstrdup("x86_64");
	case IMAGE_FILE_MACHINE_ARM64:
		return xstrdup("aarch64");
	default:
		return xasprintf("machine 0x%x", machine);
	}
}

static char *read_hostname(void)
{
	wchar_t name[256];
	DWORD size = ARRAY_SIZE(name);

	return GetComputerNameExW(ComputerNameDnsHostname, name, &size) ? wide_to_utf8(name)
									: xstrdup("");
}

static char *read_user(void)
{
	wchar_t name[UNLEN + 1];
	DWORD size = ARRAY_SIZE(name);

	return GetUserNameW(name, &size) ? wide_to_utf8(name) : wide_getenv("USERNAME");
}

void host_read(struct host *host)
{
	MEMORYSTATUSEX memory = { .dwLength = sizeof(memory) };
	OSVERSIONINFOW version;

	memset(host, 0, sizeof(*host));
	host->hostname = read_hostname();
	if (read_version(&version)) {
		host->kernel = xasprintf("Windows NT %lu.%lu.%lu", version.dwMajorVersion,
					 version.dwMinorVersion, version.dwBuildNumber);
		host->os = read_os(&version);
	}
	host->arch = read_arch();
	host->cpu_model = read_text(CPU_KEY, L"ProcessorNameString");
	host->cpus = GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
	if (GlobalMemoryStatusEx(&memory))
		host->memory_bytes = (int64_t)memory.ullTotalPhys;
	host->user = read_user();
	host->home = wide_getenv("USERPROFILE");
}

/* A FILETIME counts units of 100 ns. */
static int64_t time_ns(FILETIME time)
{
	return ((int64_t)time.dwHighDateTime << 32 | time.dwLowDateTime) * 100;
}

void host_load_read(struct host_load *load)
{
	MEMORYSTATUSEX memory = { .dwLength = sizeof(memory) };
	FILETIME idle, kernel, user, created, ended;

	*load = (struct host_load){ .busy_ns = -1, .stolen_ns = -1, .memory_bytes = -1 };
	/* The time of the kernel includes idle time. */
	if (GetSystemTimes(&idle, &kernel, &user))
		load->busy_ns = time_ns(kernel) + time_ns(user) - time_ns(idle);
	if (GetProcessTimes(GetCurrentProcess(), &created, &ended, &kernel, &user))
		load->own_ns = time_ns(kernel) + time_ns(user);
	if (GlobalMemoryStatusEx(&memory))
		load->memory_bytes = (int64_t)(memory.ullTotalPhys - memory.ullAvailPhys);
}

void host_memory_read(struct host_memory *memory)
{
	MEMORYSTATUSEX status = { .dwLength = sizeof(status) };

	*memory = (struct host_memory){ -1, -1, -1, -1, -1, -1, -1 };
	if (!GlobalMemoryStatusEx(&status))
		return;
	memory->available_bytes = (int64_t)status.ullAvailPhys;
	/* What is called the page file is the limit of commit: physical memory and page files together. */
	memory->commit_limit_bytes = (int64_t)status.ullTotalPageFile;
	memory->commit_bytes = (int64_t)(status.ullTotalPageFile - status.ullAvailPageFile);
}

void host_system_read(struct host_system *system)
{
	MEMORYSTATUSEX status = { .dwLength = sizeof(status) };

	*system = (struct host_system){ .swap_bytes = -1, .group = { -1, -1, -1, -1 } };
	system->boot_ns = clock_wall() - (int64_t)GetTickCount64() * NS_PER_MS;
	if (GlobalMemoryStatusEx(&status) && status.ullTotalPageFile >= status.ullTotalPhys)
		system->swap_bytes = (int64_t)(status.ullTotalPageFile - status.ullTotalPhys);
}

bool host_is_windows(void)
{
	return true;
}

bool host_is_admin(void)
{
	TOKEN_ELEVATION elevation = { 0 };
	HANDLE token;
	DWORD size;
	bool known;

	if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token))
		return false;
	known = GetTokenInformation(token, TokenElevation, &elevation, sizeof(elevation), &size);
	CloseHandle(token);
	return known && elevation.TokenIsElevated;
}

bool host_allows_realtime(void)
{
	return false;
}

bool host_has_capability(int capability)
{
	(void)capability;
	return false;
}

bool host_program_has_capability(const char *path, int capability)
{
	(void)path;
	(void)capability;
	return false;
}
