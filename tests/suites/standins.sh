#!/usr/bin/env bash
# The stand-ins for wpr, xperf and wpa: what they refuse and with which code, and the state from one call to the next.
# For the Windows build: RUNNER='setarch -R wine' EXE=.exe B=build/windows.
set -u
cd "$ROOT" || exit 1
tools=$(realpath "$B/tests/tools/wpt") || exit 1
read_etl=$ROOT/tests/tools/wpt/read-etl.py
RUNNER=${RUNNER:-} EXE=${EXE:-}

call() {
	local tool=$1

	shift
	# shellcheck disable=SC2086 # no runner is no word
	$RUNNER "$tools/$tool$EXE" "$@" </dev/null
}

wrong() {
	printf '%s\n' "$*"
	bad=1
}

# expect CODE TEXT TOOL ARGUMENT...: the call ends with the code, and says the text.
expect() {
	local code=$1 text=$2 status low logged

	shift 2
	call "$@" >out 2>err
	status=$?
	low=$((code & 255))
	if [ $((code)) != 0 ] && [ $low = 0 ]; then low=1; fi
	logged=$(tail -n 1 "$STANDIN_LOG" | sed 's/.*"code": "\([^"]*\)".*/\1/')
	[ $status = $low ] || wrong "$*: status $status, not $low"
	[ $((logged)) = $((code)) ] || wrong "$*: code $logged, not $code"
	[ -z "$text" ] || grep -qF -- "$text" out err || wrong "$*: does not say '$text': $(cat out err)"
	if [ "$1" = wpr ] && [ $((code)) != 0 ]; then
		grep -q "Error code: $code" err || wrong "$*: no '$code' on stderr"
	fi
}

# For calls that crash or hang.
expect_status() {
	local want=$1 status

	shift
	call "$@" >out 2>err
	status=$?
	[ $status = "$want" ] || wrong "$*: status $status, not $want"
}

there() {
	[ -e "$1" ] || wrong "'$1' is not there"
}

gone() {
	[ ! -e "$1" ] || wrong "'$1' is there"
}

says() {
	grep -qF -- "$1" out || wrong "does not say '$1'"
}

says_not() {
	! grep -qF -- "$1" out || wrong "says '$1'"
}

# The trace holds together, and has the line.
trace() {
	if ! python3 "$read_etl" "$1" >events; then
		wrong "'$1' is no trace"
	elif ! grep -qxF -- "$2" events; then
		wrong "no '$2' in '$1': $(cat events)"
	fi
}

profile() {
	cat <<-END
		<?xml version="1.0" encoding="utf-8"?>
		<WindowsPerformanceRecorder Version="1.0">
		<Profiles>
		<SystemCollector Id="S" Name="S"><BufferSize Value="1024"/><Buffers Value="64"/></SystemCollector>
		<EventCollector Id="E" Name="E"><BufferSize Value="128"/><Buffers Value="8"/></EventCollector>
		<SystemProvider Id="SP">
		<Keywords><Keyword Value="ProcessThread"/><Keyword Value="SampledProfile"/></Keywords>
		<Stacks><Stack Value="SampledProfile"/></Stacks>
		</SystemProvider>
		<EventProvider Id="EP" Name="Microsoft-Windows-Kernel-Process" Level="5"/>
		<Profile Id="Mine.Verbose.File" Name="Mine" Description="mine" LoggingMode="File" DetailLevel="Verbose">
		<Collectors>
		<SystemCollectorId Value="S"><SystemProviderId Value="SP"/></SystemCollectorId>
		<EventCollectorId Value="E"><EventProviders><EventProviderId Value="EP"/></EventProviders></EventCollectorId>
		</Collectors>
		</Profile>
		</Profiles>
		</WindowsPerformanceRecorder>
	END
}

# changed FROM TO: a profile file with one thing changed, as changed.wprp.
changed() {
	profile | sed "s|$1|$2|" >changed.wprp
	! cmp -s changed.wprp mine.wprp || wrong "nothing changed by $1"
}

long_path() {
	printf 'd%.0s' {1..300}
}

test_wpr__a_recording() {
	expect 0 'successfully started' wpr -start CPU -start VirtualAllocation -filemode -recordtempto rec -instancename mine
	there 'rec/WPR_initiated_mine_WPR System Collector.etl'
	there 'rec/WPR_initiated_mine_WPR Event Collector.etl'
	trace 'rec/WPR_initiated_mine_WPR System Collector.etl' 'interval 73 10000'
	expect 0 'recording is in progress' wpr -status -instancename mine
	says_not Profile
	says 'Temp Folder'
	expect 0 'Profile                 : VirtualAllocation.Verbose.File' wpr -status profiles -instancename mine
	expect 0 'Collector Name          : WPR_initiated_mine_WPR Event Collector' wpr -status collectors details -instancename mine
	says 'Buffer Size (KB)        : 1024'
	says 'Events Lost             : 0'
	expect 0 '' wpr -marker 'first mark' -instancename mine
	expect 0 '' wpr -marker second -flush -instancename mine
	trace 'rec/WPR_initiated_mine_WPR System Collector.etl' 'mark second'
	expect 0 '' wpr -flush -instancename mine
	expect 0 'successfully saved' wpr -stop out.etl 'a description' -skipPdbGen -instancename mine
	trace out.etl 'header build=26100 lost=0 session=Relogger file=[multiple files]'
	trace out.etl 'mark first mark'
	trace out.etl 'mark Wpr_Initiated_Rundown'
	trace out.etl 'process 4 parent=False System '
	gone out.etl.NGENPDB
	gone 'rec/WPR_initiated_mine_WPR System Collector.etl'
	gone 'rec/WPR_initiated_mine_WPR Event Collector.etl'
	expect 0 'WPR is not recording' wpr -status -instancename mine
}

