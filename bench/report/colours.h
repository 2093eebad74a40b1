/* How a contender looks, in every picture and table the same: one table of names. What has no line
 * in it gets a colour that its name alone decides. */
#ifndef REPORT_COLOURS_H
#define REPORT_COLOURS_H

#include <stdbool.h>

typedef struct look {
    char colour[8]; /* #rrggbb, dark enough for a white page */
    double width;   /* of lines: backends stand out among other libraries */
    bool dashed;    /* without a lock: the colour of the same backend with one */
} look;

look look_of(const char *subject, bool is_peer);

#endif
