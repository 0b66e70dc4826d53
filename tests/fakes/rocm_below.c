/* Fakes of what lies below HIP: libhsa-runtime64, which tells the architecture of the card at an address (FAKE_HIP_ARCHITECTURE), and
 * libamd_comgr, which lists the architectures that its compiler knows. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC visibility push(default)

struct agent { uint64_t handle; };
int hsa_init(void);
int hsa_shut_down(void);
int hsa_iterate_agents(int (*each)(struct agent, void *), void *data);
int hsa_agent_get_info(struct agent a, int what, void *value);

int hsa_init(void) { return getenv("FAKE_HSA_FAILS") ? 4096 : 0; }
int hsa_shut_down(void) { return 0; }

/* The host's processor, then two cards, of which the first is HIP's device 1 and the second its device 0. */
int hsa_iterate_agents(int (*each)(struct agent, void *), void *data)
{
	int status = 0;
	for (uint64_t i = 0; !status && i < 3; i++)
		status = each((struct agent){ i }, data);
	return status;
}

int hsa_agent_get_info(struct agent a, int what, void *value)
{
	enum { NAME = 0, DEVICE = 17, BDFID = 0xA006, DOMAIN = 0xA00F };
	const char *architecture = getenv("FAKE_HIP_ARCHITECTURE");
	const uint32_t place = a.handle == 1 ? 0xc100 : 0xc000;
	const uint32_t zero = 0;
	const int type = a.handle != 0;
	switch (what) {
	case NAME: snprintf(value, 64, "%s", a.handle == 0 ? "a processor" : a.handle == 1 ? "gfx1030" : architecture ? architecture : "gfx90a"); return 0;
	case DEVICE: memcpy(value, &type, sizeof(type)); return 0;
	case BDFID: memcpy(value, &place, sizeof(place)); return 0;
	case DOMAIN: memcpy(value, &zero, sizeof(zero)); return 0;
	default: return 4097;
	}
}

int amd_comgr_get_isa_count(size_t *count);
int amd_comgr_get_isa_name(size_t index, const char **name);

static const char *const isa_names[] = { "amdgcn-amd-amdhsa--gfx900", "amdgcn-amd-amdhsa--gfx90a", "amdgcn-amd-amdhsa--gfx1030" };
int amd_comgr_get_isa_count(size_t *count) { *count = 3; return 0; }
int amd_comgr_get_isa_name(size_t index, const char **name) { *name = isa_names[index % 3]; return 0; }