test_wpr__to_memory__has_no_files() {
	expect 0 '' wpr -start CPU -recordtempto rec
	expect 0 'Logging mode            : Memory' wpr -status
	gone 'rec/WPR_initiated_WprApp_WPR System Collector.etl'
	expect 0 '' wpr -stop out.etl
	there out.etl.NGENPDB
	trace out.etl 'mark Wpr_Initiated_Rundown'
}

test_wpr__cancel__discards() {
	expect 0 '' wpr -start CPU -filemode -recordtempto rec
	expect 0 '' wpr -cancel
	gone 'rec/WPR_initiated_WprApp_WPR System Collector.etl'
	expect 0 'WPR is not recording' wpr -status
}

test_wpr__nothing_runs() {
	for verb in '-stop out.etl' -cancel '-marker text' -flush -capturestateondemand; do
		# shellcheck disable=SC2086
		expect 0xc5583000 'There are no trace profiles running.' wpr $verb
	done
	gone out.etl
	expect 0 'WPR is not recording' wpr -status
	STANDIN_IDLE_IS_ERROR=1 expect 0xc5583000 'There are no trace profiles running.' wpr -status
}

test_wpr__already_running() {
	expect 0 '' wpr -start CPU -filemode -recordtempto rec
	expect 0xc5583001 'The profiles are already running.' wpr -start CPU -filemode -recordtempto rec
	expect 0 'recording is in progress' wpr -status
}

test_wpr__another_instance() {
	expect 0 '' wpr -start CPU -filemode -recordtempto rec -instancename mine
	expect 0 'WPR is not recording' wpr -status
	expect 0 'WPR is not recording' wpr -status -instancename other
	STANDIN_STATUS_SEES_ALL=1 expect 0 'recording is in progress' wpr -status
	expect 0xc5583000 '' wpr -stop out.etl
	expect 0xc5583000 '' wpr -marker text -instancename other
	expect 0xc5583000 '' wpr -cancel -instancename other
	expect 0xc5583014 'event collector was already running' wpr -start CPU -filemode -recordtempto rec
	STANDIN_SYSTEM_SESSIONS=8 expect 0 '' wpr -start CPU -filemode -recordtempto rec
	expect 0 '' wpr -stop one.etl
	expect 0 '' wpr -stop two.etl -instancename mine
	there one.etl
	there two.etl
}

test_wpr__kernel_logger_in_use() {
	expect 0 '' xperf -on PROC_THREAD+LOADER -f k.etl
	expect 0xc5583014 'event collector was already running' wpr -start CPU -filemode -recordtempto rec
	expect 0 '' xperf -stop
	expect 0 '' wpr -start CPU -filemode -recordtempto rec
}

test_wpr__not_elevated() {
	export STANDIN_ELEVATED=0
	expect 0xc5585011 'Profile Id: CPU.Verbose.File' wpr -start CPU -filemode -recordtempto rec
	says_not started
	expect 0x80070005 'Access is denied.' wpr -start VirtualAllocation -filemode -recordtempto rec
	expect 0x80070005 '' wpr -setprofint 20000
	expect 0x80070005 '' wpr -resetprofint
	expect 0x80070005 '' wpr -heaptracingconfig a.exe enable
	expect 0x80070005 '' wpr -snapshotconfig heap -name a.exe enable
	expect 0 '' wpr -help
	expect 0 'VirtualAlloc usage' wpr -profiles
	expect 0 'WPR is not recording' wpr -status
	expect 0 '10000' wpr -profint
	expect 0xc5583000 '' wpr -stop out.etl
	STANDIN_ELEVATED=1 expect 0 '' wpr -start CPU -filemode -recordtempto rec
	expect 0x80070005 '' wpr -stop out.etl
	expect 0x80070005 '' wpr -cancel
	unset STANDIN_ELEVATED
}

