/* sum_type.h: the type in which values of a data type are added before they are rounded to it, from
 * the table of types: f32 of the half-width floats, else the type itself. */
#ifndef DTG_RUNTIME_SUM_TYPE_H
#define DTG_RUNTIME_SUM_TYPE_H

int sum_type(int dtype);

#endif
