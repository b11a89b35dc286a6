#include "trace/etl/etl_config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "etl_record_fixture.h"
#include "trace/etl/etl_kernel.h"
#include "util/array.h"

/* A text in a field of `chars` UTF-16 units. */
static void put_field(struct strbuf *sb, const char *text, size_t chars)
{
	size_t end = sb->len + 2 * chars;

	put_wide(sb, text);
	strbuf_pad(sb, 0, end);
}

static void put_cpu(struct strbuf *sb)
{
	put32(sb, 3600);
	put32(sb, 8);
	put32(sb, 16384);
	put32(sb, 4096);
	put32(sb, 65536);
	put_field(sb, "build7", 256);
	put_field(sb, "corp.example", 134);
	put64(sb, 0xff);
	put64(sb, 0x7ffffffeffff);
	put16(sb, 9);
	put16(sb, 6);
	put16(sb, 0x9e01);
	put16(sb, 0x0101);
	put32(sb, 2667);
}

static void put_processor(struct strbuf *sb)
{
	put32(sb, 3);
	put32(sb, 0);
	put32(sb, 3600);
	put_field(sb, "  AMD EPYC 7B13   ", 64);
	put_field(sb, "AMD64 Family 25", 128);
	put_field(sb, "AuthenticAMD", 16);
}

static void put_disk(struct strbuf *sb)
{
	put32(sb, 1);
	put32(sb, 512);
	put32(sb, 63);
	put32(sb, 255);
	put64(sb, 13054);
	for (int i = 0; i < 4; i++)
		put32(sb, 0);
	put_field(sb, "Fast NVMe 1 TB", 256);
	put32(sb, 4);
	put8(sb, 1);
	put8(sb, 0);
	put_field(sb, "C", 3);
	put32(sb, 0);
}

static void put_partition(struct strbuf *sb)
{
	put64(sb, 1048576);
	put64(sb, 107372085248);
	put32(sb, 1);
	put32(sb, 112);
	put32(sb, 1);
	put_field(sb, "C:", 4);
	put32(sb, 0);
	put32(sb, 2);
	put32(sb, 8);
	put32(sb, 512);
	put32(sb, 0);
	put64(sb, 1000);
	put64(sb, 26213888);
	put_field(sb, "NTFS", 16);
	put32(sb, 0);
	put32(sb, 0);
}

/* Without a letter, of a second extent. */
static void put_extent(struct strbuf *sb)
{
	put_partition(sb);
	memset(sb->buf + 28, 0, 8);
	sb->buf[24] = 2;
	sb->buf[104] = 1;
}

static void put_network(struct strbuf *sb)
{
	strbuf_add(sb, "\x00\x1d\xd8\xb8\x2a\x01\x00\x00", 8);
	put32(sb, 6);
	put32(sb, 11);
	put32(sb, 12);
	put_wide(sb, "Ethernet");
	put_wide(sb, "fe80::1;10.0.0.1;");
	put_wide(sb, "10.0.0.53");
}

static void put_video(struct strbuf *sb)
{
	put32(sb, 8 << 20);
	put32(sb, 1920);
	put32(sb, 1080);
	put32(sb, 32);
	put32(sb, 60);
	put_field(sb, "chip", 256);
	put_field(sb, "none", 256);
	put_field(sb, "adapter", 256);
	put_field(sb, "bios", 256);
	put_field(sb, "card", 256);
	put32(sb, 0);
}

static void put_service(struct strbuf *sb)
{
	put32(sb, 1100);
	put32(sb, 4);
	put32(sb, 7);
	put_wide(sb, "EventLog");
	put_wide(sb, "Windows Event Log");
	put_wide(sb, "svchost.exe");
	put_wide(sb, "Event Log");
	put_wide(sb, "LocalServiceNetworkRestricted");
}

static void put_stopped(struct strbuf *sb)
{
	put32(sb, 0);
	put32(sb, 1);
	put32(sb, 8);
	put_wide(sb, "ALG");
	put_wide(sb, "Gateway");
	put_wide(sb, "");
}

static void put_power(struct strbuf *sb)
{
	strbuf_add(sb, "\0\0\1\1\1\0\0\0", 8);
}

static void put_tcp(struct strbuf *sb)
{
	put32(sb, 32);
	put32(sb, UINT32_MAX);
	put32(sb, 65536);
	put32(sb, 120);
}

static void put_optical(struct strbuf *sb)
{
	put16(sb, 0);
	strbuf_pad(sb, 0, 64);
	put_wide(sb, "D:");
	put_wide(sb, "UDF");
	put_text(sb, "Virtual DVD");
	put_text(sb, "Msft");
}