test_wpr__syntax() {
	local verb

	while IFS= read -r verb; do
		# shellcheck disable=SC2086
		expect 0xc5600602 'Invalid command syntax.' wpr $verb
	done <<-END
		--help
		-begin
		start
		-start
		-start CPU -start
		-start CPU -filemod
		-start CPU -recordtempto
		-start CPU -filemode -start VirtualAllocation
		-start CPU -instancename
		-start CPU -instancename mine -filemode
		-stop
		-stop -skipPdbGen
		-stop out.etl -slow
		-stop out.etl text more
		-stop out.etl -skipPdbGen text
		-stop out.etl -instancename mine -skipPdbGen
		-cancel now
		-status collectors profiles
		-status details
		-status all
		-marker
		-marker text -flushed
		-flush now
		-profiles -instancename mine
		-profiledetails
		-profiledetails CPU -memory
		-exportprofile CPU
		-merge a.etl
		-merge a.etl b.etl -quick
		-setprofint
		-profint 1000
		-log on
		-disablepagingexecutive yes
		-purgecache all
		-heaptracingconfig
		-heaptracingconfig a.exe permit
		-snapshotconfig
		-snapshotconfig pool -name a.exe enable
		-snapshotconfig heap a.exe enable
		-snapshotconfig heap -name a.exe permit
		-snapshotconfig heap -pid 1
		-snapshotconfig heap -pid a.exe enable
		-singlesnapshot heap
		-singlesnapshot heap 1 2 3 4 5 6 7 8 9
		-enableperiodicsnapshot heap 4 1
		-enableperiodicsnapshot heap 5
		-enableperiodicsnapshot heap 5 1 2 3 4 5 6 7 8 9
		-disableperiodicsnapshot
		-boottrace
		-boottrace -addboot
		-boottrace -stopboot out.etl
		-help me
	END
	expect 0xc5600602 'Invalid option: --help' wpr --help
	gone rec/lock
}

test_wpr__order__is_free_where_asked_for() {
	export STANDIN_STRICT=0
	expect 0 '' wpr -start CPU -filemode -instancename mine -recordtempto rec
	expect 0 '' wpr -stop out.etl -instancename mine -skipPdbGen
	unset STANDIN_STRICT
}

test_wpr__65_profiles() {
	local all=()

	for _ in {1..64}; do all+=(-start CPU); done
	expect 0 '' wpr "${all[@]}" -filemode -recordtempto rec
	expect 0xc5600602 '' wpr "${all[@]}" -start CPU -filemode -recordtempto rec
}

test_wpr__options_by_version() {
	export STANDIN_WPR_VERSION=10.0.17763
	expect 0 'Version 10.0.17763' wpr -start CPU -filemode -recordtempto rec
	expect 0xc5600602 'Invalid option: -skipPdbGen' wpr -stop out.etl text -skipPdbGen
	expect 0xc5600602 '' wpr -marker text -flush
	expect 0 '' wpr -markerflush text
	expect 0 '[' wpr -help stop
	says_not skipPdbGen
	STANDIN_WPR_VERSION=10.0.17134 expect 0xc5600602 '' wpr -markerflush text
	export STANDIN_WPR_VERSION=10.0.18955
	expect 0 skipPdbGen wpr -help stop
	says_not compress
	expect 0xc5600602 '' wpr -help hardwarecounter
	expect 0xc5600602 '' wpr -stop out.etl -compress
	expect 0xc5600602 '' wpr -exportprofile CPU out.wprp
	expect 0xc5600602 '' wpr -merge a.etl b.etl out.etl
	expect 0 '' wpr -stop out.etl text -skipPdbGen
	trace out.etl 'mark text'
	export STANDIN_WPR_VERSION=10.0.26100
	expect 0 '[-skipPdbGen] [-force] [-compress]' wpr -help stop
	expect 0xc5600602 '' wpr -markerflush text
	expect 0 '' wpr -help hardwarecounter
	unset STANDIN_WPR_VERSION
}

test_wpr__profile_file() {
	expect 0 '' wpr -start mine.wprp\!Mine -filemode -recordtempto rec
	expect 0 'Profile                 : Mine.Verbose.File' wpr -status profiles
	expect 0 SampledProfile wpr -status collectors
	expect 0 '' wpr -cancel
	expect 0 '' wpr -start mine.wprp\!mine.verbose -start CPU -filemode -recordtempto rec
	expect 0 'mine' wpr -profiles mine.wprp
	expect 0 'Number of Buffers       : 64' wpr -profiledetails mine.wprp\!Mine+CPU -filemode
}

test_wpr__bad_profile() {
	expect 0x80070002 none.wprp wpr -start none.wprp\!Mine -filemode -recordtempto rec
	expect 0x80070002 none.wprp wpr -profiles none.wprp
	expect 0x80070490 'Profile: Other' wpr -start mine.wprp\!Other -filemode -recordtempto rec
	expect 0x80070490 'Profile: Mine.light' wpr -start mine.wprp\!Mine.light -filemode -recordtempto rec
	expect 0x80070490 'Profile: Mine' wpr -start mine.wprp\!Mine -recordtempto rec
	expect 0x80070490 'Profile: Memory' wpr -start Memory -filemode -recordtempto rec
	expect 0x800700b7 '' wpr -start mine.wprp\!Mine -start mine.wprp\!Mine -filemode -recordtempto rec
	expect 0 'WPR is not recording' wpr -status
}

