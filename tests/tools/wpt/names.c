#include "tools/wpt/names.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/text.h"

const char names_keywords[] =
	"AllFaults Alpc AntiStarvation CacheFlush CC ClockInterrupt ClusterOff CompactCSwitch "
	"ContiguousMemorygeneration CpuConfig CSwitch DiskIO DiskIOInit DPC DPCQueue Drivers "
	"FileIO FileIOInit Filename FilterIO FilterIOFailure FilterIOFastIO FilterIOInit "
	"FootPrint KeClock Handle HardFaults HvHypercalls IdealProcessor IdleStates "
	"InterProcessorInterrupt Interrupt KernelQueue Loader Memory NonTradeableMemory "
	"MemoryInfo MemoryInfoWS NetworkTrace Object OpticalIO OpticalIOInit Pool Power "
	"PmcProfile ProcessCounter ProcessFreeze ProcessThread ReadyThread ReferenceSet "
	"Registry RegistryHive SampledProfile Session SpinLock SplitIO SynchronizationObjects "
	"SystemCall ThreadPriority Timer VAMap VirtualAllocation WakeCounter WakeDrop "
	"WakeEvent WDFDPC WDFInterrupt HiberRundown ";

const char names_stacks[] =
	"AlpcClosePort AlpcConnectFail AlpcConnectRequest AlpcConnectSuccess "
	"AlpcReceiveMessage AlpcSendMessage AlpcUnwait AlpcWaitForNewMessage AlpcWaitForReply "
	"CcCanIWriteFail CcFlushCache CcFlushSection CcLazyWriteScan CcReadAhead "
	"CcWorkitemComplete CcWorkitemDequeue CcWorkitemEnqueue CcWriteBehind "
	"ContiguousMemoryGeneration CacheFlush CSwitch DiskFlushInit DiskReadInit "
	"DiskWriteInit DpcEnqueue DpcExecute ExecutiveResource FileCleanup FileClose "
	"FileCreate FileDelete FileDirEnum FileDirNotify FileFlush FileFSCTL FileOpEnd "
	"FileQueryInformation FileRead FileRename FileSetInformation FileWrite HandleCreate "
	"HandleClose HandleDuplicate HardFault HeapAllocation HeapCreate HeapDestroy HeapFree "
	"HeapRangeCreate HeapRangeDestroy HeapRangeRelease HeapRangeReserve HeapReallocation "
	"ImageLoad ImageUnload InterProcessorInterrupt KernelHypercalls KernelQueueEnqueue "
	"KernelQueueDequeue MapFile Mark MiniFilterPreOpInit MiniFilterPostOpInit "
	"ObjectCreate ObjectDelete ObjectReference ObjectDeReference PageAccess PageAccessEx "
	"PagefaultAV PagefaultCopyOnWrite PagefaultDemandZero PagefaultGuard PagefaultHard "
	"PagefaultTransition PagefileBackedImageMapping PagefileMappedSectionCreate "
	"PagefileMappedSectionDelete PageRangeAccess PageRangeRelease PageRelease "
	"PageRemovedfromWorkingSet PmcInterrupt PoolAllocation PoolAllocationSession PoolFree "
	"PoolFreeSession PowerDeviceNotify PowerDeviceNotifyComplete PowerIdleStateChange "
	"PowerPerfStateChange PowerPostSleep PowerPreSleep PowerSessionCallout "
	"PowerSessionCalloutReturn PowerSetDevicesState PowerSetDevicesStateReturn "
	"PowerSetPowerAction PowerSetPowerActionReturn PowerThermalConstraint "
	"PopSetUserPresent ProcessCreate ProcessDelete ProcessFreeze ProcessResume "
	"SampledProfile SampledProfileSetInterval ReadyThread RegistryCloseKey "
	"RegistryCreateKey RegistryDeleteKey RegistryDeleteValue RegistryEnumerateKey "
	"RegistryEnumerateValueKey RegistryFlush RegistryKcbCreate RegistryKcbDelete "
	"RegistryOpenKey RegistryQueryKey RegistryQueryMultipleValue RegistryQuerySecurity "
	"RegistryQueryValue RegistrySetInformation RegistrySetSecurity RegistrySetValue "
	"RegistryVirtualize RegHiveInit RegHiveDestroy RegHiveLink RegHiveDirty SplitIO "
	"SystemCallEnter SystemCallExit ThreadCreate ThreadDCEnd ThreadDCStart ThreadDelete "
	"ThreadPoolCallbackCancel ThreadPoolCallbackDequeue ThreadPoolCallbackEnqueue "
	"ThreadPoolCallbackStart ThreadPoolCallbackStop ThreadPoolCancelNtTimer "
	"ThreadPoolClose ThreadPoolCreate ThreadPoolSetMaxThreads ThreadPoolSetMinThreads "
	"ThreadPoolSetNtTimer ThreadPoolTimerSet ThreadPoolTimerCancelled "
	"ThreadPoolTimerExpirationBegin ThreadPoolTimerExpirationEnd "
	"ThreadPoolTimerExpiration ThreadSetBasePriority ThreadSetIdealProcessor "
	"ThreadSetPriority ThreadSetUserIdealProcessor TimerPeriodic TimerOneShot UnMapFile "
	"VirtualAllocation VirtualFree WakeChargeUser WakeChargeExecution WakeChargeKernel "
	"WakeChargeInstrumentation WakeReleaseUser WakeReleaseExecution WakeReleaseKernel "
	"WakeReleaseInstrumentation WakeDropUser WakeDropExecution WakeDropKernel "
	"WakeDropInstrumentation WakeEventUser WakeEventExecution WakeEventKernel "
	"WakeEventInstrumentation ";

