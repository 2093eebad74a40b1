#include "compare/command.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const command *const commands[] = {
    &command_micro,
    &command_replay,
    &command_import,
    &command_record,
    &command_lateness,
    &command_report,
};

const command *command_at(size_t i) {
    return i < sizeof commands / sizeof *commands ? commands[i] : NULL;
}

const command *command_find(const char *name) {
    for (size_t i = 0; command_at(i) != NULL; ++i)
        if (strcmp(command_at(i)->name, name) == 0) return command_at(i);
    return NULL;
}

int command_fail(int status, const char *name, const char *format, ...) {
    va_list arguments;
    fprintf(stderr, PROGRAM " %s: ", name);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return status;
}
