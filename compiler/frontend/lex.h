/* The interface of flex for parser.y and parse_text. */
#ifndef DTG_LEX_H
#define DTG_LEX_H
#include "ast.h"

struct yy_buffer_state;
int dtg_yylex_init_extra(Parse *p, void **out);
struct yy_buffer_state *dtg_yy_scan_bytes(const char *text, int n, void *lex);
int dtg_yyparse(Parse *p, void *lex);

#endif
