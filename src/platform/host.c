#include "platform/host.h"

#include <stdlib.h>
#include <string.h>

void host_release(struct host *host)
{
	free(host->hostname);
	free(host->os);
	free(host->kernel);
	free(host->arch);
	free(host->cpu_model);
	free(host->user);
	free(host->caller);
	free(host->home);
	memset(host, 0, sizeof(*host));
}

void host_system_release(struct host_system *system)
{
	for (size_t i = 0; i < system->disks_nr; i++) {
		free(system->disks[i].name);
		free(system->disks[i].model);
	}
	free(system->disks);
	memset(system, 0, sizeof(*system));
}
