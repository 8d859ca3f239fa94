/* The examples that the equality and gradient tests run: "f32[4, 6] x, f32[6] y+: EXPR", each with
 * a name that can stand in a .dtg text and the op that decides the bound. */
#ifndef DTG_TEST_EXAMPLES_H
#define DTG_TEST_EXAMPLES_H

typedef void ExampleFn(void *user, const char *name, const char *op, const char *example);
/* Returns how many callable ops have no example. */
int examples_each(ExampleFn *visit, void *user);

#endif
