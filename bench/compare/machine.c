#include "compare/machine.h"

#include "workload/cores.h"

#include <string.h>
#include <sys/prctl.h>
#include <sys/utsname.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

static const char unknown[] = "unknown";

/* The first line of a file, or "unknown". */
static void read_line(char *text, size_t size, const char *path) {
    snprintf(text, size, "%s", unknown);
    FILE *file = fopen(path, "r");
    if (file == NULL) return;
    if (fgets(text, (int)size, file) == NULL) snprintf(text, size, "%s", unknown);
    text[strcspn(text, "\n")] = '\0';
    fclose(file);
}

static void read_cpu(char *text, size_t size) {
    char line[256], value[80];
    snprintf(text, size, "%s", unknown);
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (file == NULL) return;
    while (fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "model name : %79[^\n]", value) == 1) {
            snprintf(text, size, "%s", value);
            break;
        }
    fclose(file);
}

#if defined(__x86_64__) || defined(__i386__)
/* Hypervisors name themselves in this leaf: "KVMKVMKVM", "VMwareVMware", "Microsoft Hv". */
static void read_virtualization(char *text, size_t size) {
    unsigned a, b, c, d, name[3];
    snprintf(text, size, "none");
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c >> 31) == 0) return;
    __cpuid(0x40000000, a, name[0], name[1], name[2]);
    char vendor[sizeof name + 1] = { 0 };
    memcpy(vendor, name, sizeof name);
    if (strncmp(vendor, "KVM", 3) == 0) vendor[3] = '\0';
    snprintf(text, size, "%s", vendor[0] != '\0' ? vendor : unknown);
}
#else
static void read_virtualization(char *text, size_t size) {
    read_line(text, size, "/sys/hypervisor/type");
}
#endif

void machine_read(machine *out) {
    struct utsname system;
    *out = (machine){ 0 };
    read_cpu(out->cpu, sizeof out->cpu);
    read_virtualization(out->virtualization, sizeof out->virtualization);
    read_line(out->clock_source, sizeof out->clock_source,
              "/sys/devices/system/clocksource/clocksource0/current_clocksource");
    read_line(out->governor, sizeof out->governor,
              "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    snprintf(out->kernel, sizeof out->kernel, "%s", unknown);
    if (uname(&system) == 0)
        snprintf(out->kernel, sizeof out->kernel, "%.24s %.64s", system.sysname, system.release);
    out->cores = cores_count();
    out->timer_slack_ns = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
}

void machine_print(const machine *m, FILE *file) {
    fprintf(file, "%s, %lld cores, %s, virtual machine: %s\n", m->cpu, (long long)m->cores,
            m->kernel, m->virtualization);
    fprintf(file, "clock source %s, governor %s, timer slack %lld ns\n", m->clock_source,
            m->governor, (long long)m->timer_slack_ns);
}

json_t *machine_to_json(const machine *m) {
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:I}", "cpu", m->cpu, "kernel", m->kernel,
                     "virtualization", m->virtualization, "clock_source", m->clock_source,
                     "governor", m->governor, "cores", (json_int_t)m->cores, "timer_slack_ns",
                     (json_int_t)m->timer_slack_ns);
}

static void take_text(char *text, size_t size, const json_t *object, const char *name) {
    const char *value = json_string_value(json_object_get(object, name));
    snprintf(text, size, "%s", value != NULL ? value : unknown);
}

void machine_from_json(machine *out, const json_t *object) {
    *out = (machine){ 0 };
    take_text(out->cpu, sizeof out->cpu, object, "cpu");
    take_text(out->kernel, sizeof out->kernel, object, "kernel");
    take_text(out->virtualization, sizeof out->virtualization, object, "virtualization");
    take_text(out->clock_source, sizeof out->clock_source, object, "clock_source");
    take_text(out->governor, sizeof out->governor, object, "governor");
    out->cores = json_integer_value(json_object_get(object, "cores"));
    out->timer_slack_ns = json_integer_value(json_object_get(object, "timer_slack_ns"));
}
