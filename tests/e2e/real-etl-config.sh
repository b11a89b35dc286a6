#!/usr/bin/env bash
# The configuration of the machine in real ETL files of Windows 7, 8 and 10: as many services and devices as PerfView
# counts in them, and the values that it prints. The files are in $STAGETRACE_SHARED, else ../shared.
# kind: cpu
. "$SRCDIR/tests/e2e/lib/lib.sh"
files=${STAGETRACE_SHARED:-$SRCDIR/../shared}/etl
[ -f "$files/README.md" ] || skip "real ETL files are not here: ../shared/etl"

has() { grep -qxF "$1" facts.csv || fail "no '$1' in: $(grep -v '^services\|^devices\|^events' facts.csv)"; }
counts() { [ "$(grep -c "^$1," facts.csv)" = "$2" ] || fail "$(grep -c "^$1," facts.csv) rows of $1, not $2"; }
facts() { "$STAGETRACE" system -q --format csv "$@" | tr -d '\r' >facts.csv || fail "$* cannot be read"; }

facts "$files"/perfview-net452-x64-win8/net.4.5.2.x64.etl
counts services 157
counts devices 78
has "processors,mhz,3592"
has "memory,installed_bytes,4294967296"
has "disks,disk 0 model,Virtual HD ATA Device"
has "disks,disk 0 size_bytes,$((16578 * 255 * 63 * 512))"
has "volumes,C: size_bytes,135996112896"
has "network,interface 12 description,Microsoft Hyper-V Network Adapter"
has "services,Appinfo,\"running in svchost.exe (144), Application Information\""
has "computer,bios_version,090008"
has "events,damaged,0"

unzip -q "$files"/perfview-diaghub-win10-multifile/diaghub-etls.zip
facts diaghub-etls/*.etl
counts services 269
has "processors,count,4"
has "computer,firmware,BIOS"
has "volumes,D: file_system,NTFS"
has "events,damaged,0"
