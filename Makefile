# make            build/stagetrace
# make demo       install what is missing, record a real two-stage build, print where the result is
# make test       install what is missing, run all tests
# make check      the fast part of the tests: headers, layers, sizes, unit, command line
# make windows    build/windows/stagetrace.exe, by mingw-w64; installs what is missing
# make dist       build/windows/stagetrace-VERSION-windows.zip: the program, profiles, configurations, documentation
# make deb        build/stagetrace_VERSION-1_ARCHITECTURE.deb, for Debian; installs what is missing
# make install    PREFIX=/usr/local DESTDIR=
# make uninstall  remove what make install has installed
# make format     clang-format over the sources
# make data       rewrite the recordings in tests/data, if their format or tests/tools/make-data.c changes
# make golden     rewrite the expected output of the command-line tests; review the diff
# make fuzz       build and run every fuzzer, FUZZ_SECONDS=60 each
# JOBS=N          number of parallel jobs; by default the number of processors
# V=1             show the commands
# SAN=1           with AddressSanitizer and UBSan, in build/san
# SYSTEM=windows  what `make windows` calls the other targets with

VERSION := 0.1.0
RELEASED := 2026-11-22
PREFIX ?= /usr/local
Q := $(if $(V),,@)
export JOBS ?= $(shell nproc)
# Several goals, such as "clean all", follow each other.
ifeq ($(MAKELEVEL)$(word 2,$(MAKECMDGOALS)),0)
MAKEFLAGS += -j$(JOBS)
endif
# In a shell of MSYS2 the system is Windows, and its compiler and libraries are those of the shell.
SYSTEM ?= $(if $(MSYSTEM),windows,posix)
ifeq ($(SYSTEM),windows)
B := build/windows
EXE := .exe
else
B := build$(if $(SAN),/san)
EXE :=
endif
PKGS := inih jansson libxml-2.0 libzip nettle libzstd sqlite3 zlib
ELF_PKGS := libelf libdw

# No debugger of Windows reads DWARF, and `make dist` would strip it.
CFLAGS ?= -O2 $(if $(filter posix,$(SYSTEM)),-g)
STD := -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla \
	-Wwrite-strings -Wformat=2 $(if $(CI),-Werror)
COMMA := ,
DEPENDENCIES := build/windows/dependencies
WINDOWS_LIBRARIES := MAKEFLAGS= src/packaging/windows/dependencies.sh $(DEPENDENCIES)
SANFLAGS := $(if $(SAN),-fsanitize=address$(COMMA)undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)

ifneq ($(SYSTEM),windows)
CC ?= gcc
# Asked once, when they are first needed: what is missing may be installed by then.
CPPFLAGS_SYSTEM = $(eval CPPFLAGS_SYSTEM := $(shell pkg-config --cflags $(PKGS) $(ELF_PKGS)))$(CPPFLAGS_SYSTEM)
LIBS = $(eval LIBS := $(shell pkg-config --libs $(PKGS) $(ELF_PKGS)) -liberty -ldl -lpthread -lm)$(LIBS)
else
# %zu and %lld are C's with the first, on all versions of msvcrt.dll; the second is Windows 10.
CPPFLAGS_SYSTEM = -D__USE_MINGW_ANSI_STDIO=1 -D_WIN32_WINNT=0x0A00 -DWIN32_LEAN_AND_MEAN
LIBS = -ladvapi32 -lntdll
ifdef MSYSTEM
CC := gcc
CPPFLAGS_SYSTEM += $(shell pkg-config --cflags $(PKGS))
LIBS := $(shell pkg-config --libs $(PKGS)) -liberty $(LIBS)
else
MINGW := x86_64-w64-mingw32-
CC := $(MINGW)gcc
AR := $(MINGW)ar
# The last one: windows.h includes all vector instructions of x86, which nothing here uses, and would take five times as long.
CPPFLAGS_SYSTEM += -isystem $(DEPENDENCIES)/include -DLIBXML_STATIC -D_X86INTRIN_H_INCLUDED
LDFLAGS += -static -L$(DEPENDENCIES)/lib
LIBS := -linih -ljansson -lxml2 -lzip -lz -lnettle -lzstd -lsqlite3 -liberty $(LIBS)
endif
endif
CPPFLAGS_ALL = -Isrc -DSTAGETRACE_VERSION='"$(VERSION)"' -DSTAGETRACE_RELEASED='"$(RELEASED)"' $(CPPFLAGS_SYSTEM)
COMPILE = $(CC) $(STD) $(CFLAGS) $(SANFLAGS) $(CPPFLAGS_ALL) $(ABOUT) $(CPPFLAGS) -MMD -MP

