#!/usr/bin/python3
"""Read what `compare --format` wrote as other programs do.

usage: check-compare-formats.py DIRECTORY

DIRECTORY has junit.xml, bencher.json, perfherder.txt, metrics.prom, rustc-perf.json, github.txt and comment.md. OpenMetrics is read
by prometheus_client's strict parser; the limits of the other formats are those that their makers name
(src/report/compare_trackers.c, compare_markdown.c, compare_junit.c).
"""
import json
import re
import sys
import xml.etree.ElementTree as xml

from prometheus_client.openmetrics.parser import text_string_to_metric_families


def read(name):
    with open(f'{sys.argv[1]}/{name}', encoding='utf-8', newline='') as file:
        return file.read()


def unique(pairs):
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), 'a key is there twice'
    return dict(pairs)


def check_junit():
    suite = xml.fromstring(read('junit.xml')).find('testsuite')
    cases = suite.findall('testcase')
    assert int(suite.get('tests')) == len(cases) > 0
    for attribute, element in ('failures', 'failure'), ('errors', 'error'), ('skipped', 'skipped'):
        found = [case for case in cases if case.find(element) is not None]
        assert int(suite.get(attribute)) == len(found), attribute
    names = [(case.get('classname'), case.get('name')) for case in cases]
    assert len(names) == len(set(names)), 'a test is there twice'


def check_bencher():
    rows = json.loads(read('bencher.json'), object_pairs_hook=unique)
    assert len(rows) > 1
    for name, measures in rows.items():
        assert 0 < len(name.encode()) <= 1024
        for measure, values in measures.items():
            assert 0 < len(measure) <= 64
            assert values.get('lower_value', 0) <= values['value'] <= values.get('upper_value', values['value'])


def check_perfherder():
    lines = read('perfherder.txt').splitlines()
    assert len(lines) == 1, 'it is one line of a log'
    data = json.loads(re.match(r'PERFHERDER_DATA:\s+({.*})$', lines[0]).group(1))
    assert data['framework']['name'] == 'build_metrics'
    for suite in data['suites']:
        assert suite['subtests']
        names = [test['name'] for test in suite['subtests']]
        assert len(names) == len(set(names)), 'a subtest is there twice'
        for test in [suite] + suite['subtests']:
            assert len(test['name']) <= 80 and len(test['unit']) <= 20 and abs(test['value']) <= 1e12


def check_openmetrics():
    families = list(text_string_to_metric_families(read('metrics.prom')))
    assert len(families) == 10
    assert all(family.type == 'gauge' and family.unit in ('bytes', 'seconds') for family in families)
    seen = [(sample.name, tuple(sorted(sample.labels.items()))) for family in families for sample in family.samples]
    assert len(seen) == len(set(seen)) > 20, 'a sample is there twice'


def check_rustc_perf():
    data = json.loads(read('rustc-perf.json'), object_pairs_hook=unique)
    assert data['bootstrap'] and all(value >= 1e9 for value in data['bootstrap'].values())
    assert data['bootstrap_total'] >= max(data['bootstrap'].values())


def check_github():
    lines = read('github.txt').splitlines()
    kinds = [re.fullmatch(r'::(error|warning|notice) title=[^:,\r\n]*::[^\r\n]*', line).group(1) for line in lines]
    assert kinds and all(kinds.count(kind) <= 10 for kind in kinds)


def check_markdown():
    text = read('comment.md')
    assert len(text) <= 65536
    bare = re.sub(r'<code>[^<>`|@\[\]*]*</code>', '', text)
    assert '<' not in bare and '@' not in bare and '`' not in bare, bare
    assert '://' not in text and 'www.' not in text, 'a name is a link'
    for line in text.splitlines():
        if line.startswith('|'):
            assert line.endswith('|') and line.count('|') in (6, 7, 8), line


for check in check_junit, check_bencher, check_perfherder, check_openmetrics, check_rustc_perf, check_github, check_markdown:
    check()
    print(check.__name__.replace('check_', ''), 'ok')
