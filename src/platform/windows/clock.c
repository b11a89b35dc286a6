#include "platform/clock.h"

#include <windows.h>

#include "util/text.h"

#ifndef CREATE_WAITABLE_TIMER_HIGH_RESOLUTION
#define CREATE_WAITABLE_TIMER_HIGH_RESOLUTION 2 /* since Windows 10 1803 */
#endif

/* FILETIME counts 100 ns from 1601: 11644473600 seconds before 1970. */
#define FILETIME_1970 INT64_C(116444736000000000)

const char *const clock_name = "QPC";

int64_t clock_now(void)
{
	LARGE_INTEGER frequency, ticks;

	QueryPerformanceFrequency(&frequency);
	QueryPerformanceCounter(&ticks);
	return ticks.QuadPart / frequency.QuadPart * NS_PER_S +
	       ticks.QuadPart % frequency.QuadPart * NS_PER_S / frequency.QuadPart;
}

int64_t clock_wall(void)
{
	FILETIME time;

	GetSystemTimePreciseAsFileTime(&time);
	return (((int64_t)time.dwHighDateTime << 32 | time.dwLowDateTime) - FILETIME_1970) * 100;
}

/* Sleep() has the resolution of the system's tick, up to 16 ms. */
static void sleep_once(int64_t ns)
{
	HANDLE timer = CreateWaitableTimerExW(NULL, NULL, CREATE_WAITABLE_TIMER_HIGH_RESOLUTION,
					      TIMER_ALL_ACCESS);
	LARGE_INTEGER due = { .QuadPart = -((ns + 99) / 100) };

	if (timer && SetWaitableTimer(timer, &due, 0, NULL, NULL, FALSE))
		WaitForSingleObject(timer, INFINITE);
	else
		Sleep((DWORD)((ns + NS_PER_MS - 1) / NS_PER_MS));
	if (timer)
		CloseHandle(timer);
}

void clock_sleep(int64_t ns)
{
	int64_t end = clock_now() + ns, left = ns;

	/* Both may wake slightly early, and Sleep() accepts 49 days at most. */
	for (; left > 0; left = end - clock_now())
		sleep_once(left < 24 * 3600 * NS_PER_S ? left : 24 * 3600 * NS_PER_S);
}

struct tm clock_utc(int64_t wall_ns)
{
	__time64_t seconds = wall_ns / NS_PER_S;
	struct tm tm = { .tm_mday = 1 };

	_gmtime64_s(&tm, &seconds);
	return tm;
}
