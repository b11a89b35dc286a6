# make            build/stagetrace
# make demo       set up what is missing, record a real two-stage build, print where the result is
# make test       set up what is missing, run everything
# make check      the fast part of the tests: headers, layers, sizes, unit, command line
# make windows    build/windows/stagetrace.exe, by mingw-w64; sets up what is missing
# make dist       build/windows/stagetrace-VERSION-windows.zip: the program, profiles, recipes, documentation
# make install    PREFIX=/usr/local DESTDIR=
# make format     clang-format over the sources
# make data       rewrite the recordings in tests/data, when their form or their maker changes
# make golden     rewrite the expected output of the command-line tests; review the diff
# make fuzz       build and run every fuzzer, FUZZ_SECONDS=60 each
# V=1             show the commands
# SAN=1           with AddressSanitizer and UBSan, in build/san
# SYSTEM=windows  what `make windows` calls the other targets with

VERSION := 0.1.0
PREFIX ?= /usr/local
Q := $(if $(V),,@)
# In a shell of MSYS2 the system is Windows, and its compiler and libraries are those of the shell.
SYSTEM ?= $(if $(MSYSTEM),windows,posix)
ifeq ($(SYSTEM),windows)
B := build/windows
EXE := .exe
else
B := build$(if $(SAN),/san)
EXE :=
endif
PKGS := inih jansson libzip nettle libzstd
ELF_PKGS := libelf libdw

CFLAGS ?= -O2 -g
STD := -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla \
	-Wwrite-strings -Wformat=2 $(if $(CI),-Werror)
COMMA := ,
SANFLAGS := $(if $(SAN),-fsanitize=address$(COMMA)undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)

ifneq ($(SYSTEM),windows)
CC ?= gcc
CPPFLAGS_SYSTEM = $(shell pkg-config --cflags $(PKGS) $(ELF_PKGS))
LIBS = $(shell pkg-config --libs $(PKGS) $(ELF_PKGS)) -liberty -lpthread -lm
else
# %zu and %lld are C's with the first, on all versions of msvcrt.dll; the second is Windows 10.
CPPFLAGS_SYSTEM = -D__USE_MINGW_ANSI_STDIO=1 -D_WIN32_WINNT=0x0A00
LIBS = -lbcrypt -ladvapi32 -lshell32 -lntdll
ifdef MSYSTEM
CC := gcc
CPPFLAGS_SYSTEM += $(shell pkg-config --cflags $(PKGS))
LIBS := $(shell pkg-config --libs $(PKGS)) -liberty $(LIBS)
else
MINGW := x86_64-w64-mingw32-
DEPENDENCIES := build/windows/dependencies
CC := $(MINGW)gcc
AR := $(MINGW)ar
CPPFLAGS_SYSTEM += -isystem $(DEPENDENCIES)/include
LDFLAGS += -static -L$(DEPENDENCIES)/lib
LIBS := -linih -ljansson -lzip -lz -lnettle -lzstd -liberty $(LIBS)
endif
endif
CPPFLAGS_ALL = -Isrc -DSTAGETRACE_VERSION='"$(VERSION)"' $(CPPFLAGS_SYSTEM)
COMPILE = $(CC) $(STD) $(CFLAGS) $(SANFLAGS) $(CPPFLAGS_ALL) $(CPPFLAGS) -MMD -MP

# Executables of Linux are read with libelf and libdw, which are there alone. The other systems' files answer in
# their place.
ELF_SOURCES := $(addprefix src/symbol/,cfi.c cfi_expr.c debug_files.c elf_file.c elf_module.c elf_symbols.c \
	source_lines.c) src/record/compiler_file_elf.c
WITHOUT_ELF_SOURCES := src/symbol/without_elf.c src/record/compiler_file_pdb.c
NOT_FOR_posix := src/platform/windows/% $(WITHOUT_ELF_SOURCES)
NOT_FOR_windows := src/platform/posix/% $(ELF_SOURCES)