static void put_irq(struct strbuf *sb)
{
	put64(sb, 0xf);
	put16(sb, 0);
	put16(sb, 0);
	put32(sb, 14);
	put32(sb, 12);
	put_wide(sb, "ACPI\\PNP0501");
}

static void put_old_irq(struct strbuf *sb)
{
	put64(sb, 0xf);
	put32(sb, 4);
	put32(sb, 12);
	put_wide(sb, "ACPI\\PNP0700");
}

static void put_device_texts(struct strbuf *sb, const char *name)
{
	put_wide(sb, "PCI\\VEN_8086");
	put_wide(sb, "Bridge");
	put_wide(sb, name);
	put_wide(sb, "\\Device\\1");
}

static void put_device(struct strbuf *sb)
{
	strbuf_pad(sb, 1, 16);
	put32(sb, 0);
	put32(sb, 0);
	put32(sb, 0x180200a);
	put32(sb, 28);
	put_device_texts(sb, "Fast bridge");
	put_wide(sb, "pci");
}

static void put_device_4(struct strbuf *sb)
{
	strbuf_pad(sb, 1, 16);
	put32(sb, 0);
	put32(sb, 0);
	put_device_texts(sb, "");
	put_wide(sb, "pci");
}

static void put_device_3(struct strbuf *sb)
{
	put32(sb, 13);
	put32(sb, 7);
	put32(sb, 1);
	put_device_texts(sb, "");
}

static void put_ide(struct strbuf *sb)
{
	put32(sb, 0);
	put32(sb, 1);
	put32(sb, 1040);
	put32(sb, 9);
	put_wide(sb, "Channel 0");
}

static void put_nodes(struct strbuf *sb)
{
	put32(sb, 2);
	put64(sb, 0x0f);
	put64(sb, 0);
	put64(sb, 0xf0);
	put64(sb, 0);
}

static void put_group(struct strbuf *sb)
{
	put32(sb, 1);
	put64(sb, 0xff);
}

static void put_platform(struct strbuf *sb)
{
	put_wide(sb, "Contoso");
	put_wide(sb, "Model 7");
	put_wide(sb, "05/23/2026");
	put_wide(sb, "1.2");
}

static void put_dpi(struct strbuf *sb)
{
	put32(sb, 96);
	put32(sb, 144);
}

static void put_integrity(struct strbuf *sb)
{
	put32(sb, 0x1001);
}

static void put_security(struct strbuf *sb)
{
	strbuf_add(sb, "\1\0\1\0", 4);
}

static void put_boot(struct strbuf *sb)
{
	put64(sb, 0);
	put32(sb, 2);
	strbuf_add(sb, "\1\1\7\7", 4);
}

static void put_build(struct strbuf *sb)
{
	put64(sb, 1600000000);
	put_wide(sb, "22631.1.amd64fre");
	put_wide(sb, "Windows 11 Pro");
}

static void put_drive(struct strbuf *sb)
{
	put_wide(sb, "\\Device\\HarddiskVolume2\\");
	put_wide(sb, "C:\\");
}