test_wpr__profile_breaks_the_schema() {
	local from to say

	while IFS=@ read -r from to say; do
		changed "$from" "$to"
		expect 0xc5580701 "$say" wpr -start changed.wprp\!Mine -filemode -recordtempto rec
		expect 0xc5580701 "$say" wpr -profiles changed.wprp
	done <<-'END'
		</Profiles>@</Profile>@line 17, column
		</WindowsPerformanceRecorder>@@unexpected end of file
		Version="1.0">@Version=1.0>@line 2, column
		Version="1.0">@>@Version is required
		<Keywords>@<Keywords a="1" a="2">@attribute given twice
		ProcessThread@ProcessThreads@Element: Keyword, line 7
		Stack Value="SampledProfile"@Stack Value="Sampled"@Element: Stack
		LoggingMode="File" @@are required
		LoggingMode="File"@LoggingMode="Files"@LoggingMode
		Description="mine" @@are required
		Id="EP"@Id="SP"@Id given twice
		Id="EP"@Id="E P"@without colons and blanks
		SystemCollectorId Value="S"@SystemCollectorId Value="T"@no such SystemCollector
		SystemProviderId Value="SP"@SystemProviderId Value="T"@no such SystemProvider
		EventProviderId Value="EP"@EventProviderId Value="T"@no such EventProvider
		<Profiles>@<Profiles><EventProvider Id="X" Name="X"/>@Element: SystemCollector
		<Profiles>@<Profiles><Provider Id="X" Name="X"/>@Element: Provider
		<BufferSize Value="1024"/><Buffers Value="64"/>@<Buffers Value="64"/><BufferSize Value="1024"/>@Element: BufferSize
		Buffers Value="64"@Buffers Value="many"@Element: Buffers
		<Collectors>@<Collectors><SystemCollectorId Value="S"/>@at most one system collector
	END
}

test_wpr__no_providers() {
	changed '<EventProviderId Value="EP"/>' ''
	expect 0xc5580612 'Profile Id: Mine.Verbose.File' wpr -start changed.wprp\!Mine -filemode -recordtempto rec
	changed 'Name="Microsoft-Windows-Kernel-Process"' 'Name="2cb15d1d-5fc1-11d2-abe1-00a0c911f518"'
	expect 0xc5580612 '' wpr -start changed.wprp\!Mine -filemode -recordtempto rec
	changed 'Level="5"' 'Level="5" ProcessExeFilter="a.exe"'
	expect 0xc5580612 '' wpr -start changed.wprp\!Mine -filemode -recordtempto rec
	STANDIN_PROCESSES='b.exe a.exe' expect 0 '' wpr -start changed.wprp\!Mine -filemode -recordtempto rec
}

test_wpr__resources() {
	STANDIN_SESSIONS=63 expect 0x800705aa 'Insufficient system resources' wpr -start CPU -filemode -recordtempto rec
	STANDIN_SESSIONS=62 expect 0 '' wpr -start CPU -filemode -recordtempto rec
	expect 0 '' wpr -cancel
	changed 'Buffers Value="64"' 'Buffers Value="9000"'
	expect 0x80070008 'Not enough memory' wpr -start changed.wprp\!Mine -filemode -recordtempto rec
	STANDIN_MEMORY_MB=32768 expect 0 '' wpr -start changed.wprp\!Mine -filemode -recordtempto rec
}

test_wpr__paths() {
	local long

	long=$(long_path)
	expect 0x80070003 none wpr -start CPU -filemode -recordtempto none
	expect 0x800700ce '' wpr -start "$long.wprp!Mine" -filemode -recordtempto rec
	expect 0x800700ce '' wpr -start CPU -filemode -recordtempto rec -instancename "$long"
	expect 0 '' wpr -start CPU -filemode -recordtempto rec
	expect 0x800700ce '' wpr -stop "$long.etl"
	expect 0x80070003 '' wpr -stop none/out.etl
	expect 0x800704c7 '' wpr -stop out.trace
	expect 0 'recording is in progress' wpr -status
	expect 0 '' wpr -stop out.trace -force
	there out.trace
}

test_wpr__odd_names() {
	mkdir 'a directory ä'
	expect 0 '' wpr -start CPU -filemode -recordtempto 'a directory ä' -instancename 'my recording'
	there 'a directory ä/WPR_initiated_my recording_WPR System Collector.etl'
	expect 0 '' wpr -marker 'mark "ä" \ end' -instancename 'my recording'
	expect 0 '' wpr -stop 'a directory ä/ö.etl' -instancename 'my recording'
	trace 'a directory ä/ö.etl' 'mark mark "ä" \ end'
}

