/*
 * The scripts in a run directory that open the run: open.sh, and open.cmd for an ETL trace.
 */
#ifndef RUNDIR_OPEN_SCRIPT_H
#define RUNDIR_OPEN_SCRIPT_H

#include "util/strbuf.h"
#include "util/strvec.h"

/* Symbol path for system files, used if _NT_SYMBOL_PATH is not set. */
#define OPEN_SYSTEM_SYMBOLS "cache*C:\\Symbols;srv*https://msdl.microsoft.com/download/symbols"

/* Where WPA keeps what it makes of PDBs, if _NT_SYMCACHE_PATH is not set. */
#define OPEN_SYSTEM_SYMCACHE "C:\\SymCache"

/* Path of WPA below "Program Files". */
#define OPEN_WPA_BELOW_PROGRAMS "Windows Kits\\10\\Windows Performance Toolkit\\wpa.exe"

extern const char open_script_sh[];

/*
 * Append the text of open.cmd, which finds WPA and starts it as `stagetrace open` does. Its symbol path has the PDBs in
 * the run and those directories of `dirs` that are SYMBOL_DIR_LOCAL, with special characters escaped.
 */
void open_script_add_cmd(struct strbuf *sb, const struct strvec *dirs);

#endif
