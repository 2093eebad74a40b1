/* What the command and the shim agree on. */
#ifndef RECORD_PART_H
#define RECORD_PART_H

/* The environment variable that names the folder of the parts. Each process that arms a timer has
 * one, named 1, 2, ... as they come. */
#define RECORD_FOLDER "TARRY_RECORD"
/* Empty files beside them: the shim was loaded; a part could not be written to its end. */
#define RECORD_LOADED "loaded"
#define RECORD_STOPPED "stopped"

#endif