/* What Windows writes, and the facts of it, one a line. */
static const struct sample {
	enum etl_provider provider;
	uint8_t opcode, version;
	void (*put)(struct strbuf *sb);
	const char *facts;
} samples[] = {
	{ ETL_SYSTEM_CONFIG, 10, 3, put_cpu,
	  "computer: name=build7\n"
	  "computer: domain=corp.example\n"
	  "processors: count=8\n"
	  "processors: mhz=3600\n"
	  "processors: architecture=AMD64\n"
	  "memory: installed_bytes=17179869184\n"
	  "memory: mhz=2667\n"
	  "memory: page_bytes=4096\n"
	  "memory: allocation_granularity_bytes=65536\n" },
	{ ETL_SYSTEM_CONFIG, 35, 2, put_processor,
	  "processors: processor 3=AMD EPYC 7B13, AMD64 Family 25, AuthenticAMD, 3600 MHz\n" },
	{ ETL_SYSTEM_CONFIG, 11, 2, put_disk,
	  "disks: disk 1 model=Fast NVMe 1 TB\n"
	  "disks: disk 1 size_bytes=107372805120\n"
	  "disks: disk 1 sector_bytes=512\n"
	  "disks: disk 1 partitions=4\n"
	  "disks: disk 1 write_cache=yes\n"
	  "disks: disk 1 boot_drive=C\n" },
	{ ETL_SYSTEM_CONFIG, 12, 2, put_partition,
	  "volumes: C: kind=partition\n"
	  "volumes: C: file_system=NTFS\n"
	  "volumes: C: size_bytes=107372085248\n"
	  "volumes: C: capacity_bytes=107372085248\n"
	  "volumes: C: free_bytes=4096000\n"
	  "volumes: C: cluster_bytes=4096\n"
	  "volumes: C: disk=1\n"
	  "volumes: C: partition=2\n" },
	{ ETL_SYSTEM_CONFIG, 12, 2, put_extent,
	  "volumes: disk 1 partition 2 extent 1 kind=volume\n"
	  "volumes: disk 1 partition 2 extent 1 file_system=NTFS\n"
	  "volumes: disk 1 partition 2 extent 1 size_bytes=107372085248\n"
	  "volumes: disk 1 partition 2 extent 1 capacity_bytes=107372085248\n"
	  "volumes: disk 1 partition 2 extent 1 free_bytes=4096000\n"
	  "volumes: disk 1 partition 2 extent 1 cluster_bytes=4096\n"
	  "volumes: disk 1 partition 2 extent 1 disk=1\n"
	  "volumes: disk 1 partition 2 extent 1 partition=2\n" },
	{ ETL_SYSTEM_CONFIG, 13, 2, put_network,
	  "network: interface 11 description=Ethernet\n"
	  "network: interface 11 mac=00:1d:d8:b8:2a:01\n"
	  "network: interface 11 addresses=fe80::1, 10.0.0.1\n"
	  "network: interface 11 dns=10.0.0.53\n" },
	{ ETL_SYSTEM_CONFIG, 14, 2, put_video,
	  "video: card adapter=adapter\n"
	  "video: card chip=chip\n"
	  "video: card memory_bytes=8388608\n"
	  "video: card mode=1920 x 1080, 32 bits, 60 Hz\n" },
	{ ETL_SYSTEM_CONFIG, 15, 3, put_service,
	  "services: EventLog=running in svchost.exe (1100), Windows Event Log\n" },
	{ ETL_SYSTEM_CONFIG, 15, 2, put_stopped, "services: ALG=stopped, Gateway\n" },
	{ ETL_SYSTEM_CONFIG, 16, 2, put_power,
	  "power: sleep_states=S3, S4, S5\n"
	  "power: modern_standby=no\n" },
	{ ETL_SYSTEM_CONFIG, 17, 2, put_tcp,
	  "network: tcp_partitions=32\n"
	  "network: max_user_port=65536\n"
	  "network: tcp_timed_wait_seconds=120\n" },
	{ ETL_SYSTEM_CONFIG, 18, 2, put_optical,
	  "disks: optical 0 model=Msft, Virtual DVD\n"
	  "disks: optical 0 drive=D:\n" },
	{ ETL_SYSTEM_CONFIG, 21, 3, put_irq, "interrupts: irq 14=ACPI\\PNP0501\n" },
	{ ETL_SYSTEM_CONFIG, 21, 2, put_old_irq, "interrupts: irq 4=ACPI\\PNP0700\n" },
	{ ETL_SYSTEM_CONFIG, 22, 5, put_device,
	  "devices: PCI\\VEN_8086=Fast bridge (pci), problem 28\n" },
	{ ETL_SYSTEM_CONFIG, 22, 4, put_device_4, "devices: PCI\\VEN_8086=Bridge (pci)\n" },
	{ ETL_SYSTEM_CONFIG, 22, 3, put_device_3, "devices: PCI\\VEN_8086=Bridge\n" },
	{ ETL_SYSTEM_CONFIG, 23, 2, put_ide, "disks: ide target 0 type 1=Channel 0\n" },
	{ ETL_SYSTEM_CONFIG, 24, 2, put_nodes,
	  "processors: numa node 0=processors 0xf\n"
	  "processors: numa node 1=processors 0xf0\n" },
	{ ETL_SYSTEM_CONFIG, 25, 2, put_platform,
	  "computer: manufacturer=Contoso\n"
	  "computer: model=Model 7\n"
	  "computer: bios_date=05/23/2026\n"
	  "computer: bios_version=1.2\n" },
	{ ETL_SYSTEM_CONFIG, 26, 2, put_group, "processors: group 0=processors 0xff\n" },
	{ ETL_SYSTEM_CONFIG, 28, 2, put_dpi,
	  "video: dpi_of_machine=96\n"
	  "video: dpi_of_user=144\n" },
	{ ETL_SYSTEM_CONFIG, 29, 2, put_integrity, "security: code_integrity=0x1001\n" },
	{ ETL_SYSTEM_CONFIG, 36, 2, put_security,
	  "security: virtualization_based=yes\n"
	  "security: hvci=no\n"
	  "security: hypervisor=yes\n" },
	{ ETL_SYSTEM_CONFIG, 37, 2, put_boot,
	  "computer: firmware=UEFI\n"
	  "computer: secure_boot=on\n" },
	{ ETL_SYS_CONFIG_EX, ETL_EX_BUILD, 0, put_build,
	  "windows: product=Windows 11 Pro\n"
	  "windows: build=22631.1.amd64fre\n"
	  "windows: installed_utc=2020-09-13T12:26:40.000Z\n" },
	{ ETL_SYS_CONFIG_EX, ETL_EX_VOLUME, 0, put_drive,
	  "volumes: C: device=\\Device\\HarddiskVolume2\\\n" },
};

