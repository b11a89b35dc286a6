/*
 * Names of the files in a run directory (docs/run-directory.md), relative to it.
 */
#ifndef RUNDIR_LAYOUT_H
#define RUNDIR_LAYOUT_H

#define RUN_MANIFEST     "manifest.json"
#define RUN_PROCESSES    "processes.jsonl"
#define RUN_JOURNAL      "processes.journal" /* while recording; replaced by RUN_PROCESSES */
#define RUN_PERF_DATA    "trace.perf.data"
#define RUN_STACK_COPIES "trace.stack-copies.perf.data" /* the trace before it was distilled */
#define RUN_TRACE_STACKS \
	"trace.stacks" /* of the CPU samples of RUN_PERF_DATA: replay/known_stacks.h */
#define RUN_TRACE_CPU      "trace.cpu" /* events of RUN_PERF_DATA: replay/kept_events.h */
#define RUN_ETL            "trace.etl"
#define RUN_CONFIG         "config.ini"
#define RUN_BOOTSTRAP_TOML "bootstrap.toml"
#define RUN_SOURCE_DIFF    "source.diff" /* from the commit of the checkout: record/checkout.h */
#define RUN_WPA_PROFILE    "rustc.wpaProfile"
#define RUN_WPRP           "rustc.wprp" /* wpr's recording profile as used */
#define RUN_STACKTAGS      "rustc.stacktags"
#define RUN_OPEN_SH        "open.sh"
#define RUN_OPEN_CMD       "open.cmd"
#define RUN_LOGS           "logs"
#define RUN_STAGE1_LOG     "logs/stage1.log"
#define RUN_BEFORE_LOG     "logs/before.log"
#define RUN_STAGE2_LOG     "logs/stage2.log"
#define RUN_RECORDER_LOG   "logs/recorder.log"
#define RUN_RECORDER_STATE \
	"logs/recorder-status.txt"   /* status output of wpr or xperf just before the stop */
#define RUN_RECORDER_TEMP "recorder" /* files of wpr or xperf while recording */
#define RUN_SYMBOLS       "symbols"
#define RUN_PDBS          "symbols/pdb"       /* a symbol store: NAME/GUIDAGE/NAME */
#define RUN_DEBUG_FILES   "symbols/.build-id" /* xx/yyyy.debug, by build id */
#define RUN_SYMCACHE      "symbols/symcache"  /* what WPA makes of PDBs */
#define RUN_PARTIAL       ".partial"          /* suffix of an incomplete run */

/* In the directory of a series of runs that `nightly` makes. */
#define SERIES_SEED "seed"

#endif
