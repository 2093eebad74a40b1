/* `report`: results files into one page. */
#include "compare/command.h"
#include "compare/options.h"
#include "compare/output.h"
#include "report/verdict.h"

static int run(int argc, char **argv) {
    output out = { .command = "report" };
    const option_entry entries[] = {
        { .name = "output", .letter = 'o', .argument = "DIR",
          .help = "the folder to write (made if missing)", .kind = OPTION_TEXT, .into = &out.html },
    };
    const option_syntax syntax = {
        .command = PROGRAM " report",
        .operands = "RESULTS.json...",
        .operands_min = 1,
        .operands_max = OPTION_NO_LIMIT,
        .about =
            "Make one page of what other commands wrote with --json: index.html (tables, and\n"
            "plots where gnuplot is installed), results.json and results.csv of all of it.\n",
        .examples =
            "  " PROGRAM " micro --json micro.json && " PROGRAM " report micro.json -o report\n"
            "  " PROGRAM " report monday.json friday.json -o both\n",
    };
    const size_t count = sizeof entries / sizeof *entries;
    int first;
    int status = options_parse(&syntax, entries, count, argc, argv, &first);
    if (status != OPTIONS_GO) return status;
    if (out.html == NULL)
        return command_fail(EXIT_USAGE, "report", "--output DIR is missing");
    results all = { 0 };
    char why[256];
    status = EXIT_FINE;
    for (int i = first; i < argc && status == EXIT_FINE; ++i)
        if (!results_append_file(&all, argv[i], why, sizeof why))
            status = command_fail(EXIT_CANNOT, "report", "%s: %s", argv[i], why);
    if (status == EXIT_FINE) status = output_check(&out);
    if (status == EXIT_FINE) status = output_write_folder(&out, &all);
    if (status == EXIT_FINE) verdict_print(&all.rows, stdout);
    results_free(&all);
    return status;
}

const command command_report = { "report", "results files into a page with tables and plots", run };
