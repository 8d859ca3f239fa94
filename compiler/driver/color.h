/* Colours on a terminal: each mesh axis has one. */
#ifndef DTG_COLOR_H
#define DTG_COLOR_H

/* Prints the text on standard output: as it is, or, where that is a terminal, TERM is not dumb and
 * NO_COLOR is unset or empty, with the mesh axes in colour. The axes are those that the text's
 * first `mesh [name=size, ...]` line names. */
void color_print(const char *text);

#endif