test_wpr__sampling_interval() {
	expect 0 'Current Profile Interval = 10000 [1.0000ms]' wpr -profint
	for n in 1220 10000001 -5 many; do
		expect 0x80070057 '' wpr -setprofint $n
	done
	expect 0 'New Profile Interval = 1221 [0.1221ms]' wpr -setprofint 1221
	expect 0 '' wpr -setprofint 10000000
	expect 0 'New Profile Interval = 20000 [2.0000ms]' wpr -setprofint 20000
	expect 0 '' wpr -start CPU -filemode -recordtempto rec
	expect 0 '' wpr -stop out.etl
	trace out.etl 'interval 73 20000'
	expect 0 'Current Profile Interval = 20000' wpr -profint
	expect 0 '' wpr -resetprofint
	expect 0 'Current Profile Interval = 10000' wpr -profint
}

test_wpr__heap_tracing() {
	expect 0 'Heap tracing is disabled for process a.exe.' wpr -heaptracingconfig a.exe
	expect 0 'Heap tracing was successfully enabled for process a.exe.' wpr -heaptracingconfig a.exe enable
	expect 0 'Heap tracing is enabled for process A.EXE.' wpr -heaptracingconfig A.EXE
	grep -q '^image=a.exe$' state/state || wrong 'not in the state'
	expect 0 'Heap tracing was successfully disabled' wpr -heaptracingconfig a.exe disable
	expect 0 'Heap tracing is disabled' wpr -heaptracingconfig a.exe
	expect 0 'disabled' wpr -heaptracingconfig a.exe disable
}

# The registry is there on Windows alone, and written where it is asked for.
test_wpr__heap_tracing__in_the_registry() {
	local key='HKLM\Software\Microsoft\Windows NT\CurrentVersion\Image File Execution Options\standin-a.exe'

	export STANDIN_REGISTRY=1
	expect 0 '' wpr -heaptracingconfig standin-a.exe enable
	if [ -n "$RUNNER" ]; then
		$RUNNER reg query "$key" /v TracingFlags >out 2>&1
		says 0x1
	fi
	expect 0 '' wpr -heaptracingconfig standin-a.exe disable
	if [ -n "$RUNNER" ]; then
		! $RUNNER reg query "$key" /v TracingFlags >out 2>&1 || wrong "left: $(cat out)"
	fi
	unset STANDIN_REGISTRY
}

# A process, as the stand-ins see it: its number goes to pid, and the one to end it with to job.
run_process() {
	local log=$PWD/wpa.log

	STANDIN_LOG=$log STANDIN_STATE=$PWD/wpa STANDIN_WPA_STAY=60 call wpa &
	job=$!
	for _ in {1..100}; do
		[ -s "$log" ] && break
		sleep 0.05
	done
	pid=$(sed 's/.*"pid": \([0-9]*\).*/\1/' "$log")
}

test_wpr__heap_snapshots() {
	local pid job

	run_process
	expect 0x80070057 'Process: 4294967295' wpr -snapshotconfig heap -pid 4294967295 enable
	expect 0x80004005 '' wpr -singlesnapshot heap "$pid"
	expect 0 '' wpr -snapshotconfig heap -pid "$pid" enable
	expect 0xc5583000 '' wpr -singlesnapshot heap "$pid"
	expect 0 '' wpr -start heapsnapshot -filemode -recordtempto rec
	expect 0 '' wpr -singlesnapshot heap "$pid"
	expect 0 '' wpr -enableperiodicsnapshot heap 5 "$pid"
	grep -q "^snapshot=$pid\$" state/state || wrong 'no snapshot taken'
	grep -q '^seconds=5$' state/state || wrong 'no period'
	expect 0 '' wpr -disableperiodicsnapshot heap
	expect 0 '' wpr -stop out.etl
	trace out.etl "heap-snapshot $pid 1 total 3500"
	expect 0 '' wpr -snapshotconfig heap -pid "$pid" disable
	! grep -qE '^(pid|seconds)=' state/state || wrong 'left in the state'
	expect 0 '' wpr -snapshotconfig heap -name "wpa$EXE" enable
	expect 0 'Snapshot is enabled' wpr -snapshotconfig heap -name "wpa$EXE"
	expect 0 '' wpr -start heapsnapshot -filemode -recordtempto rec
	expect 0 '' wpr -singlesnapshot heap "$pid"
	expect 0 '' wpr -snapshotconfig heap -name "wpa$EXE" disable
	expect 0x80004005 '' wpr -singlesnapshot heap "$pid"
	kill "$job"
	wait "$job" 2>/dev/null
}

test_wpr__export() {
	expect 0 '' wpr -exportprofile CPU+VirtualAllocation out.wprp -filemode
	expect 0 'VirtualAlloc usage' wpr -profiles out.wprp
	expect 0 '' wpr -start out.wprp\!CPU -filemode -recordtempto rec
	expect 0x80070490 '' wpr -exportprofile CPU+None none.wprp
	gone none.wprp
}