SOURCES := $(filter-out $(NOT_FOR_$(SYSTEM)),$(shell find src -name '*.c' | LC_ALL=C sort))
OBJECTS := $(SOURCES:%.c=$(B)/%.o)
LIB_OBJECTS := $(filter-out $(B)/src/cli/main.o,$(OBJECTS))
UNIT_SOURCES := $(wildcard tests/unit/test_*.c tests/unit/$(SYSTEM)/test_*.c)
UNIT := $(UNIT_SOURCES:%.c=$(B)/%$(EXE))
# What unit tests share: made-up traces, events as text.
SUPPORT := $(patsubst %.c,$(B)/%.o,$(wildcard tests/support/*.c))
TOOL_SOURCES := $(wildcard tests/tools/*.c)
TOOLS := $(if $(EXE),,$(TOOL_SOURCES:%.c=$(B)/%))
# Stand-ins for Microsoft's tools, for Linux and for Windows: these programs, of their own source and the others.
WPT_WINDOWS := $(addprefix build/windows/tests/tools/wpt/,wpr.exe xperf.exe wpa.exe)
WPT := $(if $(EXE),$(WPT_WINDOWS),$(addprefix $(B)/tests/tools/wpt/,wpr xperf wpa))
WPT_HEADERS := $(wildcard tests/tools/wpt/*.h)
WPT_SHARED := $(filter-out %/wpr.c %/wpr_record.c %/xperf.c %/wpa.c,$(wildcard tests/tools/wpt/*.c)) \
	$(addprefix src/util/,alloc.c strbuf.c strvec.c text.c utf8.c) \
	$(addprefix src/convert/,etl_events.c etl_writer.c xpress_huffman.c xpress_match.c xpress_pack.c)
# What a build on Windows runs, and what kills a recording, for the tests under Wine.
WINE_TOOLS := $(addprefix build/windows/tests/tools/,rust-tree.exe kill-at.exe)
WPT_COMPILE = $(STD) $(CFLAGS) -Isrc -Itests
FUZZERS := $(patsubst %.c,build/%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_SECONDS ?= 60

.PHONY: all demo test check unit cli e2e setup setup-demo setup-windows windows windows-standins windows-tests dist install \
	format golden data fuzz fuzzers clean tests lint
.DELETE_ON_ERROR:
.SECONDARY:

all: $(B)/stagetrace$(EXE)

$(B)/stagetrace$(EXE): $(B)/src/cli/main.o $(if $(EXE),$(B)/windows/stagetrace.o) $(B)/libstagetrace.a
	@echo "  LD $@"
	$Q$(CC) $(CFLAGS) $(SANFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(B)/libstagetrace.a: $(LIB_OBJECTS)
	@rm -f $@
	$Q$(AR) rcs $@ $^

$(B)/windows/%.o: windows/%.rc windows/%.manifest
	@mkdir -p $(@D)
	@echo "  RC $<"
	$Q$(MINGW)windres -I windows -o $@ $<

# POSIX calls live in platform/posix alone: everywhere else -std=c11 hides them.
$(B)/src/platform/posix/%.o: src/platform/posix/%.c
	@mkdir -p $(@D)
	@echo "  CC $<"
	$Q$(COMPILE) -D_GNU_SOURCE -c -o $@ $<

$(B)/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC $<"
	$Q$(COMPILE) -c -o $@ $<

$(B)/tests/%.o: tests/%.c
	@mkdir -p $(@D)
	@echo "  CC $<"
	$Q$(COMPILE) -Itests -c -o $@ $<

$(B)/tests/unit/posix/%.o: tests/unit/posix/%.c
	@mkdir -p $(@D)
	@echo "  CC $<"
	$Q$(COMPILE) -Itests -D_GNU_SOURCE -c -o $@ $<

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

# One command each: they share no objects with stagetrace, and have no library.
$(B)/tests/tools/wpt/%: tests/tools/wpt/%.c $(WPT_SHARED) $(WPT_HEADERS)
	@mkdir -p $(@D)
	@echo "  CC $@"
	$Q$(CC) $(WPT_COMPILE) -o $@ $(filter %.c,$^) -lm

build/windows/tests/tools/wpt/%.exe: tests/tools/wpt/%.c $(WPT_SHARED) $(WPT_HEADERS)
	@mkdir -p $(@D)
	@echo "  CC $@"
	$Qx86_64-w64-mingw32-gcc $(WPT_COMPILE) -D__USE_MINGW_ANSI_STDIO=1 -static-libgcc -o $@ \
		$(filter %.c,$^) -ladvapi32 -lshell32

$(B)/tests/tools/wpt/wpr build/windows/tests/tools/wpt/wpr.exe: tests/tools/wpt/wpr_record.c

build/windows/tests/tools/rust-tree.exe: $(wildcard tests/tools/rust-tree/*.[ch])
build/windows/tests/tools/kill-at.exe: $(wildcard tests/tools/kill-at/*.c)
$(WINE_TOOLS):
	@mkdir -p $(@D)
	@echo "  CC $@"
	$Qx86_64-w64-mingw32-gcc $(STD) $(CFLAGS) -D_WIN32_WINNT=0x0A00 -D__USE_MINGW_ANSI_STDIO=1 -municode \
		-static-libgcc -o $@ $(filter %.c,$^)

# The fuzzers are clang's: the library once more, instrumented, and one program each.
FUZZ_COMPILE = clang -std=c11 -g -O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined \
	$(CPPFLAGS_ALL) -MMD -MP
FUZZ_OBJECTS := $(patsubst %.c,build/fuzz/%.o,$(filter-out src/cli/main.c,$(SOURCES)))

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
	$Qclang -std=c11 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
		-D_GNU_SOURCE $(CPPFLAGS_ALL) -o $@ $^ $(LIBS)

tests: all $(UNIT) $(TOOLS) $(WPT)

windows-standins: $(WPT_WINDOWS) $(WINE_TOOLS)

windows: setup-windows
	@windows/dependencies.sh build/windows/dependencies
	@$(MAKE) --no-print-directory SYSTEM=windows all

windows-tests: windows
	@$(MAKE) --no-print-directory SYSTEM=windows tests windows-standins

dist: windows
	@windows/dist.sh build/windows/stagetrace.exe $(VERSION) build/windows

setup:
	@tests/tools/setup.sh build test

setup-demo:
	@tests/tools/setup.sh build demo

setup-windows:
	@tests/tools/setup.sh windows

demo: setup-demo
	@$(MAKE) --no-print-directory all
	@tests/tools/demo.sh $(B)/stagetrace

test: setup
	@$(MAKE) --no-print-directory tests
	@if command -v clang >/dev/null; then $(MAKE) --no-print-directory fuzzers; fi
	@if command -v x86_64-w64-mingw32-gcc >/dev/null; then \
		$(MAKE) --no-print-directory windows-tests || rm -f build/windows/stagetrace.exe; fi
	@B=$(B) tests/run.sh all

check: tests
	@B=$(B) tests/run.sh check

golden: tests
	@B=$(B) tests/run.sh golden

data: $(B)/tests/tools/make-data
	$< tests/data

fuzzers: $(FUZZERS)

fuzz: fuzzers
	@FUZZ_SECONDS=$(FUZZ_SECONDS) tests/fuzz/run.sh $(FUZZERS)

install: all
	install -D -m 755 $(B)/stagetrace $(DESTDIR)$(PREFIX)/bin/stagetrace
	install -d $(DESTDIR)$(PREFIX)/share/stagetrace/configs $(DESTDIR)$(PREFIX)/share/stagetrace/profiles
	install -m 644 $(filter-out configs/demo.ini,$(wildcard configs/*.ini)) $(DESTDIR)$(PREFIX)/share/stagetrace/configs
	install -m 644 profiles/* $(DESTDIR)$(PREFIX)/share/stagetrace/profiles
	install -d $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/bash-completion/completions
	$(B)/stagetrace help --man >$(DESTDIR)$(PREFIX)/share/man/man1/stagetrace.1
	$(B)/stagetrace help --bash-completion \
		>$(DESTDIR)$(PREFIX)/share/bash-completion/completions/stagetrace

format:
	clang-format -i $(shell find src tests -name '*.[ch]')

clean:
	rm -rf build

-include $(OBJECTS:.o=.d) $(UNIT:%$(EXE)=%.d) $(SUPPORT:.o=.d) $(TOOLS:%$(EXE)=%.d) $(FUZZ_OBJECTS:.o=.d)
