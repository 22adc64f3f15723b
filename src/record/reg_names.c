/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/reg_names.h"

#include "base/util.h"

#include <string.h>

#define XMM(n) "XMM" #n, "XMM" #n

const char *const reg_names_x86[REG_NAMES] = {
	"AX", "BX", "CX", "DX", "SI", "DI", "BP", "SP", "IP", "FLAGS", "CS", "SS", "DS", "ES", "FS",
	"GS", "R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15",
	[32] = XMM(0), XMM(1), XMM(2), XMM(3), XMM(4), XMM(5), XMM(6), XMM(7), XMM(8), XMM(9),
	XMM(10), XMM(11), XMM(12), XMM(13), XMM(14), XMM(15),
};

const char *const reg_names_arm64[REG_NAMES] = {
	"X0", "X1", "X2", "X3", "X4", "X5", "X6", "X7", "X8", "X9", "X10", "X11", "X12", "X13",
	"X14", "X15", "X16", "X17", "X18", "X19", "X20", "X21", "X22", "X23", "X24", "X25", "X26",
	"X27", "X28", "X29", "LR", "SP", "PC", [46] = "VG",
};

static const struct {
	const char *machine;
	const char *const *names;
} machines[] = {
	{ "x86_64", reg_names_x86 }, { "i686", reg_names_x86 }, { "i386", reg_names_x86 },
	{ "aarch64", reg_names_arm64 }, { "arm64", reg_names_arm64 }, /* simpleperf's word */
};

const char *const *
record_reg_names(const char *machine)
{
	for (size_t i = 0; machine != NULL && i < ARRAY_SIZE(machines); i++)
		if (strcmp(machine, machines[i].machine) == 0)
			return machines[i].names;
	return NULL;
}
