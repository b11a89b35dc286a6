/*
 * The @file arguments of a process, read while they are there.
 */
#ifndef PLATFORM_WINDOWS_RESPONSE_FILES_H
#define PLATFORM_WINDOWS_RESPONSE_FILES_H

#include "platform/proc_watch.h"

/*
 * Fill `event->responses` by its arguments and directory. Files of UTF-16 (what rustc writes for link.exe) are
 * given as UTF-8. Whoever wrote one can delete it while it is read.
 */
void response_files_read(struct proc_event *event);

#endif
