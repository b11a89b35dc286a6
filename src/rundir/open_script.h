/*
 * The scripts in a run that show it to who opens its folder: open.sh, and for an ETL trace open.cmd.
 */
#ifndef RUNDIR_OPEN_SCRIPT_H
#define RUNDIR_OPEN_SCRIPT_H

#include "util/strbuf.h"
#include "util/strvec.h"

/* Where the system's own symbols are, for who has set no symbol path. */
#define OPEN_SYSTEM_SYMBOLS "cache*C:\\Symbols;srv*https://msdl.microsoft.com/download/symbols"

/* Where WPA is below "Program Files". */
#define OPEN_WPA_BELOW_PROGRAMS "Windows Kits\\10\\Windows Performance Toolkit\\wpa.exe"

extern const char open_script_sh[];

/*
 * Append open.cmd: it finds WPA and starts it as `stagetrace open` does, with the run's own symbols and those in
 * `dirs` on its symbol path. Whatever the names of folders have in them, it is text to it.
 */
void open_script_add_cmd(struct strbuf *sb, const struct strvec *dirs);

#endif
