#include "module.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The architecture of a device. HIP has it in its property structure only, whose layout changed with ROCm 6; the runtime below it, HSA, says it
 * too, and knows of overrides. The few declarations that are needed, after hsa.h and hsa_ext_amd.h of ROCm 5.2.3. */

struct hsa_agent { uint64_t handle; };         /* hsa_agent_t */
typedef int hsa_status;                        /* hsa_status_t, 0: success */
enum { HSA_INFO_BREAK = 0x1, HSA_NAME = 0, HSA_DEVICE = 17, HSA_DEVICE_GPU = 1, HSA_BDFID = 0xA006, HSA_DOMAIN = 0xA00F };

static struct {
	hsa_status (*init)(void);
	hsa_status (*shut_down)(void);
	hsa_status (*iterate_agents)(hsa_status (*each)(struct hsa_agent agent, void *data), void *data);
	hsa_status (*agent_get_info)(struct hsa_agent agent, int what, void *value);
} hsa;

static const char *const names[] = { "libhsa-runtime64.so.1", NULL };
static struct native_library library = { .names = names, .folder = HIP_LIBRARY_FOLDER };

static bool load(void)
{
	const struct native_symbol symbols[] = {
		{ "hsa_init", (void **)&hsa.init }, { "hsa_shut_down", (void **)&hsa.shut_down },
		{ "hsa_iterate_agents", (void **)&hsa.iterate_agents }, { "hsa_agent_get_info", (void **)&hsa.agent_get_info },
	};
	struct ilab_err ignored = {0};
	return !native_library_load(&library, "", "", &ignored) && !native_library_symbols(&library, symbols, sizeof(symbols) / sizeof(symbols[0]), &ignored);
}

struct wanted { unsigned domain, bus, device; char name[64]; };

static hsa_status compare(struct hsa_agent agent, void *data)
{
	struct wanted *w = data;
	int type = -1;                         /* hsa_device_type_t */
	uint32_t place = 0, domain = 0;        /* bus 15..8, device 7..3, function 2..0 */
	if (hsa.agent_get_info(agent, HSA_DEVICE, &type) || type != HSA_DEVICE_GPU || hsa.agent_get_info(agent, HSA_BDFID, &place))
		return 0;
	if (hsa.agent_get_info(agent, HSA_DOMAIN, &domain))
		domain = 0;
	if (domain != w->domain || (place >> 8 & 0xff) != w->bus || (place >> 3 & 0x1f) != w->device)
		return 0;
	return hsa.agent_get_info(agent, HSA_NAME, w->name) ? 0 : HSA_INFO_BREAK;
}

bool hip_architecture_at(const char *pci_address, char *name, size_t size)
{
	struct wanted w = {0};
	if (sscanf(pci_address, "%x:%x:%x", &w.domain, &w.bus, &w.device) != 3 || !load() || hsa.init())
		return false;
	hsa.iterate_agents(compare, &w);
	hsa.shut_down();                       /* counted: HIP's own use goes on */
	w.name[sizeof(w.name) - 1] = '\0';
	return !strncmp(w.name, "gfx", 3) && (size_t)snprintf(name, size, "%s", w.name) < size;
}
