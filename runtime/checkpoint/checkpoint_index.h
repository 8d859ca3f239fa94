/* checkpoint_index.h: the checksum in the text of an index, for its writers and readers. */
#ifndef DTG_RUNTIME_CHECKPOINT_INDEX_H
#define DTG_RUNTIME_CHECKPOINT_INDEX_H
#include <stdint.h>

char *index_sum_place(char *text);    /* its eight digits; NULL: there are none */
uint32_t index_sum(const char *text); /* of the text as it stands */
#endif