test_wpr__merge() {
	expect 0 '' wpr -start CPU -filemode -recordtempto rec
	expect 0 '' wpr -marker one
	expect 0 '' wpr -stop one.etl
	expect 0 '' wpr -start CPU -filemode -recordtempto rec
	expect 0 '' wpr -marker two
	expect 0 '' wpr -stop two.etl
	expect 0 '' wpr -merge one.etl two.etl both.etl -compress -mergeonly
	trace both.etl 'mark one'
	trace both.etl 'mark two'
	expect 0x80070002 none.etl wpr -merge one.etl none.etl out.etl
	expect 0x80070057 mine.wprp wpr -merge one.etl mine.wprp out.etl
}

test_wpr__other_verbs() {
	expect 0 '' wpr
	expect 0 '' wpr -log enabled
	expect 0 '' wpr -disablepagingexecutive off
	expect 0 '' wpr -purgecache
	expect 0 Timer wpr -pmcsources
	expect 0 Kernel-Process wpr -providers
	expect 0 '' wpr -boottrace -addboot CPU -filemode
	expect 0 '' wpr -boottrace -cancelboot
	expect 0xc5583000 '' wpr -boottrace -cancelboot
}

test_fault__code() {
	STANDIN_FAULT=wpr:start:code=0x80070032 expect 0x80070032 'not supported' wpr -start CPU -filemode -recordtempto rec
	STANDIN_FAULT=xperf:start:code=0x80070032 expect 0 '' wpr -start CPU -filemode -recordtempto rec
	STANDIN_FAULT=wpr:stop:code=0x80010106#1 expect 0x80010106 'Cannot change thread mode' wpr -stop out.etl
	STANDIN_FAULT=wpr:stop:code=0x80010106#1 expect 0 '' wpr -stop out.etl
}

test_fault__lost_events() {
	expect 0 '' wpr -start CPU -filemode -recordtempto rec
	echo wpr:session:lose=41 >state/faults
	expect 0 'Dropped event           : 41' wpr -status collectors
	says 'Events Lost             : 41'
	expect 0 '' wpr -stop out.etl
	trace out.etl 'header build=26100 lost=41 session=Relogger file=[multiple files]'
}

test_fault__session_ends() {
	expect 0 '' wpr -start CPU -filemode -recordtempto rec
	echo wpr:session:end >state/faults
	expect 0 'WPR is not recording' wpr -status
	rm state/faults
	expect 0x80071069 'The instance name passed' wpr -stop out.etl
	expect 0x80071069 '' wpr -marker text
	gone out.etl
	expect 0 '' wpr -cancel
	there 'rec/WPR_initiated_WprApp_WPR System Collector.etl'
	expect 0xc5583000 '' wpr -cancel
}

test_fault__disk_full() {
	STANDIN_FAULT=wpr:start:nospace expect 0x80070070 '' wpr -start CPU -filemode -recordtempto rec
	expect 0 'WPR is not recording' wpr -status
	expect 0 '' wpr -start CPU -filemode -recordtempto rec
	STANDIN_FAULT=wpr:stop:nospace expect 0x80070070 'not enough space' wpr -stop out.etl
	there out.etl
	! python3 "$read_etl" out.etl >events 2>&1 || wrong 'half a trace is whole'
	expect 0 'recording is in progress' wpr -status
	expect 0 '' wpr -stop out.etl
	trace out.etl 'mark Wpr_Initiated_Rundown'
}

test_fault__crashes() {
	local crash=139

	[ -z "$RUNNER" ] || crash=5
	STANDIN_FAULT=wpr:start:crash-before expect_status $crash wpr -start CPU -filemode -recordtempto rec
	expect 0 'WPR is not recording' wpr -status
	STANDIN_FAULT=wpr:start:crash-mid expect_status $crash wpr -start CPU -filemode -recordtempto rec
	expect 0 'WPR is not recording' wpr -status
	there 'rec/WPR_initiated_WprApp_WPR System Collector.etl'
	STANDIN_FAULT=wpr:start:crash-after expect_status $crash wpr -start CPU -filemode -recordtempto rec
	expect 0 'recording is in progress' wpr -status
	STANDIN_FAULT=wpr:stop:crash-before expect_status $crash wpr -stop out.etl
	expect 0 'recording is in progress' wpr -status
	STANDIN_FAULT=wpr:stop:crash-mid expect_status $crash wpr -stop out.etl
	grep -q '"end": "crash-mid"' "$STANDIN_LOG" || wrong 'the crash was not logged'
	expect 0 'WPR is not recording' wpr -status
	there 'rec/WPR_initiated_WprApp_WPR System Collector.etl'
	gone out.etl
	expect 0 '' wpr -start CPU -filemode -recordtempto rec
	STANDIN_FAULT=wpr:stop:crash-after expect_status $crash wpr -stop out.etl
	trace out.etl 'mark Wpr_Initiated_Rundown'
}

