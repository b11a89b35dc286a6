#!/usr/bin/env python3
"""Check a .wpaProfile as far as the Windows Performance Analyzer depends on it.

    check-wpa-profile.py FILE [TABLES]

Without TABLES: structure, attributes, the places of the four bars, priorities of sorting, files that it refers to.
With TABLES (wpa-table-columns.txt: tables and columns that occur in public profiles) also: each graph is a known
table, each column and metadata entry is one of its table by id and by name, each query asks only for columns of its
table, with operators that WPA has.
Prints the mistakes; exit code 1 if there are any.
"""
import os
import re
import sys
import xml.etree.ElementTree as ElementTree

NAMESPACE = "{http://tempuri.org/SerializableElement.xsd}"
TYPE = "{http://www.w3.org/2001/XMLSchema-instance}type"
GUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
BARS = ["LeftFrozenColumnCount", "KeyColumnCount", "RightFrozenColumnCount", "GraphColumnCount"]
MONIKERS = {"StackFrameTag.{67F56EBD-2E82-493B-BF4F-712A1D0F018B}", "Regions.{51EF6868-EFEC-42A3-B284-1838673CC095}"}
VALUES = {
    "LayoutStyle": {"All", "DataTable", "GraphAndLegend"},
    "GraphChartType": {"Line", "StackedLine", "StackedBars", "StateDiagram", "PointInTime", "Flame"},
    "AggregationOverTime": {"Current", "Rate", "Cumulative", "Outstanding", "OutstandingPeak"},
    "ColumnMetadata": {"StartTime", "EndTime", "Duration", "ResourceId", "EndThreadId", "WaitStartTime", "WaitEndTime"},
    "AggregationMode": {"Sum", "Average", "Max", "Min", "Count", "UniqueCount", "Peak", "WeightedAverage"},
    "CellFormat": {"MB", "B", "sN", "mN", "uN", "nN", "x", "N2"},
    "SortOrder": {"Ascending", "Descending"},
    "Mode": {"StackTag", "FrameTags"},
}
OPERATOR = r":(?:=|<>|~=|~<|~>|~!|\*|&=|<=|>=|<|>)"
TERM = r"\(*(?:NOT )?\(*\[[^][]+\]" + OPERATOR + r'(?:"[^"]*"|[A-Za-z0-9]+)\)*'
QUERY = re.compile(TERM + r"(?: (?:AND|OR) " + TERM + r")*")
TABS = ["rustc Build Processes", "rustc Build Process Tree", "rustc CPU Analysis", "rustc Memory Analysis",
        "rustc Heap Analysis"]
# The tables of heaps are not in that list: as two public profiles have them (microsoft/MSO-Scripts, google/UIforETW).
HEAP_TABLES = {
    "1a64d983-f796-45f8-aa64-ac50b95d0e45": {
        "06155709-500b-4182-8944-29665014b5c2": {"Process"}, "759dc840-5079-49db-bae0-3c54e553b7fd": {"Stack"},
        "514a6402-4276-405d-9a46-f8a583089c38": {"AllocTime"}, "859cecc2-100a-4b55-8756-5b83df7e5a93": {"FreeTime"},
        "fe123e27-eca6-461a-9a1b-b98056a84feb": {"Type"}, "27654de6-995a-4162-a6a6-6dfacb4fa316": {"Handle"},
        "62f5e535-a192-475d-8d4d-a725b8a160bd": {"Count"}, "29a4dfc2-cd62-4de8-85c3-f580af6a47dd": {"Size"},
        "642a8591-f858-4345-b7fa-99e8e4567cca": {"Impacting Size"},
    },
    "463048cb-2f2b-480d-8e94-a54f3fd88080": {
        "c636d2f3-9150-4f99-8f85-a42047541ed0": {"Process"}, "991604fa-45ec-45c8-825d-0504766a93ad": {"PID"},
        "bd2378bf-dd18-4d0a-9678-ca787e1299f9": {"Instance"}, "e33da178-a863-4a38-975e-2562eccb8656": {"Stack"},
        "cea6c387-e307-4b03-83e7-0ba97cc74336": {"Heap Handle"}, "33021112-f392-4640-abe8-92e47804554e": {"Allocation Address"},
        "0bde4a08-6a88-4562-bd65-390626884bf7": {"Count"}, "555b3fb9-3e48-442c-a1f6-53cd48fcecf5": {"Snap Time"},
        "fdb0371a-7d64-47e7-8012-12d41db815eb": {"Size"},
    },
}


def read_tables(path):
    """Table id to its name and columns; a column id may go by several names."""
    tables, columns = {}, {}
    for line in open(path, encoding="utf-8"):
        head = re.match(r"\[([0-9a-f-]{36})\] ", line)
        row = re.match(r"([0-9a-f-]{36}) \|[^|]*\|[^|]*\| (.*)", line)
        if head:
            columns = tables.setdefault(head.group(1), {})
        elif row:
            name, also = re.fullmatch(r"(.*?)(?: \(also: (.*)\))?", row.group(2)).groups()
            columns[row.group(1)] = {name} | set((also or "").split("; ")) - {""}
    return {**HEAP_TABLES, **tables}


