/*
 * Stack tags: rules that say by its functions what a stack is about, from a file of the Windows Performance Analyzer
 * (profiles/rustc.stacktags). One file is for WPA and for the views of this program.
 *
 *     <Tag Name=""><Tag Name="LLVM"><Tag Name="other" Priority="10">
 *       <Entrypoint Module="*" Method="llvm::*"/>
 *
 * A stack has the tag of the highest priority among its functions; of equal ones, that of the innermost function. `*` is
 * any text; modules are compared without case. A rule without Method is for all functions of its module. Format and rules:
 * learn.microsoft.com, Windows Performance Toolkit, "Stack Tags".
 *
 * Rules name modules as on Windows. Here a module of Linux is also known by that name: "librustc_driver-1.so" is
 * rustc_driver-1.dll, "libLLVM.so.19.1" is LLVM.dll, "ld.lld" is ld.lld.exe.
 */
#ifndef ANALYSIS_STACK_TAGS_H
#define ANALYSIS_STACK_TAGS_H

#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

struct stack_tags;

#define STACK_TAG_NONE UINT32_MAX

/* Files have some 20 KB; larger ones are refused, and so are files with entities or another DTD. */
#define STACK_TAGS_MAX ((size_t)1 << 20)

/* Read the rules of a file's text; `name` is that of the file, for messages. ERR_CORRUPT, with the line. */
int stack_tags_read(const char *text, size_t len, const char *name, struct stack_tags **tags,
		    struct err *err);

/* The rules of profiles/rustc.stacktags, which are in the program. */
struct stack_tags *stack_tags_builtin(void);

void stack_tags_free(struct stack_tags *tags);

/* Tags are numbered from 0. The name has those of the tags around it: "LLVM: other". */
size_t stack_tags_nr(const struct stack_tags *tags);
const char *stack_tags_name(const struct stack_tags *tags, uint32_t tag);

/* The tag of a function of a module; of several with one priority the first in the file. STACK_TAG_NONE: it has none. */
uint32_t stack_tags_find(const struct stack_tags *tags, const char *module, const char *function);

/* The tag of a stack, from that of its callers' stack and that of its innermost function. */
uint32_t stack_tags_join(const struct stack_tags *tags, uint32_t callers, uint32_t innermost);

#endif
