/* Run a command, and wait for it and for all that it leaves behind: a daemon that it became, and
 * the processes that this one had. */
#ifndef RECORD_RUN_H
#define RECORD_RUN_H

/* Signals that this process is sent are passed on to the command, and when it has ended to what is
 * left of it; those of the terminal reach it by themselves. They stay blocked here.
 *
 * Returns what a shell would: the command's status, 128 + the signal that ended it; or 127, 126
 * where there is no such command or it cannot be run, with the reason in *error. */
int run_and_wait(char **arguments, int *error);

#endif