const char names_xperf_flags[] =
	"PROC_THREAD LOADER PROFILE CSWITCH COMPACT_CSWITCH DISPATCHER DPC INTERRUPT SYSCALL "
	"PRIORITY SPINLOCK ALPC PERF_COUNTER DISK_IO DISK_IO_INIT FILE_IO FILE_IO_INIT "
	"HARD_FAULTS FILENAME SPLIT_IO REGISTRY DRIVERS POWER NETWORKTRACE VIRT_ALLOC VAMAP "
	"MEMINFO MEMINFO_WS MEMORY FOOTPRINT SESSION REFSET ALL_FAULTS POOL CC CACHE_FLUSH "
	"CLOCKINT CONTMEMGEN CPU_CONFIG DEBUG_EVENTS IDLE_STATES IPI KE_CLOCK KQUEUE TIMER "
	"PMC_PROFILE ";

const char names_xperf_groups[] =
	"Base Diag DiagEasy Latency FileIO IOTrace ResumeTrace SysProf ResidentSet "
	"ReferenceSet Network ";

const char names_xperf_stacks[] =
	"AlpcClosePort AlpcConnectFail AlpcConnectRequest AlpcConnectSuccess "
	"AlpcReceiveMessage AlpcSendMessage AlpcUnwait AlpcWaitForNewMessage AlpcWaitForReply "
	"CcCanIWriteFail CcFlushCache CcFlushSection CcLazyWriteScan CcReadAhead "
	"CcWorkitemComplete CcWorkitemDequeue CcWorkitemEnqueue CcWriteBehind "
	"ContiguousMemoryGeneration CritSecCollision CSwitch DiskFlushInit DiskReadInit "
	"DiskWriteInit ExecutiveResource FileCleanup FileClose FileCreate FileDelete "
	"FileDirEnum FileDirNotify FileFlush FileFSCTL FileOpEnd FileQueryInformation "
	"FileRead FileRename FileSetInformation FileWrite HardFault HeapAlloc HeapCreate "
	"HeapDestroy HeapFree HeapRangeCreate HeapRangeDestroy HeapRangeRelease "
	"HeapRangeReserve HeapRealloc ImageLoad ImageUnload KernelQueueDequeue "
	"KernelQueueEnqueue KernelSignal KernelSignalInit KernelSync KernelSyncAll "
	"KernelWaitSync KernelWaitSyncAll MapFile Mark MiniFilterPostOpInit "
	"MiniFilterPreOpInit PagefaultAV PagefaultCopyOnWrite PagefaultDemandZero "
	"PagefaultGuard PagefaultHard PagefaultTransition PagefileBackedImageMapping "
	"PageRangeAccess PageRangeRelease PoolAlloc PoolAllocSession PoolFree PoolFreeSession "
	"PowerDeviceNotify PowerDeviceNotifyComplete PowerIdleStateChange "
	"PowerPerfStateChange PowerPostSleep PowerPreSleep PowerSessionCallout "
	"PowerSessionCalloutReturn PowerSetDevicesState PowerSetDevicesStateReturn "
	"PowerSetPowerAction PowerSetPowerActionReturn PowerThermalConstraint ProcessCreate "
	"ProcessDelete Profile ProfileSetInterval ReadyThread RegCloseKey RegCreateKey "
	"RegDeleteKey RegDeleteValue RegEnumerateKey RegEnumerateValueKey RegFlush "
	"RegKcbCreate RegKcbDelete RegOpenKey RegQueryKey RegQueryMultipleValue RegQueryValue "
	"RegSetInformation RegSetValue RegVirtualize SplitIO SyscallEnter SyscallExit "
	"ThreadCreate ThreadDelete ThreadPoolCallbackCancel ThreadPoolCallbackDequeue "
	"ThreadPoolCallbackEnqueue ThreadPoolCallbackStart ThreadPoolCallbackStop "
	"ThreadPoolClose ThreadPoolCreate ThreadPoolSetMaxThreads ThreadPoolSetMinThreads "
	"ThreadSetBasePriority ThreadSetPriority TimerSetOneShot TimerSetPeriodic UnMapFile "
	"VirtualAlloc VirtualFree ";

bool names_have(const char *names, const char *name, bool fold)
{
	size_t len = strlen(name);

	for (const char *at = names; *at; at += strcspn(at, " ") + 1) {
		char *word = xstrndup(at, strcspn(at, " "));
		bool same = fold ? text_equal_fold(word, name) : !strcmp(word, name);

		free(word);
		if (same && len)
			return true;
	}
	return false;
}
