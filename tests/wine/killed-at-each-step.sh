#!/usr/bin/env bash
# Killed at each write of the manifest, on Windows, while wpr records and the heap of an image is traced: the guard ends the build and
# restores the registry; recover saves the trace, ends what still runs, and restores the sampling interval.
. "$SRCDIR/tests/wine/lib/wine.sh"
make_wpt_checkout wpr './pause.exe 0.2'
trace_image stagetrace-step.exe

# The guard alone, before recover.
recover_restored() {
	wait_for is_not_traced
	recover_well
	heap_is_clean
}
kill_at_each 14 6 recover_restored record --no-bundle --set record.heap=yes test.ini
