/* Loads a program as a plug-in, with its libraries, so that nothing else in the process sees them,
 * and runs it. For record.sh. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    int (*entry)(int count, char **arguments);
    void *plugin = dlopen(argv[argc > 1], RTLD_NOW | RTLD_LOCAL);
    void *address = plugin != NULL ? dlsym(plugin, "main") : NULL;
    if (address == NULL) {
        fprintf(stderr, "plugin.c: %s\n", dlerror());
        return 2;
    }
    memcpy(&entry, &address, sizeof entry);
    return entry(argc - 1, argv + 1);
}
