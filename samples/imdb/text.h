/* text.h: from a review to the tokens and tf-idf features that the model takes; shared by tfidf,
 * which makes the training data, and sentiment, which serves. The rules are those of Keras's
 * TextVectorization with output_mode="tf_idf":
 *   - ASCII letters are made lower case, ASCII punctuation is taken out, what stands between ASCII
 * white space is a token. No locale has a say, and all other bytes stay as they are: "É" is not
 * "é", and UTF-8 stays whole.
 *   - Column 0 counts the tokens outside the vocabulary; the others are the tokens of the training
 * texts, most frequent first, equals by their bytes, the greater first.
 *   - A feature is the token's count in the text times log(1 + N / (1 + df)), N the number of
 * training texts and df how many of them have the token; column 0 takes the mean of the other
 * columns' logarithms. Bytes that are not UTF-8 count as U+FFFD, one for each ill-formed piece
 * (Unicode 3.9, as browsers do). */
#ifndef TEXT_H
#define TEXT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Growing bytes, which may hold NUL. */
typedef struct TextBytes {
  char *at;
  size_t n, room;
} TextBytes;

enum { TEXT_MOST_LINE = 16 << 20 };

/* The next line without its LF; the last may lack one. Returns 1, 0 at the end, -1 when the file
 * cannot be read (errno), -2 for a line over TEXT_MOST_LINE, -3 when out of memory. */
int text_line(FILE *f, TextBytes *line);

/* Replaces what is not UTF-8. Returns the offset of the first such byte in the line as it was, or
 * -1: all of it is UTF-8; -2: out of memory. `spare` is room to work in. */
ptrdiff_t text_repair(TextBytes *line, TextBytes *spare);

/* The next token of [*p, end) into `token`; *p moves behind it. Returns 1, 0 when there is none, -3
 * when out of memory. */
int text_token(const char **p, const char *end, TextBytes *token);

/* -------- tokens and how often they were seen */

typedef struct TextEntry {
  size_t at; /* of its bytes in TextTable.bytes */
  uint32_t length;
  uint64_t hash, count, df; /* count: in all texts; df: texts that have it */
  uint64_t last;            /* the text that was counted last in df, from 1 */
} TextEntry;

typedef struct TextTable {
  TextEntry *entry;
  uint32_t *slot; /* open addressing: 0, or index + 1 */
  size_t n, room, slots;
  TextBytes bytes;
} TextTable;

/* Index of the token, or -1: not there; with `add` it is put there, and -1 is out of memory. */
ptrdiff_t text_find(TextTable *t, const char *token, size_t length, bool add);
const char *text_bytes(const TextTable *t, size_t i);
/* Keeps the `most` first in the order of columns. */
bool text_keep(TextTable *t, size_t most);
void text_free(TextTable *t);

/* -------- a vocabulary: entry 0 is column 1 */

typedef struct TextVocabulary {
  TextTable table;
  uint64_t texts; /* N */
  float *idf;     /* [columns] */
  size_t columns;
} TextVocabulary;

/* `columns` are the tokens and column 0. The file is text: a line "tfidf 1 texts=N columns=M", then
 * a line for each token: the token, a tab, df, a tab, count. Writes beside the file first and
 * renames. On failure `why` says what is wrong, with the path and line. */
enum { TEXT_WHY = 5000 };
/* A new file beside `path`, opened exclusively under a name that cannot be guessed, which is written to
 * `aside`; to be renamed. NULL with errno. */
FILE *text_aside(const char *path, char *aside, size_t n);
bool text_write_vocabulary(const char *path, const TextTable *t, uint64_t texts, char *why);
bool text_read_vocabulary(const char *path, TextVocabulary *v, char *why);
void text_free_vocabulary(TextVocabulary *v);

/* The features of a text (after text_repair). row: [columns]. false: out of memory. */
bool text_features(TextVocabulary *v, const char *text, size_t n, float *row);

#endif
