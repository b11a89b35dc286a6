#!/usr/bin/env python3
"""Check a recording profile by its schema, and by rules that the schema does not have.

    check-wprp.py FILE [SCHEMA]

Without SCHEMA: the additional rules. Ids are <Name>.<DetailLevel>.<LoggingMode>, each name has both levels
and both modes, references lead somewhere, collectors are ours, the buffers stand in one place, nothing records
context switches, and the verbose profiles have the stacks that they promise.
With SCHEMA (WPRControlProfiles.xsd): xmllint's answer. One pattern of the schema is of a dialect that libxml2 does
not know, and is replaced in a copy.
Prints the mistakes; exit code 1 if there are any.
"""
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

VARIANTS = {"RustcBootstrap": (True, True), "RustcCpu": (True, False), "RustcMemory": (False, True)}
BASE = {"ProcessThread", "Loader"}
CPU = {"SampledProfile"}
MEMORY = {"VirtualAllocation"}
MEMORY_STACKS = {"VirtualAllocation", "VirtualFree"}
UNWANTED = {"CSwitch", "ReadyThread", "SystemCall"}


def provider_values(profiles, node_id, group):
    """Keywords or stacks of a system provider, those of its base included."""
    node = profiles.find("SystemProvider[@Id='%s']" % node_id)
    base = node.get("Base")
    values = provider_values(profiles, base, group) if base else set()
    found = node.find(group + "s")
    if found is not None:
        if base and found.get("Operation") != "Add":
            values = set()
        values |= {child.get("Value") for child in found}
    return values


def check_profile(profiles, profile, problems):
    name, level, mode = (profile.get(key) for key in ("Name", "DetailLevel", "LoggingMode"))
    if profile.get("Id") != "%s.%s.%s" % (name, level, mode):
        problems.append("profile id '%s' is not <Name>.<DetailLevel>.<LoggingMode>" % profile.get("Id"))
    if name not in VARIANTS:
        problems.append("profile '%s' is not known to this test" % name)
        return
    if mode == "Memory":
        if profile.get("Base") != "%s.%s.File" % (name, level):
            problems.append("'%s' is not based on its File form" % profile.get("Id"))
        return
    provider = profile.find(".//SystemProviderId").get("Value")
    keywords, stacks = (provider_values(profiles, provider, group) for group in ("Keyword", "Stack"))
    cpu, memory = VARIANTS[name]
    wanted = BASE | (CPU if cpu else set()) | (MEMORY if memory else set())
    unwanted = UNWANTED | (set() if cpu else CPU) | (set() if memory else MEMORY)
    if wanted - keywords or unwanted & keywords:
        problems.append("'%s' has keywords %s" % (profile.get("Id"), sorted(keywords)))
    wanted = (CPU if cpu else set()) | (MEMORY_STACKS if memory else set()) if level == "Verbose" else set()
    if stacks != wanted:
        problems.append("'%s' has stacks %s" % (profile.get("Id"), sorted(stacks)))


def check(path):
    problems = []
    text = open(path, encoding="utf-8").read()
    profiles = ElementTree.fromstring(text.encode()).find("Profiles")
    ids = {node.get("Id") for node in profiles}
    for node in profiles.iter():
        for reference in [node.get("Base")] + ([node.get("Value")] if node.tag.endswith("Id") else []):
            if reference and reference not in ids:
                problems.append("<%s> refers to '%s', which is not there" % (node.tag, reference))
        if node.tag.endswith("Collector") and not node.get("Name").startswith("stagetrace "):
            problems.append("collector '%s' is not named as ours" % node.get("Name"))
    forms = {(p.get("Name"), p.get("DetailLevel"), p.get("LoggingMode")) for p in profiles.iter("Profile")}
    for name in VARIANTS:
        for form in [(name, level, mode) for level in ("Light", "Verbose") for mode in ("File", "Memory")]:
            if form not in forms:
                problems.append("there is no %s.%s.%s" % form)
    if not problems:
        for profile in profiles.iter("Profile"):
            check_profile(profiles, profile, problems)
    if len(re.findall(r"<SystemCollector ", text)) != 1 or not re.search(r'<Buffers Value="512"/>', text):
        problems.append("the recorder's buffers are not in one place")
    return problems


def validate(path, schema):
    text = open(schema, encoding="utf-8-sig").read()
    start = text.index("TransitionTagType", text.index('name="TransitionTagType"'))
    pattern = re.compile(r'<xs:pattern value="[^"]*"/>')
    text = text[:start] + pattern.sub('<xs:pattern value="[^/:*]+"/>', text[start:], count=1)
    with tempfile.NamedTemporaryFile("w", suffix=".xsd", encoding="utf-8") as copy:
        copy.write(text)
        copy.flush()
        done = subprocess.run(["xmllint", "--noout", "--schema", copy.name, path], capture_output=True, text=True)
    return done.stderr.splitlines() if done.returncode else []


def main():
    found = validate(*sys.argv[1:3]) if len(sys.argv) > 2 else check(sys.argv[1])
    for problem in found:
        print("%s: %s" % (sys.argv[1], problem))
    sys.exit(1 if found else 0)


main()
