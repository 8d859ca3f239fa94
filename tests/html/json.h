/* A reader of JSON for tests: strict, so that what it takes every browser takes. */
#ifndef JSON_H
#define JSON_H
#include <stddef.h>

typedef enum JsonKind { JSON_NULL, JSON_NUMBER, JSON_STRING, JSON_LIST, JSON_OBJECT } JsonKind;

typedef struct Json {
  JsonKind kind;
  double number;
  char *text; /* of a string, decoded; NUL inside becomes '?' */
  char *key;  /* of an object's member */
  int n;
  struct Json *at; /* [n] members of a list or object */
} Json;

/* NULL when the text is not JSON; then *wrong is where. */
Json *json_read(const char *text, size_t n, size_t *wrong);
void json_free(Json *j);
const Json *json_get(const Json *object, const char *key); /* NULL: none */

#endif