test_fault__hangs_and_takes_long() {
	local job child

	expect 0 '' wpr -start CPU -filemode -recordtempto rec
	STANDIN_FAULT=wpr:stop:hang-before call wpr -stop out.etl >hung 2>&1 &
	job=$!
	for _ in {1..100}; do
		grep -q hang-before "$STANDIN_LOG" && break
		sleep 0.05
	done
	kill -0 "$job" || wrong 'it does not hang'
	expect 0 'recording is in progress' wpr -status
	# The job is a shell of ours, its child the program.
	for child in $(pgrep -P "$job"); do kill -9 "$child"; done
	kill -9 "$job"
	wait "$job" 2>/dev/null
	STANDIN_FAULT=wpr:stop:sleep=0.1 expect 0 '' wpr -stop out.etl
	# It ends only because that is allowed.
	expect 0 '' wpr -start CPU -filemode -recordtempto rec
	STANDIN_FAULT=wpr:stop:sleep=10000 call wpr -stop slow.etl >slow 2>&1 &
	job=$!
	for _ in {1..100}; do
		grep -A 1 -x verb=wpr:stop "$STANDIN_STATE/state" | grep -x count=3 && break
		sleep 0.05
	done
	kill -0 "$job" || wrong 'it does not sleep'
	gone slow.etl
	: >"$STANDIN_STATE/go"
	wait "$job" || wrong 'it does not end as soon as it may'
	there slow.etl
}

test_fault__no_file() {
	expect 0 '' wpr -start CPU -filemode -recordtempto rec
	STANDIN_FAULT=wpr:stop:no-file expect 0 '' wpr -stop out.etl
	gone out.etl
	expect 0 '' wpr -start CPU -filemode -recordtempto rec
	STANDIN_FAULT=wpr:stop:empty-file expect 0 '' wpr -stop out.etl
	if [ ! -e out.etl ] || [ -s out.etl ]; then wrong 'no empty file'; fi
}

test_xperf__two_sessions() {
	expect 0 '' xperf -start 'NT Kernel Logger' -on PROC_THREAD+LOADER+PROFILE+CSWITCH+VIRT_ALLOC+MEMINFO \
		-stackwalk Profile+CSwitch+VirtualAlloc+VirtualFree -buffersize 1024 -minbuffers 600 -maxbuffers 600 \
		-f kernel.etl -start Session -on Microsoft-Windows-Kernel-Process -f user.etl
	there kernel.etl
	there user.etl
	expect 0 'Logger Name           : Session' xperf -loggers
	says 'Minimum Buffers       : 600'
	expect 0 '' xperf -m 'a mark'
	expect 0 '' xperf -flush Session
	expect 0 '' xperf -capturestate Session Microsoft-Windows-Kernel-Process
	expect 0 '' xperf -stop Session -stop 'NT Kernel Logger'
	trace kernel.etl 'mark a mark'
	expect 0 'Merged Etl: out.etl' xperf -merge kernel.etl user.etl out.etl -compress
	trace out.etl 'mark a mark'
	expect 0x80071069 'NT Kernel Logger: The instance name passed' xperf -stop
}

test_xperf__one_session() {
	expect 0 '' xperf -SetProfInt 20000 cached -on PROC_THREAD+LOADER+PROFILE+CSWITCH -stackwalk PROFILE+CSWITCH \
		-f x.etl -BufferSize 1024
	expect 0 'Merged Etl: out.etl' xperf -stop -d out.etl
	trace out.etl 'interval 73 20000'
	expect 0 '' xperf -SetProfInt
	expect 0 'Current Profile Interval = 10000' wpr -profint
	expect 0 '' xperf -on DiagEasy -MaxFile 100 -FileMode Circular
	expect 0 '' xperf -d two.etl
	there two.etl
}

test_xperf__refusals() {
	expect 0x800703ec 'PROCESSES: Invalid flags. (0x3ec)' xperf -on PROC_THREAD+PROCESSES -f k.etl
	expect 0x8000ffff '(0x8000ffff)' xperf -on PROC_THREAD -stackwalk Profile+Virtual -f k.etl
	STANDIN_ELEVATED=0 expect 0x80070005 'NT Kernel Logger: Access is denied. (0x5)' xperf -on PROC_THREAD -f k.etl
	STANDIN_SESSIONS=64 expect 0x800705aa '' xperf -on PROC_THREAD -f k.etl
	expect 0x80070008 '' xperf -on PROC_THREAD -BufferSize 1024 -MinBuffers 9000 -MaxBuffers 9000 -f k.etl
	expect 0x80070057 '' xperf -on PROC_THREAD -MinBuffers 20 -MaxBuffers 10 -f k.etl
	expect 0x80070003 '' xperf -on PROC_THREAD -f none/k.etl
	expect 0x800700ce '' xperf -on PROC_THREAD -f "$(long_path)"
	expect 0x80070057 '' xperf -on
	expect 0x80070057 '' xperf -on PROC_THREAD -filemode
	expect 0x80070057 '' xperf -begin
	expect 0x80070057 '' xperf -SetProfInt 1000
	gone k.etl
	expect 0 '' xperf -on PROC_THREAD -f k.etl
	expect 0x800700b7 'NT Kernel Logger: Cannot create a file when that file already exists. (0xb7).' \
		xperf -on PROC_THREAD -f two.etl
	gone two.etl
	STANDIN_ELEVATED=0 expect 0x80070005 '' xperf -stop
	expect 0x80071069 'Other: ' xperf -stop Other -stop
	expect 0x80071069 '' xperf -m text
	expect 0x80071069 '' xperf -d out.etl
	expect 0x80070002 '' xperf -merge k.etl none.etl out.etl
	expect 0 '' xperf -on PROC_THREAD -f k.etl
	expect 0x80070003 'Merge ETL: The system cannot find the path specified. (0x3).' xperf -d none/out.etl
	expect 0x80071069 '' xperf -stop
}

