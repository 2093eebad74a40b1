#include "report/gnuplot.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool gnuplot_available(void) {
    const char *path = getenv("PATH");
    char *copy = strdup(path != NULL ? path : "/usr/bin:/bin"), *rest = copy, *folder;
    bool found = false;
    while (copy != NULL && !found && (folder = strsep(&rest, ":")) != NULL) {
        char *file;
        if (asprintf(&file, "%s/gnuplot", folder) < 0) break;
        found = access(file, X_OK) == 0;
        free(file);
    }
    free(copy);
    return found;
}

bool gnuplot_begin(gnuplot *g, int width, int height) {
    *g = (gnuplot){ .path = "/tmp/tarry-plot-XXXXXX" };
    const int fd = mkstemp(g->path);
    if (fd < 0) return false;
    g->script = fdopen(fd, "w");
    if (g->script == NULL) {
        close(fd);
        unlink(g->path);
        return false;
    }
    fprintf(g->script,
            "set terminal svg size %d,%d font 'sans-serif,13' noenhanced background '#ffffff'\n"
            "set encoding utf8\nset grid lc rgb '#e4e4e4' lw 0.8\n"
            "set border 3 lc rgb '#777777'\nset tics nomirror textcolor rgb '#333333'\nunset key\n",
            width, height);
    return true;
}

/* All that a command prints, or NULL: it failed, or printed nothing. */
static char *read_command(const char *shell_command) {
    char *text = NULL, block[4096];
    size_t size = 0, got;
    FILE *from = popen(shell_command, "r");
    FILE *into = open_memstream(&text, &size);
    if (from == NULL || into == NULL) abort();
    while ((got = fread(block, 1, sizeof block, from)) > 0) fwrite(block, 1, got, into);
    fclose(into);
    if (pclose(from) == 0 && size > 0) return text;
    free(text);
    return NULL;
}

char *gnuplot_end(gnuplot *g) {
    char shell_command[64];
    const bool written = ferror(g->script) == 0;
    snprintf(shell_command, sizeof shell_command, "gnuplot %s 2>/dev/null", g->path);
    char *text = fclose(g->script) == 0 && written ? read_command(shell_command) : NULL;
    unlink(g->path);
    char *svg = text != NULL ? strstr(text, "<svg") : NULL;
    if (svg == NULL) {
        free(text);
        return NULL;
    }
    memmove(text, svg, strlen(svg) + 1);
    return text;
}

void gnuplot_text(const char *text, FILE *script) {
    fputc('\'', script);
    for (; *text != '\0'; ++text)
        fputc(isalnum((unsigned char)*text) || strchr("+-._/ ,:()", *text) != NULL ? *text : '?',
              script);
    fputc('\'', script);
}
