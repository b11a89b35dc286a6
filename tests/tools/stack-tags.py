#!/usr/bin/env python3
"""Apply a file of stack tags (profiles/rustc.stacktags) by the rules in WPA's documentation.

    stack-tags.py check FILE...        check that it is a file of stack tags, with one condition per entry
    stack-tags.py names FILE LIST      check that each frame of LIST has the tag in LIST
    stack-tags.py share FILE <FOLDED   the share of each tag in folded stacks (stagetrace export)

Of a stack's frames, the tag with the highest priority is the stack's; of equal ones, the innermost frame's
(learn.microsoft.com, Windows Performance Toolkit, "Stack Tags"). `*` stands for any text.

LIST has lines of tag, module!function and where the name is from, with tabs between; "-" is no tag.
Exit code 1 if a check fails.
"""
import collections
import re
import sys
import xml.etree.ElementTree as ElementTree

# The forms of patterns that occur in public files; others may not work in WPA.
PATTERN = re.compile(r"\*?[^*]+\*?|[^*]+\*[^*]+|\*")


class Entry:
    def __init__(self, tag, priority, module, method):
        self.tag, self.priority, self.module, self.method = tag, priority, module, method
        self.module_re = glob(module)
        self.method_re = glob(method or "*")

    def matches(self, module, function):
        if module is None:
            # Folded stacks have no modules: an entry that has only a module cannot be matched.
            return self.method is not None and self.method_re.match(function)
        return self.module_re.match(module) and self.method_re.match(function)


def glob(pattern):
    return re.compile(".*".join(re.escape(part) for part in pattern.split("*")) + r"\Z", re.S)


def read_tags(node, path, entries, problems):
    names = set()
    for child in node:
        if child.tag == "Entrypoint":
            read_entry(child, path, node, entries, problems)
            continue
        name = child.get("Name", "")
        if child.tag != "Tag":
            problems.append("<%s> in tag '%s'" % (child.tag, path))
            continue
        if not name or name in names or "\\" in name:
            problems.append("tag '%s' has a tag named '%s' twice, without name, or with a backslash" % (path, name))
        names.add(name)
        if set(child.attrib) - {"Name", "Priority"}:
            problems.append("tag '%s' has attributes %s" % (name, sorted(child.attrib)))
        if not len(child):
            problems.append("tag '%s' is empty" % name)
        read_tags(child, (path + "\\" if path else "") + name, entries, problems)


def read_entry(node, path, parent, entries, problems):
    module, method = node.get("Module"), node.get("Method")
    try:
        priority = int(parent.get("Priority", "0"))
    except ValueError:
        problems.append("the priority of tag '%s' is no number" % path)
        priority = 0
    if not path or not module or set(node.attrib) - {"Module", "Method"} or len(node):
        problems.append("an entry of tag '%s' is not one of Module and Method" % path)
        return
    for pattern in [module] + ([method] if method is not None else []):
        if not PATTERN.fullmatch(pattern):
            problems.append("tag '%s': pattern '%s' is of no form that is known to work" % (path, pattern))
    entries.append(Entry(path, priority, module, method))


def read(path):
    entries, problems = [], []
    try:
        root = ElementTree.parse(path).getroot()
    except ElementTree.ParseError as error:
        return [], ["not well-formed: %s" % error]
    if root.tag != "Tag" or root.get("Name") != "":
        problems.append('the root is not <Tag Name="">')
    read_tags(root, "", entries, problems)
    seen = collections.Counter((entry.module, entry.method) for entry in entries)
    problems += ["%s!%s stands there %d times" % (key + (nr,)) for key, nr in seen.items() if nr > 1]
    return entries, problems


def frame_tags(entries, module, function):
    """The tags of a frame with the highest priority among those that match."""
    found = [entry for entry in entries if entry.matches(module, function)]
    best = max((entry.priority for entry in found), default=None)
    return best, {entry.tag for entry in found if entry.priority == best}


def check(paths):
    failed = False
    for path in paths:
        entries, problems = read(path)
        for problem in problems:
            print("%s: %s" % (path, problem))
        failed |= bool(problems) or not entries
    return failed


def names(path, list_path):
    entries, _ = read(path)
    failed, used = False, set()
    for nr, line in enumerate(open(list_path, encoding="utf-8"), 1):
        if line.startswith("#") or not line.strip():
            continue
        tag, frame, _ = line.rstrip("\n").split("\t")
        module, function = frame.split("!", 1)
        _, tags = frame_tags(entries, module, function)
        used |= tags
        if tags != (set() if tag == "-" else {tag}):
            print("%s:%d: %s has %s, not '%s'" % (list_path, nr, frame, sorted(tags) or "no tag", tag))
            failed = True
    for tag in sorted({entry.tag for entry in entries} - used):
        print("%s: no name in %s has tag '%s'" % (path, list_path, tag))
        failed = True
    return failed


def stack_tag(entries, frames, cache):
    best, tag = None, "-"
    for function in reversed(frames):
        if function not in cache:
            cache[function] = frame_tags(entries, None, function)
        priority, tags = cache[function]
        if priority is not None and (best is None or priority > best):
            best, tag = priority, sorted(tags)[0]
    return tag


def share(path):
    entries, _ = read(path)
    sums, cache = collections.Counter(), {}
    for line in sys.stdin:
        stack, weight = line.rstrip("\n").rsplit(" ", 1)
        sums[stack_tag(entries, stack.split(";"), cache)] += int(weight)
    total = sum(sums.values())
    for tag, weight in sums.most_common():
        print("%5.1f %%  %s" % (100 * weight / total, tag))
    return False


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("check", "names", "share"):
        sys.exit(__doc__)
    if sys.argv[1] == "check":
        failed = check(sys.argv[2:])
    elif sys.argv[1] == "names":
        failed = names(*sys.argv[2:4])
    else:
        failed = share(sys.argv[2])
    sys.exit(1 if failed else 0)


main()