# Executables of Linux are read with libelf and libdw, which exist only there. On other systems without_elf.c and
# compiler_file_pdb.c take the place of these files.
WITHOUT_ELF_SOURCES := src/symbol/elf/without_elf.c src/record/compiler_file_pdb.c
ELF_SOURCES := $(filter-out $(WITHOUT_ELF_SOURCES),$(wildcard src/symbol/elf/*.c)) src/record/compiler_file_elf.c
NOT_FOR_posix := src/platform/windows/% $(WITHOUT_ELF_SOURCES)
NOT_FOR_windows := src/platform/posix/% $(ELF_SOURCES)

SOURCES := $(filter-out $(NOT_FOR_$(SYSTEM)),$(shell find src -name '*.c' | LC_ALL=C sort))
# The rules of profiles/rustc.stacktags are in the program, as bytes.
BUILTIN := $(B)/src/analysis/builtin_stack_tags
# So are the scripts and the style of reports, one after the other.
PAGE := $(B)/src/report/builtin_page
PAGE_SCRIPTS := $(sort $(wildcard src/report/page/*.js))
PAGE_STYLES := $(sort $(wildcard src/report/page/*.css))
OBJECTS := $(SOURCES:%.c=$(B)/%.o) $(BUILTIN).o $(PAGE).o
LIB_OBJECTS := $(filter-out $(B)/src/cli/main.o,$(OBJECTS))
UNIT_SOURCES := $(wildcard tests/unit/test_*.c tests/unit/$(SYSTEM)/test_*.c)
UNIT := $(UNIT_SOURCES:%.c=$(B)/%$(EXE))
# What unit tests share: made-up traces, events as text.
SUPPORT := $(patsubst %.c,$(B)/%.o,$(wildcard tests/support/*.c))
TOOL_SOURCES := $(wildcard tests/tools/*.c)
TOOLS := $(if $(EXE),,$(TOOL_SOURCES:%.c=$(B)/%))
KILL_AT := $(if $(EXE),,$(B)/tests/tools/kill-at.so)
# A stand-in for libcurl: see there.
CURL := $(if $(EXE),,$(B)/tests/tools/curl/libcurl.so.4)
# Stand-ins for Microsoft's tools, for Linux and for Windows: these programs, and what they share.
WPT := $(addprefix $(B)/tests/tools/wpt/,wpr$(EXE) xperf$(EXE) wpa$(EXE))
WPR_RECORD := $(B)/tests/tools/wpt/wpr_record.o
OLD_WPA := $(if $(EXE),$(B)/tests/tools/wpt/wpa-old$(EXE))
WPT_SHARED := $(patsubst %.c,$(B)/%.o,$(filter-out %/wpr.c %/wpr_record.c %/xperf.c %/wpa.c,$(wildcard tests/tools/wpt/*.c)))
# What a build on Windows runs, and what kills a recording, for the tests under Wine.
WINE_TOOLS := $(addprefix build/windows/tests/tools/,rust-tree.exe kill-at.exe)
FUZZERS := $(patsubst %.c,build/%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_SECONDS ?= 60

.PHONY: all demo test check setup setup-demo setup-windows windows windows-libraries windows-standins windows-tests dist install \
	format golden data fuzz fuzzers clean tests setup-deb deb uninstall FORCE
.DELETE_ON_ERROR:
.SECONDARY:

all: $(B)/stagetrace$(EXE)

$(B)/stagetrace$(EXE): $(B)/src/cli/main.o $(if $(EXE),$(B)/src/platform/windows/stagetrace.o) $(B)/libstagetrace.a
	@echo "  LD $@"
	$Q$(CC) $(CFLAGS) $(SANFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

# --version shows what differs from build to build: main.o alone has it, so that a commit links no test anew.
FEATURES := elf $(if $(EXE),no,yes)$(COMMA) pdb yes$(COMMA) zstd yes$(if $(SAN),$(COMMA) sanitizers yes)
$(B)/src/cli/main.o: ABOUT = -DSTAGETRACE_COMMIT='"$(shell cat $(B)/commit)"' -DSTAGETRACE_FEATURES='"$(FEATURES)"'
$(B)/src/cli/main.o: $(B)/commit

$(B)/commit: FORCE
	@mkdir -p $(@D)
	@src/packaging/commit.sh >$@.new && if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

$(B)/libstagetrace.a: $(LIB_OBJECTS)
	@rm -f $@
	$Q$(AR) rcs $@ $^

$(B)/src/platform/windows/%.o: src/platform/windows/%.rc src/platform/windows/%.manifest
	@mkdir -p $(@D)
	@echo "  RC $<"
	$Q$(MINGW)windres -I $(<D) -o $@ $<

# POSIX calls live in platform/posix alone: everywhere else -std=c11 hides them.
$(B)/src/platform/posix/%.o: src/platform/posix/%.c
	@mkdir -p $(@D)
	@echo "  CC $<"
	$Q$(COMPILE) -D_GNU_SOURCE -c -o $@ $<

$(B)/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC $<"
	$Q$(COMPILE) -c -o $@ $<

$(BUILTIN).c: profiles/rustc.stacktags
	@mkdir -p $(@D)
	@{ echo '#include "analysis/builtin_stack_tags.h"'; echo 'const char builtin_stack_tags[] = {'; \
		od -An -v -tu1 $< | sed 's/\([0-9][0-9]*\)/\1,/g'; \
		echo '};'; echo 'const size_t builtin_stack_tags_length = sizeof(builtin_stack_tags);'; } >$@

$(BUILTIN).o: $(BUILTIN).c
	@echo "  CC $<"
	$Q$(COMPILE) -c -o $@ $<

# $(call bytes_of,NAME,FILES): a C array of what the files have.
bytes_of = echo 'const char $(1)[] = {'; cat $(2) | od -An -v -tu1 | sed 's/\([0-9][0-9]*\)/(char)\1,/g'; \
	echo '};'; echo 'const size_t $(1)_length = sizeof($(1));'

$(PAGE).c: $(PAGE_SCRIPTS) $(PAGE_STYLES)
	@mkdir -p $(@D)
	@{ echo '#include "report/builtin_page.h"'; $(call bytes_of,builtin_page_script,$(PAGE_SCRIPTS)); \
		$(call bytes_of,builtin_page_style,$(PAGE_STYLES)); } >$@

$(PAGE).o: $(PAGE).c
	@echo "  CC $<"
	$Q$(COMPILE) -c -o $@ $<

$(B)/tests/%.o: tests/%.c
	@mkdir -p $(@D)
	@echo "  CC $<"
	$Q$(COMPILE) -Itests -c -o $@ $<

# A test runs once for each time it is compiled: without optimising, that takes a quarter.
$(B)/tests/unit/%.o: tests/unit/%.c
	@mkdir -p $(@D)
	@echo "  CC $<"
	$Q$(COMPILE) -O0 -Itests $(if $(findstring /posix/,$<),-D_GNU_SOURCE) -c -o $@ $<

$(B)/tests/unit/%$(EXE): $(B)/tests/unit/%.o $(SUPPORT) $(B)/libstagetrace.a
	@echo "  LD $@"
	$Q$(CC) $(CFLAGS) $(SANFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS) -lcmocka

# Tools use the program's own code; make-data writes the recordings in tests/data, see there.
$(TOOLS): %: %.o $(SUPPORT) $(B)/libstagetrace.a
	@echo "  LD $@"
	$Q$(CC) $(CFLAGS) $(SANFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(B)/tests/tools/%: tests/tools/%.c
	@mkdir -p $(@D)
	@echo "  CC $<"
	$Q$(CC) $(STD) $(CFLAGS) -D_GNU_SOURCE -o $@ $< -lpthread

# For LD_PRELOAD and LD_LIBRARY_PATH: see there.
$(KILL_AT): tests/tools/kill-at/preload.c
$(CURL): tests/tools/curl/libcurl.c
$(KILL_AT) $(CURL):
	@mkdir -p $(@D)
	@echo "  CC $@"
	$Q$(CC) $(STD) $(CFLAGS) -shared -fPIC -o $@ $<

$(WPT): $(B)/tests/tools/wpt/%$(EXE): $(B)/tests/tools/wpt/%.o $(WPT_SHARED) $(B)/libstagetrace.a
	@echo "  LD $@"
	$Q$(CC) $(CFLAGS) $(SANFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LIBS)

$(B)/tests/tools/wpt/wpr$(EXE): $(WPR_RECORD)

# The same program, with the version of an old one in its file.
$(B)/tests/tools/wpt/wpa-old$(EXE): $(B)/tests/tools/wpt/wpa.o $(B)/tests/tools/wpt/wpa-old.res.o $(WPT_SHARED) $(B)/libstagetrace.a
	@echo "  LD $@"
	$Q$(CC) $(CFLAGS) $(SANFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(B)/tests/tools/wpt/%.res.o: tests/tools/wpt/%.rc
	@mkdir -p $(@D)
	@echo "  RC $<"
	$Q$(MINGW)windres -o $@ $<

build/windows/tests/tools/rust-tree.exe: $(wildcard tests/tools/rust-tree/*.[ch])
build/windows/tests/tools/kill-at.exe: tests/tools/kill-at/kill-at.c
$(WINE_TOOLS):
	@mkdir -p $(@D)
	@echo "  CC $@"
	$Qx86_64-w64-mingw32-gcc $(STD) $(CFLAGS) -D_WIN32_WINNT=0x0A00 -DWIN32_LEAN_AND_MEAN -D__USE_MINGW_ANSI_STDIO=1 -municode \
		-static-libgcc -o $@ $(filter %.c,$^)

# The fuzzers are clang's: the library once more, instrumented, and one program each. What starts others is not in it, but
# the tracker is, which a journal may have written by anyone is given to. Neither is most of what no fuzzer reaches, a
# quarter of all: what writes profiles, pages, pictures and bundles. A fuzzer that reaches it is not linked. Not optimized they are
# compiled in a third of the time, which is most of a run of seconds; for hours use FUZZ_OPT=-O1. LLVM's linker takes a
# third of GNU's time.
FUZZ_OPT ?= -O0
FUZZ_COMPILE = clang -std=c11 -gline-tables-only $(FUZZ_OPT) -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined \
	$(CPPFLAGS_ALL) -MMD -MP
FUZZ_LINKER = $(eval FUZZ_LINKER := $(if $(shell command -v ld.lld),-fuse-ld=lld))$(FUZZ_LINKER)
NOT_FUZZED := cli/% record/% convert/% profiler/etw/% profiler/perf.c profiler/profiler.c rundir/bundle% rundir/open_script.c \
	rundir/wpa_profile.c rundir/zip_target.c replay/%_run.c replay/keep_% platform/posix/proc_% platform/posix/launch.c \
	compare/joined_% compare/verdicts.c analysis/timeline.c analysis/series.c $(addprefix report/,call_% chrome.c compare_% \
	export_format.c firefox.c fit_view.c flamegraph.c json_out.c page% perfetto.c pprof.c processes_view.c profile.c \
	proto_out.c regions_view.c speedscope.c symbols_view.c system_view.c timeline_%)
FUZZ_OBJECTS := $(patsubst %.c,build/fuzz/%.o,$(filter-out $(NOT_FUZZED:%=src/%),$(SOURCES)) src/record/tracker.c) $(BUILTIN).o

build/fuzz/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC $@"
	$Q$(FUZZ_COMPILE) $(if $(findstring /posix/,$<),-D_GNU_SOURCE) -c -o $@ $<

build/fuzz/libstagetrace.a: $(FUZZ_OBJECTS)
	@rm -f $@
	$Q$(AR) rcs $@ $^

build/tests/fuzz/%: tests/fuzz/%.c build/fuzz/libstagetrace.a
	@mkdir -p $(@D)
	@echo "  LD $@"
	$Qclang -std=c11 -gline-tables-only $(FUZZ_OPT) -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
		$(FUZZ_LINKER) -D_GNU_SOURCE $(CPPFLAGS_ALL) -o $@ $^ $(LIBS)

tests: all $(UNIT) $(TOOLS) $(KILL_AT) $(CURL) $(WPT)

windows-standins: $(WPT) $(OLD_WPA) $(WINE_TOOLS)

windows: setup-windows
	@$(WINDOWS_LIBRARIES)
	@$(MAKE) --no-print-directory SYSTEM=windows all

windows-tests: windows
	@$(MAKE) --no-print-directory SYSTEM=windows tests windows-standins

dist: windows
	@src/packaging/windows/dist.sh build/windows/stagetrace.exe $(VERSION) build/windows

setup:
	@tests/tools/setup.sh build test

# Of these Debian has the sources alone. Without them `make test` says what it skips.
windows-libraries:
	@! command -v x86_64-w64-mingw32-gcc >/dev/null || $(WINDOWS_LIBRARIES) || true

setup-deb:
	@tests/tools/setup.sh build deb

setup-demo:
	@tests/tools/setup.sh build demo

setup-windows:
	@tests/tools/setup.sh windows

demo: setup-demo
	@$(MAKE) --no-print-directory all
	@tests/tools/demo.sh $(B)/stagetrace

# The libraries take a download and one large file: meanwhile there is a processor for the program.
test: setup
	@$(MAKE) --no-print-directory windows-libraries tests
	@BUILD="$(MAKE) --no-print-directory" B=$(B) tests/run.sh all

check: tests
	@B=$(B) tests/run.sh check

golden: tests
	@B=$(B) tests/run.sh golden

data: $(B)/tests/tools/make-data
	$< tests/data

fuzzers: $(FUZZERS)

fuzz: fuzzers
	@FUZZ_SECONDS=$(FUZZ_SECONDS) tests/fuzz/run.sh $(FUZZERS)

deb: setup-deb
	@src/packaging/deb.sh $(VERSION) build

# What install makes below PREFIX, and uninstall removes: DATA keeps its path below share/stagetrace, TEXTS theirs
# below share/doc/stagetrace.
DATA := $(filter-out configs/demo.ini,$(wildcard configs/*.ini)) $(wildcard profiles/*)
TEXTS := README.md CHANGELOG.md CONTRIBUTING.md LICENSE LICENSE-APACHE LICENSE-MIT $(wildcard docs/*.md docs/*.svg docs/*.png)
EXAMPLES := share/doc/stagetrace/examples
MAN := share/man/man1/stagetrace.1
COMPLETION_bash := share/bash-completion/completions/stagetrace
# Debian's zsh reads the other directory of packages (src/packaging/debian/rules).
ZSH_DIR := share/zsh/site-functions
COMPLETION_zsh := $(ZSH_DIR)/_stagetrace
COMPLETION_fish := share/fish/vendor_completions.d/stagetrace.fish
SHELLS := bash zsh fish
INSTALLED := bin/stagetrace$(EXE) $(DATA:%=share/stagetrace/%) $(TEXTS:%=share/doc/stagetrace/%) $(EXAMPLES) $(MAN) $(foreach shell,$(SHELLS),$(COMPLETION_$(shell)))
OWN_DIRS := $(addprefix share/,stagetrace/configs stagetrace/profiles stagetrace doc/stagetrace/docs doc/stagetrace)
TO := $(DESTDIR)$(PREFIX)

install: all
	install -D -m 755 $(B)/stagetrace$(EXE) $(TO)/bin/stagetrace$(EXE)
	for file in $(DATA); do install -D -m 644 $$file $(TO)/share/stagetrace/$$file || exit 1; done
	for file in $(TEXTS); do install -D -m 644 $$file $(TO)/share/doc/stagetrace/$$file || exit 1; done
	ln -sfn ../../stagetrace/configs $(TO)/$(EXAMPLES)
	install -d $(dir $(TO)/$(MAN)) $(foreach shell,$(SHELLS),$(dir $(TO)/$(COMPLETION_$(shell))))
	$(B)/stagetrace help --man --prefix $(PREFIX) >$(TO)/$(MAN)
	$(B)/stagetrace help --bash-completion >$(TO)/$(COMPLETION_bash)
	$(B)/stagetrace help --zsh-completion >$(TO)/$(COMPLETION_zsh)
	$(B)/stagetrace help --fish-completion >$(TO)/$(COMPLETION_fish)

# Directories that others use too stay, and so do those of ours with files that are not.
uninstall:
	rm -f $(INSTALLED:%=$(TO)/%)
	for dir in $(OWN_DIRS:%=$(TO)/%); do rmdir $$dir 2>/dev/null || true; done

format:
	clang-format -i $(shell find src tests -name '*.[ch]')

clean:
	rm -rf build

-include $(OBJECTS:.o=.d) $(UNIT:%$(EXE)=%.d) $(SUPPORT:.o=.d) $(TOOLS:%$(EXE)=%.d) $(WPT:%$(EXE)=%.d) $(WPR_RECORD:.o=.d) $(WPT_SHARED:.o=.d) $(FUZZ_OBJECTS:.o=.d)
