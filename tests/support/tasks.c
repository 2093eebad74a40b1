#include "tasks.h"

#include "threads.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

void task_read(char *out, size_t size, const char *task, const char *file) {
    char path[300];
    snprintf(path, sizeof path, "/proc/self/task/%s/%s", task, file);
    FILE *opened = fopen(path, "re");
    const size_t length = opened == NULL ? 0 : fread(out, 1, size - 1, opened);
    out[length] = '\0';
    if (opened != NULL) fclose(opened);
}

int tasks_each(const char *name, void (*look)(const char *task, void *argument), void *argument) {
    int count = 0;
    DIR *folder = opendir("/proc/self/task");
    TEST_REQUIRE(folder != NULL);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char its_name[64];
        if (entry->d_name[0] == '.') continue;
        task_read(its_name, sizeof its_name, entry->d_name, "comm");
        if (strncmp(its_name, name, strlen(name)) != 0) continue;
        ++count;
        if (look != NULL) look(entry->d_name, argument);
    }
    closedir(folder);
    return count;
}
