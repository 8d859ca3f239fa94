/* busy.h: one line on a terminal that shows what takes long.
 *
 * Whoever waits for more than a moment is told what for and since when, on standard error where
 * that is a terminal, and the line goes when it is over. Nothing is written for what is quick, nor
 * into files and pipes. */
#ifndef DTG_RUNTIME_BUSY_H
#define DTG_RUNTIME_BUSY_H

typedef struct busy busy;
busy *busy_begin(void); /* NULL without a terminal; all below accept that */
/* What is being done from now on: "compiling m.dtg". */
__attribute__((format(printf, 2, 3))) void busy_say(busy *b, const char *format, ...);
/* How far that is: "3 of 40 layouts tried"; gone with the next busy_say. */
__attribute__((format(printf, 2, 3))) void busy_more(busy *b, const char *format, ...);
void busy_idle(busy *b);  /* nothing is */
void busy_clear(busy *b); /* before other output: the line comes again when it lasts */
void busy_end(busy *b);

#endif