class Checker:
    def __init__(self, tables):
        self.tables, self.problems = tables, []

    def say(self, where, fmt, *args):
        self.problems.append("%s: %s" % (where, fmt % args))

    def check_values(self, root):
        for node in root.iter():
            for key, allowed in VALUES.items():
                if node.get(key, next(iter(allowed))) not in allowed:
                    self.say(node.tag.replace(NAMESPACE, ""), "%s='%s'", key, node.get(key))
            if node.get("Guid") is not None and not GUID.fullmatch(node.get("Guid")):
                self.say(node.tag.replace(NAMESPACE, ""), "Guid='%s'", node.get("Guid"))

    def check_bars(self, name, preset, column_nr):
        try:
            left, key, right, graph = bars = [int(preset.get(bar)) for bar in BARS]
        except (TypeError, ValueError):
            self.say(name, "the places of the bars are not all given")
            return
        if len(set(bars)) != 4 or min(bars) < 0 or max(bars) > column_nr + 3:
            self.say(name, "bars at %s among %d columns and 4 bars", bars, column_nr)
        elif not left < right < graph or not key < graph:
            self.say(name, "bars in the wrong order: left %d, key %d, right %d, graph %d", left, key, right, graph)
        elif graph == column_nr + 3:
            self.say(name, "no column is drawn")

    def check_query(self, name, query, columns):
        if not QUERY.fullmatch(query):
            self.say(name, "query '%s' can't be read", query)
        names = set().union({"Series Name", "Series Depth"}, *columns.values()) if columns else set()
        for column in re.findall(r"\[([^][]+)\]" + OPERATOR, query):
            if columns and column not in names:
                self.say(name, "query asks for [%s], which the table lacks", column)

    def check_preset(self, graph, preset):
        name = preset.get("Name")
        columns = preset.find(NAMESPACE + "Columns")
        table = self.tables.get(graph.get("Guid"))
        if self.tables and table is None:
            self.say(name, "no known table has id %s", graph.get("Guid"))
        priorities = [column.get("SortPriority") for column in columns]
        if sorted(priorities, key=int) != [str(i) for i in range(len(columns))]:
            self.say(name, "priorities of sorting are %s", priorities)
        if sum(column.get("SortOrder") is not None for column in columns) < 1:
            self.say(name, "nothing is sorted")
        self.check_bars(name, preset, len(columns))
        for node in list(columns) + list(preset.find(NAMESPACE + "MetadataEntries")):
            if table and node.get("Name") not in table.get(node.get("Guid"), ()):
                self.say(name, "no column %s is named '%s'", node.get("Guid"), node.get("Name"))
        ids = {column.get("Guid") for column in columns} | (set(table) if table else set())
        for node in preset.iter():
            for key in ("GraphFilterColumnGuid", "TimeStampColumnGuid"):
                if table and node.get(key, columns[0].get("Guid")) not in ids:
                    self.say(name, "%s is no column of the table", key)
        for key in ("InitialFilterQuery", "InitialExpansionQuery", "InitialSelectionQuery"):
            if preset.get(key) is not None:
                self.check_query(name, preset.get(key), table)

    def check_views(self, views):
        kinds = [view.tag.replace(NAMESPACE, "") for view in views]
        if kinds != ["SysConfigView"] + ["View"] * len(TABS):
            self.say("views", "are %s", kinds)
        titles = [view.get("Title") for view in views.findall(NAMESPACE + "View")]
        if titles != TABS:
            self.say("views", "have the titles %s", titles)
        guids = [view.get("Guid") for view in views]
        if len(set(guids)) != len(guids):
            self.say("views", "two have the same id")
        for view in views.findall(NAMESPACE + "View"):
            if [index.text for index in view.findall("%sSessionIndices/*" % NAMESPACE)] != ["0"]:
                self.say(view.get("Title"), "session indices are not 0 alone")
            names = [preset.get("Name") for preset in view.iter(NAMESPACE + "Preset")]
            if len(set(names)) != len(names) or not names:
                self.say(view.get("Title"), "presets are named %s", names)
            for graph in view.iter(NAMESPACE + "Graph"):
                for preset in graph:
                    self.check_preset(graph, preset)

    def check(self, path):
        try:
            root = ElementTree.parse(path).getroot()
        except ElementTree.ParseError as error:
            self.say("xml", "not well-formed: %s", error)
            return
        content = root.find(NAMESPACE + "Content")
        if root.tag != NAMESPACE + "WpaProfileContainer" or root.get("Version") != "2" or \
                content is None or content.get(TYPE) != "WpaProfile2":
            self.say("root", "is no profile of version 2")
            return
        for reference in root.iter(NAMESPACE + "FileReference"):
            if not os.path.exists(os.path.join(os.path.dirname(path), reference.get("FileName"))):
                self.say("files", "'%s' is not next to the profile", reference.get("FileName"))
            if reference.get("ServiceMoniker") not in MONIKERS:
                self.say("files", "moniker %s", reference.get("ServiceMoniker"))
        self.check_values(root)
        self.check_views(content.find(NAMESPACE + "Views"))


def main():
    checker = Checker(read_tables(sys.argv[2]) if len(sys.argv) > 2 else {})
    checker.check(sys.argv[1])
    for problem in checker.problems:
        print("%s: %s" % (sys.argv[1], problem))
    sys.exit(1 if checker.problems else 0)


main()