static void check_facts(const struct etl_config *config, const char *expected)
{
	struct system_facts facts = { NULL, 0, 0 };
	struct strbuf text = STRBUF_INIT;

	etl_config_report(config, &facts);
	for (size_t i = 0; i < facts.nr; i++) {
		strbuf_addf(&text, "%s: %s=", facts.v[i].section, facts.v[i].key);
		if (facts.v[i].text)
			strbuf_adds(&text, facts.v[i].text);
		else
			strbuf_addf(&text, "%lld", (long long)facts.v[i].number);
		strbuf_addc(&text, '\n');
	}
	assert_string_equal(text.buf ? text.buf : "", expected);
	strbuf_release(&text);
	system_facts_release(&facts);
}

static void etl_config_add__each_event__becomes_facts(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct etl_config *config = etl_config_new();
		struct strbuf payload = STRBUF_INIT;
		struct etl_record record;

		samples[i].put(&payload);
		record = record_of(samples[i].provider, samples[i].opcode, samples[i].version,
				   &payload);
		assert_true(etl_config_add(config, &record));
		check_facts(config, samples[i].facts);
		/* A merged file has it twice. */
		assert_true(etl_config_add(config, &record));
		check_facts(config, samples[i].facts);
		strbuf_release(&payload);
		etl_config_free(config);
	}
}

/* Nothing is read beyond the end, and what a record lacks is no fact. */
static void etl_config_add__cut_event__is_damage_without_facts(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct strbuf payload = STRBUF_INIT;
		struct etl_record record;

		samples[i].put(&payload);
		record = record_of(samples[i].provider, samples[i].opcode, samples[i].version,
				   &payload);
		for (size_t nr = 0; nr < payload.len; nr++) {
			struct etl_config *config = etl_config_new();
			unsigned char *cut = malloc(nr ? nr : 1);

			assert_non_null(cut);
			memcpy(cut, payload.buf, nr);
			record.payload = cut;
			record.payload_nr = (uint32_t)nr;
			/* Nodes and groups come one by one; an empty text of SysConfigEx is none. */
			if (!etl_config_add(config, &record))
				check_facts(config,
					    samples[i].opcode == 24 && nr >= 20
						    ? "processors: numa node 0=processors 0xf\n"
						    : "");
			else
				assert_true(nr || record.provider == ETL_SYS_CONFIG_EX);
			etl_config_free(config);
			free(cut);
		}
		strbuf_release(&payload);
	}
}

static void etl_config_add__unknown_version__is_skipped(void **state)
{
	struct etl_config *config = etl_config_new();
	struct strbuf payload = STRBUF_INIT;
	struct etl_record record;

	(void)state;
	put32(&payload, 1);
	record = record_of(ETL_SYSTEM_CONFIG, 11, 9, &payload);
	assert_true(etl_config_add(config, &record));
	record = record_of(ETL_SYSTEM_CONFIG, 200, 2, &payload);
	assert_true(etl_config_add(config, &record));
	check_facts(config, "");
	strbuf_release(&payload);
	etl_config_free(config);
}

/* Thousands of invented devices with long names take bounded memory. */
static void etl_config_add__many_long_texts__are_limited(void **state)
{
	struct etl_config *config = etl_config_new();
	struct system_facts facts = { NULL, 0, 0 };
	char name[8001], id[16];

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	for (int i = 0; i < SYSTEM_FACTS_MAX + 10; i++) {
		struct strbuf payload = STRBUF_INIT;
		struct etl_record record;

		snprintf(id, sizeof(id), "ROOT\\%d", i);
		put32(&payload, 0);
		put64(&payload, 0);
		put_wide(&payload, id);
		put_wide(&payload, i % 1000 ? "x" : name);
		put_wide(&payload, "");
		record = record_of(ETL_SYSTEM_CONFIG, 22, 3, &payload);
		assert_true(etl_config_add(config, &record));
		strbuf_release(&payload);
	}
	etl_config_report(config, &facts);
	assert_int_equal(facts.nr, SYSTEM_FACTS_MAX);
	assert_int_equal(strlen(facts.v[1000].text), 1024);
	system_facts_release(&facts);
	etl_config_free(config);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(etl_config_add__each_event__becomes_facts),
		cmocka_unit_test(etl_config_add__cut_event__is_damage_without_facts),
		cmocka_unit_test(etl_config_add__unknown_version__is_skipped),
		cmocka_unit_test(etl_config_add__many_long_texts__are_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
