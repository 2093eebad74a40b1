/* tarry-compare: which timer structure is the best for a workload, yours or a standard one. */
#include "compare/command.h"
#include "compare/options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <tarry/base.h>

static const char *command_name(size_t i) {
    return command_at(i) != NULL ? command_at(i)->name : NULL;
}

static int print_help(void) {
    printf("Usage: " PROGRAM " COMMAND [OPTION]...\n"
           "\n"
           "Compare timer structures: tarry's backends with each other and with other libraries,\n"
           "on standard workloads or on a trace of your own program.\n"
           "\n"
           "Commands:\n");
    for (size_t i = 0; command_at(i) != NULL; ++i)
        printf("  %-10s %s\n", command_at(i)->name, command_at(i)->help);
    printf("\n"
           "  --help     this text; " PROGRAM " COMMAND --help tells a command's options\n"
           "  --version  the version, and the compiler that built it\n"
           "\n"
           "Results go to standard output, progress to standard error where that is a terminal.\n"
           "Exit status: 0 fine, 1 a check failed, 2 usage, 3 cannot run here.\n"
           "\n"
           "Examples:\n"
           "  " PROGRAM " micro --backend heap --backend wheel --timers 1M\n"
           "      stop, reset and expire a million timers on both backends and on the peers\n"
           "  " PROGRAM " lateness --json late.json && " PROGRAM " report late.json --output late\n"
           "      how late timers fire on this machine, as a page with plots\n");
    return EXIT_FINE;
}

static int print_version(void) {
    printf(PROGRAM " %d.%d.%d (library %d.%d.%d), %s\n", TARRY_VERSION_MAJOR, TARRY_VERSION_MINOR,
           TARRY_VERSION_PATCH, tarry_version() / 10000, tarry_version() / 100 % 100,
           tarry_version() % 100,
#ifdef __clang__
           "clang " __clang_version__);
#else
           "gcc " __VERSION__);
#endif
    return EXIT_FINE;
}

static int run_command(int argc, char **argv) {
    char names[256];
    const command *found = command_find(argv[1]);
    if (found != NULL) return found->run(argc - 1, argv + 1);
    fprintf(stderr, PROGRAM ": unknown %s '%s' (known: %s%s)\n",
            argv[1][0] == '-' ? "option" : "command", argv[1],
            argv[1][0] == '-' ? "--help, --version; commands: " : "",
            options_list(names, sizeof names, command_name));
    return EXIT_USAGE;
}

int main(int argc, char **argv) {
    int status;
    if (argc < 2) {
        fprintf(stderr, PROGRAM ": no command; " PROGRAM " --help lists them\n");
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) status = print_help();
    else if (strcmp(argv[1], "--version") == 0) status = print_version();
    else status = run_command(argc, argv);
    if ((fflush(stdout) != 0 || ferror(stdout)) && status != EXIT_USAGE) {
        fprintf(stderr, PROGRAM ": standard output: %s\n", strerror(errno != 0 ? errno : EIO));
        return EXIT_CANNOT;
    }
    return status;
}