test_xperf__session_faults() {
	expect 0 '' xperf -on PROC_THREAD -f k.etl
	STANDIN_FAULT=xperf:session:lose=7 expect 0 'Events Lost           : 7' xperf -loggers
	STANDIN_FAULT=xperf:session:lose=7 expect 0 '' xperf -stop
	trace k.etl 'interval 73 10000'
	grep -q 'lost=7 session=NT Kernel Logger file=.*k.etl$' events || wrong "$(cat events)"
	expect 0x80004005 '7 Events were lost' xperf -i k.etl -a marks
	expect 0 'marks of k.etl' xperf -i k.etl -tle -a marks
	expect 0 '' xperf -tle -i k.etl -o out.txt -symbols verbose -a symcache -build
	there out.txt
	expect 0x80070057 '' xperf -i k.etl -tle -a nothing
	expect 0x80070002 '' xperf -i none.etl
	expect 0 '' xperf -on PROC_THREAD -f k.etl
	STANDIN_FAULT=xperf:session:end expect 0x80071069 '' xperf -stop
	expect 0 '' xperf -on PROC_THREAD -f k.etl
	STANDIN_FAULT=xperf:stop:nospace expect 0x80070070 '' xperf -stop -d out.etl
}

test_wpa__arguments() {
	echo '<WpaProfileContainer Version="2"><Content/></WpaProfileContainer>' >a.wpaProfile
	echo '<WpaProfileContainer Version="2"><Content></WpaProfileContainer>' >b.wpaProfile
	expect 0 '' wpr -start CPU -filemode -recordtempto rec
	expect 0 '' wpr -stop out.etl
	expect 0 '' wpa out.etl -profile a.wpaProfile
	_NT_SYMBOL_PATH='C:\a;C:\b' _NT_SYMCACHE_PATH=cache expect 0 '' wpa -i out.etl -profile a.wpaProfile -symbols
	tail -n 1 "$STANDIN_LOG" | python3 -c 'import json, sys
call = json.load(sys.stdin)
assert call["env"] == {"_NT_SYMBOL_PATH": "C:\\a;C:\\b", "_NT_SYMCACHE_PATH": "cache"}, call
assert call["argv"][-1] == "-symbols" and call["elevated"] == "yes" and call["streams"][0] == "null", call' ||
		wrong 'the log does not say it'
	expect 1 'cannot open' wpa none.etl
	expect 1 'cannot open' wpa out.etl -profile none.wpaProfile
	expect 1 'not a trace' wpa a.wpaProfile
	expect 1 'end tag of another element' wpa out.etl -profile b.wpaProfile
	expect 1 'not an analysis profile' wpa out.etl -profile mine.wprp
	expect 0xffffffff 'unknown option' wpa out.etl -cliprocessor
	expect 0xffffffff 'value missing' wpa out.etl -profile
	expect 0xffffffff 'needs -processors' wpa out.etl -addsearchdir .
	STANDIN_WPA_VERSION=11.0.7 expect 0 '' wpa out.etl -addsearchdir .
	STANDIN_WPA_VERSION=10.0.26100 expect 0xffffffff 'unknown option' wpa out.etl -tle
	STANDIN_WPA_VERSION=10.5.16 expect 0 '' wpa out.etl -tle
	STANDIN_WPA_STAY=1 expect 0 '' wpa out.etl
	STANDIN_FAULT=wpa:open:code=0x80074005 expect 0x80074005 '' wpa out.etl
}

run_test() {
	local bad=0

	mkdir -p "$SCRATCH/standins/$1/rec"
	cd "$SCRATCH/standins/$1" || exit 1
	export STANDIN_STATE=$PWD/state STANDIN_LOG=$PWD/log
	profile >mine.wprp
	: >log
	"test_$1"
	exit $bad
}

list() {
	declare -F | sed -n 's/^declare -f test_/waits /p'
}

run() {
	if (run_test "$1") >"$SCRATCH/standins.$1.log" 2>&1; then
		echo "PASS standins/$1"
	else
		cat "$SCRATCH/standins.$1.log"
		echo "FAIL standins/$1"
	fi
}

"$@"
