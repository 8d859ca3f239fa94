/* process.h: what a program may have been started without, by a daemon, a cron job or a shell's
 * `>&-`, and cannot do without. */
#ifndef DTG_PROCESS_H
#define DTG_PROCESS_H

/* First in main. Standard descriptors that are closed are opened, for what cannot be done with
 * them: else the next file would get their number, and messages would be written into it. SIGCHLD,
 * if it is ignored, is not any more: else nothing learns how a command has ended. */
void process_begin(void);

#endif
