/* Made by special.py: numbers, then expression, inputs and result of each row. */
static const double d0[] = {0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 0x1p-14, -65504.0, -0x1p-14, 0x1p-1, -0x1p-1, 0x1.8p+0, 0x1.998p-4, 20.0, -20.0, 0x1p-10, 0x1.dp+2, -0x1.4p+1};
static const double d1[] = {1.0, 1.0, 0x1.5cp+1, 0x1.c9p-3, 0x1.85cp+3, 0x1.97cp-5, INFINITY, 0.0, NAN, INFINITY, 1.0, 0.0, 1.0, 0x1.a6p+0, 0x1.368p-1, 0x1.1ecp+2, 0x1.1bp+0, INFINITY, 0.0, 0x1.004p+0, 1408.0, 0x1.504p-4};
static const double d2[] = {0.0, -0.0, 0x1.b8p+0, -0x1.8dcp-1, 0x1.65cp+3, -0x1.e68p-1, INFINITY, -1.0, NAN, INFINITY, 0x1p-14, -1.0, -0x1p-14, 0x1.4c4p-1, -0x1.93p-2, 0x1.bdcp+1, 0x1.aecp-4, INFINITY, -1.0, 0x1.004p-10, 1407.0, -0x1.d6p-1};
static const double d3[] = {-INFINITY, -INFINITY, 0.0, NAN, 0x1.d54p-1, NAN, INFINITY, NAN, NAN, 0x1.63p+3, -0x1.368p+3, NAN, NAN, -0x1.63p-1, NAN, 0x1.9f4p-2, -0x1.26cp+1, 0x1.7f8p+1, NAN, -0x1.bb8p+2, 0x1.fb4p+0, NAN};
static const double d4[] = {0.0, -0.0, 0x1.63p-1, NAN, 0x1.40cp+0, NAN, INFINITY, NAN, NAN, 0x1.63p+3, 0x1p-14, NAN, -0x1p-14, 0x1.9f4p-2, -0x1.63p-1, 0x1.d54p-1, 0x1.864p-4, 0x1.85cp+1, NAN, 0x1.ffcp-11, 0x1.0ep+1, NAN};
static const double d5[] = {0.0, -0.0, 1.0, NAN, 0x1.94cp+0, NAN, INFINITY, NAN, NAN, 0x1.ffcp+7, 0x1p-7, NAN, NAN, 0x1.6ap-1, NAN, 0x1.398p+0, 0x1.43cp-2, 0x1.1e4p+2, NAN, 0x1p-5, 0x1.58cp+1, NAN};
static const double d6[] = {INFINITY, -INFINITY, 1.0, NAN, 0x1.43cp-1, NAN, 0.0, NAN, NAN, 0x1p-8, 128.0, NAN, NAN, 0x1.6ap+0, NAN, 0x1.a2p-1, 0x1.94cp+1, 0x1.cap-3, NAN, 32.0, 0x1.7c4p-2, NAN};
static const double d7[] = {0.0, -0.0, 0x1.86p-1, -0x1.cf8p-1, 0x1.f94p-1, -0x1.fd8p-1, 1.0, -1.0, NAN, 1.0, 0x1p-14, -1.0, -0x1p-14, 0x1.d94p-2, -0x1.d94p-2, 0x1.cf8p-1, 0x1.984p-4, 1.0, -1.0, 0x1p-10, 1.0, -0x1.f94p-1};
static const double d8[] = {0.0, -0.0, 0x1.aecp-1, -0x1.fecp-1, 0x1.328p-1, -0x1.21p-3, NAN, NAN, NAN, 0x1.f38p-1, 0x1p-14, -0x1.f38p-1, -0x1p-14, 0x1.ebp-2, -0x1.ebp-2, 0x1.fecp-1, 0x1.98cp-4, 0x1.d38p-1, -0x1.d38p-1, 0x1p-10, 0x1.a58p-1, -0x1.328p-1};
static const double d9[] = {1.0, 1.0, 0x1.14cp-1, 0x1.21cp-4, -0x1.9a4p-1, -0x1.fbp-1, NAN, NAN, NAN, -0x1.c3cp-3, 1.0, -0x1.c3cp-3, 1.0, 0x1.c14p-1, 0x1.c14p-1, 0x1.21cp-4, 0x1.fd8p-1, 0x1.a2p-2, 0x1.a2p-2, 1.0, 0x1.22cp-1, -0x1.9a4p-1};
static const double d10[] = {0.0, -0.0, 1.0, -2.0, 2.0, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 0.0, -65504.0, -1.0, 0.0, -1.0, 1.0, 0.0, 20.0, -20.0, 0.0, 7.0, -3.0};
static const double d11[] = {0.0, -0.0, 1.0, -1.0, 3.0, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 1.0, -65504.0, -0.0, 1.0, -0.0, 2.0, 1.0, 20.0, -20.0, 1.0, 8.0, -2.0};
static const double d12[] = {0.0, -0.0, 1.0, -2.0, 2.0, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 0.0, -65504.0, -0.0, 0.0, -0.0, 2.0, 0.0, 20.0, -20.0, 0.0, 7.0, -2.0};
static const double d13[] = {0.0, 0.0, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 65504.0, 0x1p-14, 65504.0, 0x1p-14, 0x1p-1, 0x1p-1, 0x1.8p+0, 0x1.998p-4, 20.0, 20.0, 0x1p-10, 0x1.dp+2, 0x1.4p+1};
static const double d14[] = {0.0, 0.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0, NAN, 1.0, 1.0, -1.0, -1.0, 1.0, -1.0, 1.0, 1.0, 1.0, -1.0, 1.0, 1.0, -1.0};
static const double d15[] = {-0.0, 0.0, -1.0, 0x1.8p+0, -0x1.4p+1, 3.0, -INFINITY, INFINITY, NAN, -65504.0, -0x1p-14, 65504.0, 0x1p-14, -0x1p-1, 0x1p-1, -0x1.8p+0, -0x1.998p-4, -20.0, 20.0, -0x1p-10, -0x1.dp+2, 0x1.4p+1};
static const double d16[] = {0x1p-1, 0x1p-1, 0x1.764p-1, 0x1.758p-3, 0x1.d94p-1, 0x1.848p-5, 1.0, 0.0, NAN, 1.0, 0x1p-1, 0.0, 0x1p-1, 0x1.3ecp-1, 0x1.828p-2, 0x1.a28p-1, 0x1.0ccp-1, 1.0, 0.0, 0x1p-1, 0x1.ffcp-1, 0x1.36cp-4};
static const double d17[] = {0.0, -0.0, 0x1.af8p-1, -0x1.eecp-1, 0x1.ffcp-1, -1.0, 1.0, -1.0, NAN, 1.0, 0x1.20cp-14, -1.0, -0x1.20cp-14, 0x1.0a8p-1, -0x1.0a8p-1, 0x1.eecp-1, 0x1.cc8p-4, 1.0, -1.0, 0x1.20cp-10, 1.0, -0x1.ffcp-1};
static const double d18[] = {0.0, -0.0, 0x1.8ecp+0, -0x1.c34p+3, -0x1.7e8p-1, 0x1.24p-3, NAN, NAN, NAN, -0x1.1bp+2, 0x1p-14, 0x1.1bp+2, -0x1p-14, 0x1.17cp-1, -0x1.17cp-1, 0x1.c34p+3, 0x1.9acp-4, 0x1.1e4p+1, -0x1.1e4p+1, 0x1p-10, 0x1.73p+0, 0x1.7e8p-1};
static const double d19[] = {0.0, -0.0, 0x1.92p+0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0x1p-14, NAN, -0x1p-14, 0x1.0cp-1, -0x1.0cp-1, NAN, 0x1.9a4p-4, NAN, NAN, 0x1p-10, NAN, NAN};
static const double d20[] = {0x1.92p+0, 0x1.92p+0, 0.0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0x1.92p+0, NAN, 0x1.924p+0, 0x1.0cp+0, 0x1.0cp+1, NAN, 0x1.788p+0, NAN, NAN, 0x1.91cp+0, NAN, NAN};
static const double d21[] = {0.0, -0.0, 0x1.92p-1, -0x1.f74p-1, 0x1.30cp+0, -0x1.3fcp+0, 0x1.92p+0, -0x1.92p+0, NAN, 0x1.92p+0, 0x1p-14, -0x1.92p+0, -0x1p-14, 0x1.dacp-2, -0x1.dacp-2, 0x1.f74p-1, 0x1.984p-4, 0x1.854p+0, -0x1.854p+0, 0x1p-10, 0x1.6fp+0, -0x1.30cp+0};
static const double d22[] = {0.0, -0.0, 0x1.2ccp+0, -0x1.108p+1, 0x1.834p+2, -0x1.408p+3, INFINITY, -INFINITY, NAN, INFINITY, 0x1p-14, -INFINITY, -0x1p-14, 0x1.0acp-1, -0x1.0acp-1, 0x1.108p+1, 0x1.9a4p-4, INFINITY, -INFINITY, 0x1p-10, 704.0, -0x1.834p+2};
static const double d23[] = {1.0, 1.0, 0x1.8bp+0, 0x1.2dp+1, 0x1.888p+2, 0x1.424p+3, INFINITY, INFINITY, NAN, INFINITY, 1.0, INFINITY, 1.0, 0x1.20cp+0, 0x1.20cp+0, 0x1.2dp+1, 0x1.014p+0, INFINITY, INFINITY, 1.0, 704.0, 0x1.888p+2};
static const double d24[] = {0.0, -0.0, 0x1.c34p-1, -0x1.31cp+0, 0x1.a5cp+0, -0x1.d18p+0, INFINITY, -INFINITY, NAN, 0x1.79p+3, 0x1p-14, -0x1.79p+3, -0x1p-14, 0x1.eccp-2, -0x1.eccp-2, 0x1.31cp+0, 0x1.98cp-4, 0x1.d84p+1, -0x1.d84p+1, 0x1p-10, 0x1.57p+1, -0x1.a5cp+0};
static const double d25[] = {NAN, NAN, 0.0, NAN, 0x1.91p+0, NAN, INFINITY, NAN, NAN, 0x1.79p+3, NAN, NAN, NAN, NAN, NAN, 0x1.eccp-1, NAN, 0x1.d8p+1, NAN, NAN, 0x1.55cp+1, NAN};
static const double d26[] = {0.0, -0.0, INFINITY, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0x1p-14, NAN, -0x1p-14, 0x1.194p-1, -0x1.194p-1, NAN, 0x1.9acp-4, NAN, NAN, 0x1p-10, NAN, NAN};
static const double d27[] = {1.0, 1.0, 2.0, 0x1.6ap-2, 0x1.6ap+2, 0x1p-3, INFINITY, 0.0, NAN, INFINITY, 1.0, 0.0, 1.0, 0x1.6ap+0, 0x1.6ap-1, 0x1.6ap+1, 0x1.124p+0, INFINITY, 0x1p-20, 0x1.004p+0, 0x1.308p+7, 0x1.6ap-3};
static const double d28[] = {-INFINITY, -INFINITY, 0.0, NAN, 0x1.528p+0, NAN, INFINITY, NAN, NAN, 16.0, -14.0, NAN, NAN, -1.0, NAN, 0x1.2b8p-1, -0x1.a94p+1, 0x1.148p+2, NAN, -10.0, 0x1.6dcp+1, NAN};
static const double d29[] = {-INFINITY, -INFINITY, 0.0, NAN, 0x1.978p-2, NAN, INFINITY, NAN, NAN, 0x1.344p+2, -0x1.0dcp+2, NAN, NAN, -0x1.344p-2, NAN, 0x1.68cp-3, -1.0, 0x1.4dp+0, NAN, -0x1.814p+1, 0x1.b88p-1, NAN};
static const double d30[] = {0.0, -0.0, 1.0, -0x1.25p+0, 0x1.5b8p+0, -0x1.714p+0, INFINITY, -INFINITY, NAN, 0x1.428p+5, 0x1.428p-5, -0x1.428p+5, -0x1.428p-5, 0x1.964p-1, -0x1.964p-1, 0x1.25p+0, 0x1.db4p-2, 0x1.5b8p+1, -0x1.5b8p+1, 0x1.964p-4, 0x1.ef8p+0, -0x1.5b8p+0};
static const double d31[] = {1.0, 1.0, 0x1.424p-3, 0x1.f74p+0, 0x1.aacp-12, 2.0, 0.0, 2.0, NAN, 0.0, 1.0, 2.0, 1.0, 0x1.ebp-2, 0x1.854p+0, 0x1.15cp-5, 0x1.c68p-1, 0.0, 2.0, 0x1.ff8p-1, 0.0, 2.0};
static const double d32[] = {0.0, 0.0, INFINITY, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0x1.c58p-15, NAN, -0x1.c58p-15, 0x1.e88p-2, -0x1.e88p-2, NAN, 0x1.6bcp-4, NAN, NAN, 0x1.c5cp-11, NAN, NAN};
static const double d33[] = {INFINITY, INFINITY, 0.0, 0x1.b84p-1, 0x1.238p-2, INFINITY, INFINITY, -INFINITY, NAN, INFINITY, 0x1.368p+3, INFINITY, 0x1.368p+3, 0x1.25p-1, 0x1.44p+0, -0x1.eecp-4, 0x1.208p+1, 0x1.3acp+5, INFINITY, 0x1.bb8p+2, 0x1.c34p+2, -0x1.cccp-5};
static const double d34[] = {-INFINITY, INFINITY, -0x1.278p-1, 0x1.68p-1, 0x1.68p-1, NAN, INFINITY, NAN, NAN, 0x1.63p+3, -16384.0, NAN, 16384.0, -0x1.f6cp+0, 0x1.2bp-5, 0x1.2bp-5, -0x1.4dcp+3, 0x1.7c4p+1, NAN, -1025.0, 0x1.e9p+0, 0x1.1a8p+0};
static const double d35[] = {0.0, -0.0, 1.0, -1.0, 2.0, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 0.0, -65504.0, -0.0, 0.0, -0.0, 1.0, 0.0, 20.0, -20.0, 0.0, 7.0, -2.0};
static const double d36[] = {0.0, -0.0, 0.0, -0x1p-1, 0x1p-1, -0.0, NAN, NAN, NAN, 0.0, 0x1p-14, -0.0, -0x1p-14, 0x1p-1, -0x1p-1, 0x1p-1, 0x1.998p-4, 0.0, -0.0, 0x1p-10, 0x1p-2, -0x1p-1};
static const int64_t d37[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
static const int64_t d38[] = {0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
static const int64_t d39[] = {1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
static const double d40[] = {0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 0x1p-14, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 0x1p-14, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 0x1p-14, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 0x1p-14, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 0x1p-14, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 0x1p-14, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 0x1p-14, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 0x1p-14, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 0x1p-14, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 0x1p-14, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 0x1p-14};
static const double d41[] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, -3.0, -3.0, -3.0, -3.0, -3.0, -3.0, -3.0, -3.0, -3.0, -3.0, -3.0, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 65504.0, 65504.0, 65504.0, 65504.0, 65504.0, 65504.0, 65504.0, 65504.0, 65504.0, 65504.0, 65504.0, 0x1p-14, 0x1p-14, 0x1p-14, 0x1p-14, 0x1p-14, 0x1p-14, 0x1p-14, 0x1p-14, 0x1p-14, 0x1p-14, 0x1p-14};
static const double d42[] = {0.0, -0.0, 0x1.92p+0, -0x1.92p+0, 0x1.92p+0, -0x1.92p+0, 0x1.92p+0, -0x1.92p+0, NAN, 0x1.92p+0, 0x1.92p+0, 0x1.92p+1, -0x1.92p+1, 0x1.92p+0, -0x1.92p+0, 0x1.92p+0, -0x1.92p+0, 0x1.92p+0, -0x1.92p+0, NAN, 0x1.92p+0, 0x1.92p+0, 0.0, -0.0, 0x1.92p-1, -0x1.f74p-1, 0x1.30cp+0, -0x1.3fcp+0, 0x1.92p+0, -0x1.92p+0, NAN, 0x1.92p+0, 0x1p-14, 0x1.92p+1, -0x1.92p+1, 0x1.46cp+1, -0x1.2d8p+1, 0x1.0e4p+1, -0x1.048p+1, 0x1.92p+0, -0x1.92p+0, NAN, 0x1.924p+0, 0x1.92p+1, 0.0, -0.0, 0x1.85cp-2, -0x1.14cp-1, 0x1.92p-1, -0x1.c08p-1, 0x1.92p+0, -0x1.92p+0, NAN, 0x1.92p+0, 0x1.9ap-16, 0x1.92p+1, -0x1.92p+1, 0x1.69p+1, -0x1.56cp+1, 0x1.394p+1, -0x1.2d8p+1, 0x1.92p+0, -0x1.92p+0, NAN, 0x1.924p+0, 0x1.92p+1, 0.0, -0.0, 0.0, -0.0, 0.0, -0.0, 0x1.92p-1, -0x1.92p-1, NAN, 0.0, 0.0, 0x1.92p+1, -0x1.92p+1, 0x1.92p+1, -0x1.92p+1, 0x1.92p+1, -0x1.92p+1, 0x1.2d8p+1, -0x1.2d8p+1, NAN, 0x1.92p+1, 0x1.92p+1, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, -0.0, 0x1p-16, -0x1.8p-16, 0x1.4p-15, -0x1.8p-15, 0x1.92p+0, -0x1.92p+0, NAN, 0x1.92p-1, 0.0, 0.0, -0.0, 0x1.92p+0, -0x1.92p+0, 0x1.92p+0, -0x1.92p+0, 0x1.92p+0, -0x1.92p+0, NAN, 0x1.92p+0, 0x1.92p-1};
static const double d43[] = {0.0, 0.0, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 65504.0, 0x1p-14, 0.0, 0.0, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 65504.0, 0x1p-14, 1.0, 1.0, 0x1.6ap+0, 0x1.cd8p+0, 0x1.58cp+1, 0x1.94cp+1, INFINITY, INFINITY, NAN, 65504.0, 1.0, 0x1.8p+0, 0x1.8p+0, 0x1.cd8p+0, 0x1.0f8p+1, 0x1.754p+1, 0x1.ad4p+1, INFINITY, INFINITY, NAN, 65504.0, 0x1.8p+0, 0x1.4p+1, 0x1.4p+1, 0x1.58cp+1, 0x1.754p+1, 0x1.c48p+1, 0x1.f3cp+1, INFINITY, INFINITY, NAN, 65504.0, 0x1.4p+1, 3.0, 3.0, 0x1.94cp+1, 0x1.ad4p+1, 0x1.f3cp+1, 0x1.0f8p+2, INFINITY, INFINITY, NAN, 65504.0, 3.0, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, NAN, NAN, NAN, NAN, NAN, NAN, INFINITY, INFINITY, NAN, NAN, NAN, 65504.0, 65504.0, 65504.0, 65504.0, 65504.0, 65504.0, INFINITY, INFINITY, NAN, INFINITY, 65504.0, 0x1p-14, 0x1p-14, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 65504.0, 0x1.6ap-14};
static const double d44[] = {0x1.63p-1, 0x1.63p-1, 0x1.504p+0, 0x1.9c8p-3, 0x1.4ap+1, 0x1.8ep-5, INFINITY, 0.0, NAN, 65504.0, 0x1.63p-1, 0x1.63p-1, 0x1.63p-1, 0x1.504p+0, 0x1.9c8p-3, 0x1.4ap+1, 0x1.8ep-5, INFINITY, 0.0, NAN, 65504.0, 0x1.63p-1, 0x1.504p+0, 0x1.504p+0, 0x1.b18p+0, 0x1.144p+0, 0x1.59cp+1, 0x1.04cp+0, INFINITY, 1.0, NAN, 65504.0, 0x1.504p+0, 0x1.9c8p-3, 0x1.9c8p-3, 0x1.144p+0, -0x1.9dp-1, 0x1.424p+1, -0x1.4c8p+0, INFINITY, -0x1.8p+0, NAN, 65504.0, 0x1.9c8p-3, 0x1.4ap+1, 0x1.4ap+1, 0x1.59cp+1, 0x1.424p+1, 0x1.98cp+1, 0x1.408p+1, INFINITY, 0x1.4p+1, NAN, 65504.0, 0x1.4ap+1, 0x1.8ep-5, 0x1.8ep-5, 0x1.04cp+0, -0x1.4c8p+0, 0x1.408p+1, -0x1.274p+1, INFINITY, -3.0, NAN, 65504.0, 0x1.8e8p-5, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, NAN, INFINITY, INFINITY, 0.0, 0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 0x1p-14, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 65504.0, 65504.0, 65504.0, 65504.0, 65504.0, 65504.0, INFINITY, 65504.0, NAN, 65504.0, 65504.0, 0x1.63p-1, 0x1.63p-1, 0x1.504p+0, 0x1.9c8p-3, 0x1.4ap+1, 0x1.8e8p-5, INFINITY, 0x1p-14, NAN, 65504.0, 0x1.63p-1};
static const double d45[] = {0.0, 0.0, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 65504.0, 0x1p-14, -0.0, -0.0, -1.0, -0x1.8p+0, -0x1.4p+1, -3.0, -INFINITY, -INFINITY, NAN, -65504.0, -0x1p-14, 0.0, 0.0, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 65504.0, 0x1p-14, -0.0, -0.0, -1.0, -0x1.8p+0, -0x1.4p+1, -3.0, -INFINITY, -INFINITY, NAN, -65504.0, -0x1p-14, 0.0, 0.0, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 65504.0, 0x1p-14, -0.0, -0.0, -1.0, -0x1.8p+0, -0x1.4p+1, -3.0, -INFINITY, -INFINITY, NAN, -65504.0, -0x1p-14, 0.0, 0.0, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 65504.0, 0x1p-14, -0.0, -0.0, -1.0, -0x1.8p+0, -0x1.4p+1, -3.0, -INFINITY, -INFINITY, NAN, -65504.0, -0x1p-14, 0.0, 0.0, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 65504.0, 0x1p-14, 0.0, 0.0, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 65504.0, 0x1p-14, 0.0, 0.0, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 65504.0, 0x1p-14};
static const double d46[] = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, -0.0, 0.0, -0x1p-1, 0x1p-1, -0.0, NAN, NAN, NAN, 0.0, 0x1p-14, 0.0, -0.0, 1.0, -0.0, 1.0, -0.0, NAN, NAN, NAN, 0x1p-1, 0x1p-14, 0.0, -0.0, 1.0, -0x1.8p+0, 0.0, -0x1p-1, NAN, NAN, NAN, 0x1.8p+0, 0x1p-14, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -0.0, NAN, NAN, NAN, 2.0, 0x1p-14, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, NAN, NAN, NAN, 65504.0, 0x1p-14, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, NAN, NAN, NAN, 65504.0, 0x1p-14, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, NAN, NAN, NAN, 0.0, 0x1p-14, 0.0, -0.0, 0.0, -0.0, 0.0, -0.0, NAN, NAN, NAN, 0.0, 0.0};
static const double d47[] = {0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0x1p-126, -0x1.fep+127, -0x1p-126, 0x1p-1, -0x1p-1, 0x1.8p+0, 0x1.9ap-4, 20.0, -20.0, 0x1p-7, 0x1.dp+2, -0x1.4p+1};
static const double d48[] = {1.0, 1.0, 0x1.5cp+1, 0x1.c8p-3, 0x1.86p+3, 0x1.98p-5, INFINITY, 0.0, NAN, INFINITY, 1.0, 0.0, 1.0, 0x1.a6p+0, 0x1.36p-1, 0x1.1ep+2, 0x1.1ap+0, 0x1.cep+28, 0x1.1cp-29, 0x1.02p+0, 1408.0, 0x1.5p-4};
static const double d49[] = {0.0, -0.0, 0x1.b8p+0, -0x1.8ep-1, 0x1.66p+3, -0x1.e6p-1, INFINITY, -1.0, NAN, INFINITY, 0x1p-126, -1.0, -0x1p-126, 0x1.4cp-1, -0x1.92p-2, 0x1.bep+1, 0x1.bp-4, 0x1.cep+28, -1.0, 0x1.02p-7, 1408.0, -0x1.d6p-1};
static const double d50[] = {-INFINITY, -INFINITY, 0.0, NAN, 0x1.d6p-1, NAN, INFINITY, NAN, NAN, 0x1.62p+6, -0x1.5ep+6, NAN, NAN, -0x1.62p-1, NAN, 0x1.ap-2, -0x1.26p+1, 3.0, NAN, -0x1.36p+2, 0x1.fcp+0, NAN};
static const double d51[] = {0.0, -0.0, 0x1.62p-1, NAN, 0x1.4p+0, NAN, INFINITY, NAN, NAN, 0x1.62p+6, 0x1p-126, NAN, -0x1p-126, 0x1.ap-2, -0x1.62p-1, 0x1.d6p-1, 0x1.86p-4, 0x1.86p+1, NAN, 0x1.fep-8, 0x1.0ep+1, NAN};
static const double d52[] = {0.0, -0.0, 1.0, NAN, 0x1.94p+0, NAN, INFINITY, NAN, NAN, 0x1.fep+63, 0x1p-63, NAN, NAN, 0x1.6ap-1, NAN, 0x1.3ap+0, 0x1.44p-2, 0x1.1ep+2, NAN, 0x1.6ap-4, 0x1.58p+1, NAN};
static const double d53[] = {INFINITY, -INFINITY, 1.0, NAN, 0x1.44p-1, NAN, 0.0, NAN, NAN, 0x1p-64, 0x1p+63, NAN, NAN, 0x1.6ap+0, NAN, 0x1.a2p-1, 0x1.94p+1, 0x1.cap-3, NAN, 0x1.6ap+3, 0x1.7cp-2, NAN};
static const double d54[] = {0.0, -0.0, 0x1.86p-1, -0x1.dp-1, 0x1.fap-1, -0x1.fep-1, 1.0, -1.0, NAN, 1.0, 0x1p-126, -1.0, -0x1p-126, 0x1.dap-2, -0x1.dap-2, 0x1.dp-1, 0x1.98p-4, 1.0, -1.0, 0x1p-7, 1.0, -0x1.fap-1};
static const double d55[] = {0.0, -0.0, 0x1.aep-1, -0x1.fep-1, 0x1.32p-1, -0x1.22p-3, NAN, NAN, NAN, -0x1.fap-1, 0x1p-126, 0x1.fap-1, -0x1p-126, 0x1.eap-2, -0x1.eap-2, 0x1.fep-1, 0x1.9ap-4, 0x1.d4p-1, -0x1.d4p-1, 0x1p-7, 0x1.a6p-1, -0x1.32p-1};
static const double d56[] = {1.0, 1.0, 0x1.14p-1, 0x1.22p-4, -0x1.9ap-1, -0x1.fap-1, NAN, NAN, NAN, 0x1.4cp-3, 1.0, 0x1.4cp-3, 1.0, 0x1.c2p-1, 0x1.c2p-1, 0x1.22p-4, 0x1.fep-1, 0x1.a2p-2, 0x1.a2p-2, 1.0, 0x1.22p-1, -0x1.9ap-1};
static const double d57[] = {0.0, -0.0, 1.0, -2.0, 2.0, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0.0, -0x1.fep+127, -1.0, 0.0, -1.0, 1.0, 0.0, 20.0, -20.0, 0.0, 7.0, -3.0};
static const double d58[] = {0.0, -0.0, 1.0, -1.0, 3.0, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 1.0, -0x1.fep+127, -0.0, 1.0, -0.0, 2.0, 1.0, 20.0, -20.0, 1.0, 8.0, -2.0};
static const double d59[] = {0.0, -0.0, 1.0, -2.0, 2.0, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0.0, -0x1.fep+127, -0.0, 0.0, -0.0, 2.0, 0.0, 20.0, -20.0, 0.0, 7.0, -2.0};
static const double d60[] = {0.0, 0.0, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 0x1.fep+127, 0x1p-126, 0x1.fep+127, 0x1p-126, 0x1p-1, 0x1p-1, 0x1.8p+0, 0x1.9ap-4, 20.0, 20.0, 0x1p-7, 0x1.dp+2, 0x1.4p+1};
static const double d61[] = {-0.0, 0.0, -1.0, 0x1.8p+0, -0x1.4p+1, 3.0, -INFINITY, INFINITY, NAN, -0x1.fep+127, -0x1p-126, 0x1.fep+127, 0x1p-126, -0x1p-1, 0x1p-1, -0x1.8p+0, -0x1.9ap-4, -20.0, 20.0, -0x1p-7, -0x1.dp+2, 0x1.4p+1};
static const double d62[] = {0x1p-1, 0x1p-1, 0x1.76p-1, 0x1.76p-3, 0x1.dap-1, 0x1.84p-5, 1.0, 0.0, NAN, 1.0, 0x1p-1, 0.0, 0x1p-1, 0x1.3ep-1, 0x1.82p-2, 0x1.a2p-1, 0x1.0cp-1, 1.0, 0x1.1cp-29, 0x1p-1, 1.0, 0x1.36p-4};
static const double d63[] = {0.0, -0.0, 0x1.bp-1, -0x1.eep-1, 1.0, -1.0, 1.0, -1.0, NAN, 1.0, 0x1.2p-126, -1.0, -0x1.2p-126, 0x1.0ap-1, -0x1.0ap-1, 0x1.eep-1, 0x1.cep-4, 1.0, -1.0, 0x1.2p-7, 1.0, -1.0};
static const double d64[] = {0.0, -0.0, 0x1.8ep+0, -0x1.c4p+3, -0x1.7ep-1, 0x1.24p-3, NAN, NAN, NAN, -0x1.86p+2, 0x1p-126, 0x1.86p+2, -0x1p-126, 0x1.18p-1, -0x1.18p-1, 0x1.c4p+3, 0x1.9cp-4, 0x1.1ep+1, -0x1.1ep+1, 0x1p-7, 0x1.74p+0, 0x1.7ep-1};
static const double d65[] = {0.0, -0.0, 0x1.92p+0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0x1p-126, NAN, -0x1p-126, 0x1.0cp-1, -0x1.0cp-1, NAN, 0x1.9ap-4, NAN, NAN, 0x1p-7, NAN, NAN};
static const double d66[] = {0x1.92p+0, 0x1.92p+0, 0.0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0x1.92p+0, NAN, 0x1.92p+0, 0x1.0cp+0, 0x1.0cp+1, NAN, 0x1.78p+0, NAN, NAN, 0x1.9p+0, NAN, NAN};
static const double d67[] = {0.0, -0.0, 0x1.92p-1, -0x1.f8p-1, 0x1.3p+0, -0x1.4p+0, 0x1.92p+0, -0x1.92p+0, NAN, 0x1.92p+0, 0x1p-126, -0x1.92p+0, -0x1p-126, 0x1.dap-2, -0x1.dap-2, 0x1.f8p-1, 0x1.98p-4, 0x1.86p+0, -0x1.86p+0, 0x1p-7, 0x1.7p+0, -0x1.3p+0};
static const double d68[] = {0.0, -0.0, 0x1.2cp+0, -0x1.1p+1, 0x1.84p+2, -10.0, INFINITY, -INFINITY, NAN, INFINITY, 0x1p-126, -INFINITY, -0x1p-126, 0x1.0ap-1, -0x1.0ap-1, 0x1.1p+1, 0x1.9ap-4, 0x1.cep+27, -0x1.cep+27, 0x1p-7, 704.0, -0x1.84p+2};
static const double d69[] = {1.0, 1.0, 0x1.8cp+0, 0x1.2ep+1, 0x1.88p+2, 0x1.42p+3, INFINITY, INFINITY, NAN, INFINITY, 1.0, INFINITY, 1.0, 0x1.2p+0, 0x1.2p+0, 0x1.2ep+1, 0x1.02p+0, 0x1.cep+27, 0x1.cep+27, 1.0, 704.0, 0x1.88p+2};
static const double d70[] = {0.0, -0.0, 0x1.c4p-1, -0x1.32p+0, 0x1.a6p+0, -0x1.d2p+0, INFINITY, -INFINITY, NAN, 0x1.66p+6, 0x1p-126, -0x1.66p+6, -0x1p-126, 0x1.ecp-2, -0x1.ecp-2, 0x1.32p+0, 0x1.9ap-4, 0x1.d8p+1, -0x1.d8p+1, 0x1p-7, 0x1.56p+1, -0x1.a6p+0};
static const double d71[] = {NAN, NAN, 0.0, NAN, 0x1.92p+0, NAN, INFINITY, NAN, NAN, 0x1.66p+6, NAN, NAN, NAN, NAN, NAN, 0x1.ecp-1, NAN, 0x1.d8p+1, NAN, NAN, 0x1.56p+1, NAN};
static const double d72[] = {0.0, -0.0, INFINITY, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0x1p-126, NAN, -0x1p-126, 0x1.1ap-1, -0x1.1ap-1, NAN, 0x1.9cp-4, NAN, NAN, 0x1p-7, NAN, NAN};
static const double d73[] = {1.0, 1.0, 2.0, 0x1.6ap-2, 0x1.6ap+2, 0x1p-3, INFINITY, 0.0, NAN, INFINITY, 1.0, 0.0, 1.0, 0x1.6ap+0, 0x1.6ap-1, 0x1.6ap+1, 0x1.12p+0, 0x1p+20, 0x1p-20, 0x1.02p+0, 152.0, 0x1.6ap-3};
static const double d74[] = {-INFINITY, -INFINITY, 0.0, NAN, 0x1.52p+0, NAN, INFINITY, NAN, NAN, 128.0, -126.0, NAN, NAN, -1.0, NAN, 0x1.2cp-1, -0x1.aap+1, 0x1.14p+2, NAN, -7.0, 0x1.6ep+1, NAN};
static const double d75[] = {-INFINITY, -INFINITY, 0.0, NAN, 0x1.98p-2, NAN, INFINITY, NAN, NAN, 0x1.34p+5, -38.0, NAN, NAN, -0x1.34p-2, NAN, 0x1.68p-3, -1.0, 0x1.4ep+0, NAN, -0x1.0ep+1, 0x1.b8p-1, NAN};
static const double d76[] = {0.0, -0.0, 1.0, -0x1.26p+0, 0x1.5cp+0, -0x1.72p+0, INFINITY, -INFINITY, NAN, 0x1.96p+42, 0x1p-42, -0x1.96p+42, -0x1p-42, 0x1.96p-1, -0x1.96p-1, 0x1.26p+0, 0x1.dcp-2, 0x1.5cp+1, -0x1.5cp+1, 0x1.96p-3, 0x1.fp+0, -0x1.5cp+0};
static const double d77[] = {1.0, 1.0, 0x1.42p-3, 0x1.f8p+0, 0x1.aap-12, 2.0, 0.0, 2.0, NAN, 0.0, 1.0, 2.0, 1.0, 0x1.ecp-2, 0x1.86p+0, 0x1.16p-5, 0x1.c6p-1, 0.0, 2.0, 0x1.fcp-1, 0x1.62p-80, 2.0};
static const double d78[] = {0.0, 0.0, INFINITY, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0x1.c4p-127, NAN, -0x1.c4p-127, 0x1.e8p-2, -0x1.e8p-2, NAN, 0x1.6cp-4, NAN, NAN, 0x1.c6p-8, NAN, NAN};
static const double d79[] = {INFINITY, INFINITY, 0.0, 0x1.b8p-1, 0x1.24p-2, INFINITY, INFINITY, -INFINITY, NAN, INFINITY, 0x1.5ep+6, INFINITY, 0x1.5ep+6, 0x1.26p-1, 0x1.44p+0, -0x1.eep-4, 0x1.2p+1, 0x1.3ap+5, INFINITY, 0x1.36p+2, 0x1.c4p+2, -0x1.ccp-5};
static const double d80[] = {-INFINITY, INFINITY, -0x1.28p-1, 0x1.68p-1, 0x1.68p-1, NAN, INFINITY, NAN, NAN, 0x1.62p+6, -0x1p+126, NAN, 0x1p+126, -0x1.f6p+0, 0x1.2ap-5, 0x1.2ap-5, -0x1.4ep+3, 0x1.7cp+1, NAN, -129.0, 0x1.eap+0, 0x1.1ap+0};
static const double d81[] = {0.0, -0.0, 1.0, -1.0, 2.0, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0.0, -0x1.fep+127, -0.0, 0.0, -0.0, 1.0, 0.0, 20.0, -20.0, 0.0, 7.0, -2.0};
static const double d82[] = {0.0, -0.0, 0.0, -0x1p-1, 0x1p-1, -0.0, NAN, NAN, NAN, 0.0, 0x1p-126, -0.0, -0x1p-126, 0x1p-1, -0x1p-1, 0x1p-1, 0x1.9ap-4, 0.0, -0.0, 0x1p-7, 0x1p-2, -0x1p-1};
static const double d83[] = {0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0x1p-126};
static const double d84[] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, -3.0, -3.0, -3.0, -3.0, -3.0, -3.0, -3.0, -3.0, -3.0, -3.0, -3.0, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0x1.fep+127, 0x1.fep+127, 0x1.fep+127, 0x1.fep+127, 0x1.fep+127, 0x1.fep+127, 0x1.fep+127, 0x1.fep+127, 0x1.fep+127, 0x1.fep+127, 0x1.fep+127, 0x1p-126, 0x1p-126, 0x1p-126, 0x1p-126, 0x1p-126, 0x1p-126, 0x1p-126, 0x1p-126, 0x1p-126, 0x1p-126, 0x1p-126};
static const double d85[] = {0.0, -0.0, 0x1.92p+0, -0x1.92p+0, 0x1.92p+0, -0x1.92p+0, 0x1.92p+0, -0x1.92p+0, NAN, 0x1.92p+0, 0x1.92p+0, 0x1.92p+1, -0x1.92p+1, 0x1.92p+0, -0x1.92p+0, 0x1.92p+0, -0x1.92p+0, 0x1.92p+0, -0x1.92p+0, NAN, 0x1.92p+0, 0x1.92p+0, 0.0, -0.0, 0x1.92p-1, -0x1.f8p-1, 0x1.3p+0, -0x1.4p+0, 0x1.92p+0, -0x1.92p+0, NAN, 0x1.92p+0, 0x1p-126, 0x1.92p+1, -0x1.92p+1, 0x1.46p+1, -0x1.2ep+1, 0x1.0ep+1, -0x1.04p+1, 0x1.92p+0, -0x1.92p+0, NAN, 0x1.92p+0, 0x1.92p+1, 0.0, -0.0, 0x1.86p-2, -0x1.14p-1, 0x1.92p-1, -0x1.cp-1, 0x1.92p+0, -0x1.92p+0, NAN, 0x1.92p+0, 0x1.98p-128, 0x1.92p+1, -0x1.92p+1, 0x1.68p+1, -0x1.56p+1, 0x1.3ap+1, -0x1.2ep+1, 0x1.92p+0, -0x1.92p+0, NAN, 0x1.92p+0, 0x1.92p+1, 0.0, -0.0, 0.0, -0.0, 0.0, -0.0, 0x1.92p-1, -0x1.92p-1, NAN, 0.0, 0.0, 0x1.92p+1, -0x1.92p+1, 0x1.92p+1, -0x1.92p+1, 0x1.92p+1, -0x1.92p+1, 0x1.2ep+1, -0x1.2ep+1, NAN, 0x1.92p+1, 0x1.92p+1, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, -0.0, 0x1p-128, -0x1.8p-128, 0x1.4p-127, -0x1.8p-127, 0x1.92p+0, -0x1.92p+0, NAN, 0x1.92p-1, 0.0, 0.0, -0.0, 0x1.92p+0, -0x1.92p+0, 0x1.92p+0, -0x1.92p+0, 0x1.92p+0, -0x1.92p+0, NAN, 0x1.92p+0, 0x1.92p-1};
static const double d86[] = {0.0, 0.0, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 0x1.fep+127, 0x1p-126, 0.0, 0.0, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 0x1.fep+127, 0x1p-126, 1.0, 1.0, 0x1.6ap+0, 0x1.cep+0, 0x1.58p+1, 0x1.94p+1, INFINITY, INFINITY, NAN, 0x1.fep+127, 1.0, 0x1.8p+0, 0x1.8p+0, 0x1.cep+0, 0x1.1p+1, 0x1.76p+1, 0x1.aep+1, INFINITY, INFINITY, NAN, 0x1.fep+127, 0x1.8p+0, 0x1.4p+1, 0x1.4p+1, 0x1.58p+1, 0x1.76p+1, 0x1.c4p+1, 0x1.f4p+1, INFINITY, INFINITY, NAN, 0x1.fep+127, 0x1.4p+1, 3.0, 3.0, 0x1.94p+1, 0x1.aep+1, 0x1.f4p+1, 0x1.1p+2, INFINITY, INFINITY, NAN, 0x1.fep+127, 3.0, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, NAN, NAN, NAN, NAN, NAN, NAN, INFINITY, INFINITY, NAN, NAN, NAN, 0x1.fep+127, 0x1.fep+127, 0x1.fep+127, 0x1.fep+127, 0x1.fep+127, 0x1.fep+127, INFINITY, INFINITY, NAN, INFINITY, 0x1.fep+127, 0x1p-126, 0x1p-126, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 0x1.fep+127, 0x1.6ap-126};
static const double d87[] = {0x1.62p-1, 0x1.62p-1, 0x1.5p+0, 0x1.9cp-3, 0x1.4ap+1, 0x1.8ep-5, INFINITY, 0.0, NAN, 0x1.fep+127, 0x1.62p-1, 0x1.62p-1, 0x1.62p-1, 0x1.5p+0, 0x1.9cp-3, 0x1.4ap+1, 0x1.8ep-5, INFINITY, 0.0, NAN, 0x1.fep+127, 0x1.62p-1, 0x1.5p+0, 0x1.5p+0, 0x1.b2p+0, 0x1.14p+0, 0x1.5ap+1, 0x1.04p+0, INFINITY, 1.0, NAN, 0x1.fep+127, 0x1.5p+0, 0x1.9cp-3, 0x1.9cp-3, 0x1.14p+0, -0x1.9ep-1, 0x1.42p+1, -0x1.4cp+0, INFINITY, -0x1.8p+0, NAN, 0x1.fep+127, 0x1.9cp-3, 0x1.4ap+1, 0x1.4ap+1, 0x1.5ap+1, 0x1.42p+1, 0x1.98p+1, 0x1.4p+1, INFINITY, 0x1.4p+1, NAN, 0x1.fep+127, 0x1.4ap+1, 0x1.8ep-5, 0x1.8ep-5, 0x1.04p+0, -0x1.4cp+0, 0x1.4p+1, -0x1.28p+1, INFINITY, -3.0, NAN, 0x1.fep+127, 0x1.8ep-5, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, NAN, INFINITY, INFINITY, 0.0, 0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0x1p-126, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0x1.fep+127, 0x1.fep+127, 0x1.fep+127, 0x1.fep+127, 0x1.fep+127, 0x1.fep+127, INFINITY, 0x1.fep+127, NAN, 0x1.fep+127, 0x1.fep+127, 0x1.62p-1, 0x1.62p-1, 0x1.5p+0, 0x1.9cp-3, 0x1.4ap+1, 0x1.8ep-5, INFINITY, 0x1p-126, NAN, 0x1.fep+127, 0x1.62p-1};
static const double d88[] = {0.0, 0.0, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 0x1.fep+127, 0x1p-126, -0.0, -0.0, -1.0, -0x1.8p+0, -0x1.4p+1, -3.0, -INFINITY, -INFINITY, NAN, -0x1.fep+127, -0x1p-126, 0.0, 0.0, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 0x1.fep+127, 0x1p-126, -0.0, -0.0, -1.0, -0x1.8p+0, -0x1.4p+1, -3.0, -INFINITY, -INFINITY, NAN, -0x1.fep+127, -0x1p-126, 0.0, 0.0, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 0x1.fep+127, 0x1p-126, -0.0, -0.0, -1.0, -0x1.8p+0, -0x1.4p+1, -3.0, -INFINITY, -INFINITY, NAN, -0x1.fep+127, -0x1p-126, 0.0, 0.0, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 0x1.fep+127, 0x1p-126, -0.0, -0.0, -1.0, -0x1.8p+0, -0x1.4p+1, -3.0, -INFINITY, -INFINITY, NAN, -0x1.fep+127, -0x1p-126, 0.0, 0.0, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 0x1.fep+127, 0x1p-126, 0.0, 0.0, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 0x1.fep+127, 0x1p-126, 0.0, 0.0, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 0x1.fep+127, 0x1p-126};
static const double d89[] = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, -0.0, 0.0, -0x1p-1, 0x1p-1, -0.0, NAN, NAN, NAN, 0.0, 0x1p-126, 0.0, -0.0, 1.0, -0.0, 1.0, -0.0, NAN, NAN, NAN, 0.0, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0.0, -0x1p-1, NAN, NAN, NAN, 0.0, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -0.0, NAN, NAN, NAN, 0.0, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, NAN, NAN, NAN, 0x1.fep+127, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, NAN, NAN, NAN, 0x1.fep+127, 0x1p-126, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, NAN, NAN, NAN, 0.0, 0x1p-126, 0.0, -0.0, 0.0, -0.0, 0.0, -0.0, NAN, NAN, NAN, 0.0, 0.0};
static const double d90[] = {0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, -0x1.fffffep+127, -0x1p-126, 0x1p-1, -0x1p-1, 0x1.8p+0, 0x1.99999ap-4, 20.0, -20.0, 0x1p-23, 0x1.dp+2, -0x1.4p+1};
static const double d91[] = {1.0, 1.0, 0x1.5bf0a8p+1, 0x1.c8f878p-3, 0x1.85d6fep+3, 0x1.97db0cp-5, INFINITY, 0.0, NAN, INFINITY, 1.0, 0.0, 1.0, 0x1.a61298p+0, 0x1.368b3p-1, 0x1.1ed3fep+2, 0x1.1aec7cp+0, 0x1.ceb088p+28, 0x1.1b4866p-29, 0x1.000002p+0, 0x1.6006b6p+10, 0x1.50385cp-4};
static const double d92[] = {0.0, -0.0, 0x1.b7e152p+0, -0x1.8dc1e2p-1, 0x1.65d6fep+3, -0x1.e6825p-1, INFINITY, -1.0, NAN, INFINITY, 0x1p-126, -1.0, -0x1p-126, 0x1.4c2532p-1, -0x1.92e9ap-2, 0x1.bda7fcp+1, 0x1.aec7b4p-4, 0x1.ceb088p+28, -1.0, 0x1.000002p-23, 0x1.5fc6b6p+10, -0x1.d5f8f4p-1};
static const double d93[] = {-INFINITY, -INFINITY, 0.0, NAN, 0x1.d5241p-1, NAN, INFINITY, NAN, NAN, 0x1.62e43p+6, -0x1.5d58ap+6, NAN, NAN, -0x1.62e43p-1, NAN, 0x1.9f323ep-2, -0x1.26bb1cp+1, 0x1.7f7428p+1, NAN, -0x1.fe2804p+3, 0x1.fb22eap+0, NAN};
static const double d94[] = {0.0, -0.0, 0x1.62e43p-1, NAN, 0x1.40b512p+0, NAN, INFINITY, NAN, NAN, 0x1.62e43p+6, 0x1p-126, NAN, -0x1p-126, 0x1.9f323ep-2, -0x1.62e43p-1, 0x1.d5241p-1, 0x1.8663f8p-4, 0x1.85b2eap+1, NAN, 0x1.fffffep-24, 0x1.0e1b78p+1, NAN};
static const double d95[] = {0.0, -0.0, 1.0, NAN, 0x1.94c584p+0, NAN, INFINITY, NAN, NAN, 0x1.fffffep+63, 0x1p-63, NAN, NAN, 0x1.6a09e6p-1, NAN, 0x1.3988e2p+0, 0x1.43d136p-2, 0x1.1e377ap+2, NAN, 0x1.6a09e6p-12, 0x1.58a68ap+1, NAN};
static const double d96[] = {INFINITY, -INFINITY, 1.0, NAN, 0x1.43d136p-1, NAN, 0.0, NAN, NAN, 0x1p-64, 0x1p+63, NAN, NAN, 0x1.6a09e6p+0, NAN, 0x1.a20bd8p-1, 0x1.94c584p+1, 0x1.c9f25cp-3, NAN, 0x1.6a09e6p+11, 0x1.7c4dd6p-2, NAN};
static const double d97[] = {0.0, -0.0, 0x1.85efacp-1, -0x1.cf6f98p-1, 0x1.f92582p-1, -0x1.fd77d2p-1, 1.0, -1.0, NAN, 1.0, 0x1p-126, -1.0, -0x1p-126, 0x1.d9353ep-2, -0x1.d9353ep-2, 0x1.cf6f98p-1, 0x1.983d78p-4, 1.0, -1.0, 0x1p-23, 0x1.ffffdep-1, -0x1.f92582p-1};
static const double d98[] = {0.0, -0.0, 0x1.aed548p-1, -0x1.feb7aap-1, 0x1.326afp-1, -0x1.210386p-3, NAN, NAN, NAN, -0x1.0b3366p-1, 0x1p-126, 0x1.0b3366p-1, -0x1p-126, 0x1.eaee88p-2, -0x1.eaee88p-2, 0x1.feb7aap-1, 0x1.98eaeep-4, 0x1.d36d9p-1, -0x1.d36d9p-1, 0x1p-23, 0x1.a56adcp-1, -0x1.326afp-1};
static const double d99[] = {1.0, 1.0, 0x1.14a28p-1, 0x1.21bd54p-4, -0x1.9a2f7ep-1, -0x1.fae04cp-1, NAN, NAN, NAN, 0x1.b4bf2cp-1, 1.0, 0x1.b4bf2cp-1, 1.0, 0x1.c1528p-1, 0x1.c1528p-1, 0x1.21bd54p-4, 0x1.fd713p-1, 0x1.a1e044p-2, 0x1.a1e044p-2, 1.0, 0x1.22c6f6p-1, -0x1.9a2f7ep-1};
static const double d100[] = {0.0, -0.0, 1.0, -2.0, 2.0, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0.0, -0x1.fffffep+127, -1.0, 0.0, -1.0, 1.0, 0.0, 20.0, -20.0, 0.0, 7.0, -3.0};
static const double d101[] = {0.0, -0.0, 1.0, -1.0, 3.0, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 1.0, -0x1.fffffep+127, -0.0, 1.0, -0.0, 2.0, 1.0, 20.0, -20.0, 1.0, 8.0, -2.0};
static const double d102[] = {0.0, -0.0, 1.0, -2.0, 2.0, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0.0, -0x1.fffffep+127, -0.0, 0.0, -0.0, 2.0, 0.0, 20.0, -20.0, 0.0, 7.0, -2.0};
static const double d103[] = {0.0, 0.0, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, 0x1.fffffep+127, 0x1p-126, 0x1p-1, 0x1p-1, 0x1.8p+0, 0x1.99999ap-4, 20.0, 20.0, 0x1p-23, 0x1.dp+2, 0x1.4p+1};
static const double d104[] = {-0.0, 0.0, -1.0, 0x1.8p+0, -0x1.4p+1, 3.0, -INFINITY, INFINITY, NAN, -0x1.fffffep+127, -0x1p-126, 0x1.fffffep+127, 0x1p-126, -0x1p-1, 0x1p-1, -0x1.8p+0, -0x1.99999ap-4, -20.0, 20.0, -0x1p-23, -0x1.dp+2, 0x1.4p+1};
static const double d105[] = {0x1p-1, 0x1p-1, 0x1.764d5p-1, 0x1.759b84p-3, 0x1.d9291ep-1, 0x1.848344p-5, 1.0, 0.0, NAN, 1.0, 0x1p-1, 0.0, 0x1p-1, 0x1.3eb2fep-1, 0x1.829a06p-2, 0x1.a2992p-1, 0x1.0cca12p-1, 1.0, 0x1.1b4866p-29, 0x1p-1, 0x1.ffa2fcp-1, 0x1.36b712p-4};
static const double d106[] = {0.0, -0.0, 0x1.af767ap-1, -0x1.eea556p-1, 0x1.ffcaa8p-1, -0x1.fffd1ap-1, 1.0, -1.0, NAN, 1.0, 0x1.20dd76p-126, -1.0, -0x1.20dd76p-126, 0x1.0a7ef6p-1, -0x1.0a7ef6p-1, 0x1.eea556p-1, 0x1.cca5eap-4, 1.0, -1.0, 0x1.20dd76p-23, 1.0, -0x1.ffcaa8p-1};
static const double d107[] = {0.0, -0.0, 0x1.8eb246p+0, -0x1.c33ed6p+3, -0x1.7e79b4p-1, 0x1.23ef72p-3, NAN, NAN, NAN, -0x1.393d94p-1, 0x1p-126, 0x1.393d94p-1, -0x1p-126, 0x1.17b4f6p-1, -0x1.17b4f6p-1, 0x1.c33ed6p+3, 0x1.9af888p-4, 0x1.1e5b4ap+1, -0x1.1e5b4ap+1, 0x1p-23, 0x1.7303fcp+0, 0x1.7e79b4p-1};
static const double d108[] = {0.0, -0.0, 0x1.921fb6p+0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0x1p-126, NAN, -0x1p-126, 0x1.0c1524p-1, -0x1.0c1524p-1, NAN, 0x1.9a4928p-4, NAN, NAN, 0x1p-23, NAN, NAN};
static const double d109[] = {0x1.921fb6p+0, 0x1.921fb6p+0, 0.0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0x1.921fb6p+0, NAN, 0x1.921fb6p+0, 0x1.0c1524p+0, 0x1.0c1524p+1, NAN, 0x1.787b22p+0, NAN, NAN, 0x1.921fb4p+0, NAN, NAN};
static const double d110[] = {0.0, -0.0, 0x1.921fb6p-1, -0x1.f730bep-1, 0x1.30b6d8p+0, -0x1.3fc176p+0, 0x1.921fb6p+0, -0x1.921fb6p+0, NAN, 0x1.921fb6p+0, 0x1p-126, -0x1.921fb6p+0, -0x1p-126, 0x1.dac67p-2, -0x1.dac67p-2, 0x1.f730bep-1, 0x1.983e28p-4, 0x1.8555a2p+0, -0x1.8555a2p+0, 0x1p-23, 0x1.6f08fp+0, -0x1.30b6d8p+0};
static const double d111[] = {0.0, -0.0, 0x1.2cd9fcp+0, -0x1.108c3ap+1, 0x1.83368cp+2, -0x1.40926ep+3, INFINITY, -INFINITY, NAN, INFINITY, 0x1p-126, -INFINITY, -0x1p-126, 0x1.0acdp-1, -0x1.0acdp-1, 0x1.108c3ap+1, 0x1.9a4874p-4, 0x1.ceb088p+27, -0x1.ceb088p+27, 0x1p-23, 0x1.6006aap+9, -0x1.83368cp+2};
static const double d112[] = {1.0, 1.0, 0x1.8b0756p+0, 0x1.2d1bc2p+1, 0x1.88776ep+2, 0x1.422a4ap+3, INFINITY, INFINITY, NAN, INFINITY, 1.0, INFINITY, 1.0, 0x1.20ac18p+0, 0x1.20ac18p+0, 0x1.2d1bc2p+1, 0x1.0147f4p+0, 0x1.ceb088p+27, 0x1.ceb088p+27, 1.0, 0x1.6006c2p+9, 0x1.88776ep+2};
static const double d113[] = {0.0, -0.0, 0x1.c34366p-1, -0x1.31dcp+0, 0x1.a5b0fp+0, -0x1.d185b6p+0, INFINITY, -INFINITY, NAN, 0x1.65a9f8p+6, 0x1p-126, -0x1.65a9f8p+6, -0x1p-126, 0x1.ecc2cap-2, -0x1.ecc2cap-2, 0x1.31dcp+0, 0x1.98eb9ep-4, 0x1.d841aap+1, -0x1.d841aap+1, 0x1p-23, 0x1.56e542p+1, -0x1.a5b0fp+0};
static const double d114[] = {NAN, NAN, 0.0, NAN, 0x1.9119c2p+0, NAN, INFINITY, NAN, NAN, 0x1.65a9f8p+6, NAN, NAN, NAN, NAN, NAN, 0x1.ecc2cap-1, NAN, 0x1.d818b4p+1, NAN, NAN, 0x1.55ad86p+1, NAN};
static const double d115[] = {0.0, -0.0, INFINITY, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0x1p-126, NAN, -0x1p-126, 0x1.193ea8p-1, -0x1.193ea8p-1, NAN, 0x1.9af93ep-4, NAN, NAN, 0x1p-23, NAN, NAN};
static const double d116[] = {1.0, 1.0, 2.0, 0x1.6a09e6p-2, 0x1.6a09e6p+2, 0x1p-3, INFINITY, 0.0, NAN, INFINITY, 1.0, 0.0, 1.0, 0x1.6a09e6p+0, 0x1.6a09e6p-1, 0x1.6a09e6p+1, 0x1.125fbep+0, 0x1p+20, 0x1p-20, 0x1.000002p+0, 0x1.306fep+7, 0x1.6a09e6p-3};
static const double d117[] = {-INFINITY, -INFINITY, 0.0, NAN, 0x1.5269e2p+0, NAN, INFINITY, NAN, NAN, 128.0, -126.0, NAN, NAN, -1.0, NAN, 0x1.2b8034p-1, -0x1.a934fp+1, 0x1.149a78p+2, NAN, -23.0, 0x1.6dd252p+1, NAN};
static const double d118[] = {-INFINITY, -INFINITY, 0.0, NAN, 0x1.977d96p-2, NAN, INFINITY, NAN, NAN, 0x1.344136p+5, -0x1.2f703p+5, NAN, NAN, -0x1.344136p-2, NAN, 0x1.68a288p-3, -1.0, 0x1.4d104ep+0, NAN, -0x1.bb1dbcp+2, 0x1.b87e3ap-1, NAN};
static const double d119[] = {0.0, -0.0, 1.0, -0x1.250bfep+0, 0x1.5b720ap+0, -0x1.713744p+0, INFINITY, -INFINITY, NAN, 0x1.965feap+42, 0x1p-42, -0x1.965feap+42, -0x1p-42, 0x1.965feap-1, -0x1.965feap-1, 0x1.250bfep+0, 0x1.db4c78p-2, 0x1.5b720ap+1, -0x1.5b720ap+1, 0x1.428a3p-8, 0x1.ef78e2p+0, -0x1.5b720ap+0};
static const double d120[] = {1.0, 1.0, 0x1.422616p-3, 0x1.f752aap+0, 0x1.aab85ap-12, 0x1.fffe8ep+0, 0.0, 2.0, NAN, 0.0, 1.0, 2.0, 1.0, 0x1.eb0214p-2, 0x1.853f7ap+0, 0x1.15aaa8p-5, 0x1.c66b42p-1, 0.0, 2.0, 0x1.fffffcp-1, 0x1.62e226p-80, 0x1.ffe554p+0};
static const double d121[] = {0.0, 0.0, INFINITY, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0x1.c5bf88p-127, NAN, -0x1.c5bf88p-127, 0x1.e861fcp-2, -0x1.e861fcp-2, NAN, 0x1.6bf442p-4, NAN, NAN, 0x1.c5bf8ap-24, NAN, NAN};
static const double d122[] = {INFINITY, INFINITY, 0.0, 0x1.b85816p-1, 0x1.2383e8p-2, INFINITY, INFINITY, -INFINITY, NAN, INFINITY, 0x1.5d58ap+6, INFINITY, 0x1.5d58ap+6, 0x1.250d04p-1, 0x1.43f89ap+0, -0x1.eeb95cp-4, 0x1.2058e4p+1, 0x1.3ab816p+5, INFINITY, 0x1.fe2804p+3, 0x1.c35702p+2, -0x1.ccbfap-5};
static const double d123[] = {-INFINITY, INFINITY, -0x1.2788dp-1, 0x1.680426p-1, 0x1.680426p-1, NAN, INFINITY, NAN, NAN, 0x1.62e43p+6, -0x1p+126, NAN, 0x1p+126, -0x1.f6a898p+0, 0x1.2aed06p-5, 0x1.2aed06p-5, -0x1.4d8f66p+3, 0x1.7c3a22p+1, NAN, -0x1.000002p+23, 0x1.e9137cp+0, 0x1.1a687ap+0};
static const double d124[] = {0.0, -0.0, 1.0, -1.0, 2.0, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0.0, -0x1.fffffep+127, -0.0, 0.0, -0.0, 1.0, 0.0, 20.0, -20.0, 0.0, 7.0, -2.0};
static const double d125[] = {0.0, -0.0, 0.0, -0x1p-1, 0x1p-1, -0.0, NAN, NAN, NAN, 0.0, 0x1p-126, -0.0, -0x1p-126, 0x1p-1, -0x1p-1, 0x1p-1, 0x1.99999ap-4, 0.0, -0.0, 0x1p-23, 0x1p-2, -0x1p-1};
static const double d126[] = {0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0x1p-126};
static const double d127[] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, -3.0, -3.0, -3.0, -3.0, -3.0, -3.0, -3.0, -3.0, -3.0, -3.0, -3.0, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0x1.fffffep+127, 0x1.fffffep+127, 0x1.fffffep+127, 0x1.fffffep+127, 0x1.fffffep+127, 0x1.fffffep+127, 0x1.fffffep+127, 0x1.fffffep+127, 0x1.fffffep+127, 0x1.fffffep+127, 0x1.fffffep+127, 0x1p-126, 0x1p-126, 0x1p-126, 0x1p-126, 0x1p-126, 0x1p-126, 0x1p-126, 0x1p-126, 0x1p-126, 0x1p-126, 0x1p-126};
static const double d128[] = {0.0, -0.0, 0x1.921fb6p+0, -0x1.921fb6p+0, 0x1.921fb6p+0, -0x1.921fb6p+0, 0x1.921fb6p+0, -0x1.921fb6p+0, NAN, 0x1.921fb6p+0, 0x1.921fb6p+0, 0x1.921fb6p+1, -0x1.921fb6p+1, 0x1.921fb6p+0, -0x1.921fb6p+0, 0x1.921fb6p+0, -0x1.921fb6p+0, 0x1.921fb6p+0, -0x1.921fb6p+0, NAN, 0x1.921fb6p+0, 0x1.921fb6p+0, 0.0, -0.0, 0x1.921fb6p-1, -0x1.f730bep-1, 0x1.30b6d8p+0, -0x1.3fc176p+0, 0x1.921fb6p+0, -0x1.921fb6p+0, NAN, 0x1.921fb6p+0, 0x1p-126, 0x1.921fb6p+1, -0x1.921fb6p+1, 0x1.46dc0ap+1, -0x1.2d97c8p+1, 0x1.0e3c52p+1, -0x1.0468a8p+1, 0x1.921fb6p+0, -0x1.921fb6p+0, NAN, 0x1.921fb6p+0, 0x1.921fb6p+1, 0.0, -0.0, 0x1.85a376p-2, -0x1.14b1dep-1, 0x1.921fb6p-1, -0x1.c08aaep-1, 0x1.921fb6p+0, -0x1.921fb6p+0, NAN, 0x1.921fb6p+0, 0x1.999998p-128, 0x1.921fb6p+1, -0x1.921fb6p+1, 0x1.68f096p+1, -0x1.56c6e8p+1, 0x1.393286p+1, -0x1.2d97c8p+1, 0x1.921fb6p+0, -0x1.921fb6p+0, NAN, 0x1.921fb6p+0, 0x1.921fb6p+1, 0.0, -0.0, 0.0, -0.0, 0.0, -0.0, 0x1.921fb6p-1, -0x1.921fb6p-1, NAN, 0.0, 0.0, 0x1.921fb6p+1, -0x1.921fb6p+1, 0x1.921fb6p+1, -0x1.921fb6p+1, 0x1.921fb6p+1, -0x1.921fb6p+1, 0x1.2d97c8p+1, -0x1.2d97c8p+1, NAN, 0x1.921fb6p+1, 0x1.921fb6p+1, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, -0.0, 0x1p-128, -0x1.8p-128, 0x1.4p-127, -0x1.8p-127, 0x1.921fb6p+0, -0x1.921fb6p+0, NAN, 0x1.921fb6p-1, 0.0, 0.0, -0.0, 0x1.921fb6p+0, -0x1.921fb6p+0, 0x1.921fb6p+0, -0x1.921fb6p+0, 0x1.921fb6p+0, -0x1.921fb6p+0, NAN, 0x1.921fb6p+0, 0x1.921fb6p-1};
static const double d129[] = {0.0, 0.0, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, 0.0, 0.0, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, 1.0, 1.0, 0x1.6a09e6p+0, 0x1.cd82b4p+0, 0x1.58a68ap+1, 0x1.94c584p+1, INFINITY, INFINITY, NAN, 0x1.fffffep+127, 1.0, 0x1.8p+0, 0x1.8p+0, 0x1.cd82b4p+0, 0x1.0f876cp+1, 0x1.752e5p+1, 0x1.ad5336p+1, INFINITY, INFINITY, NAN, 0x1.fffffep+127, 0x1.8p+0, 0x1.4p+1, 0x1.4p+1, 0x1.58a68ap+1, 0x1.752e5p+1, 0x1.c48c6p+1, 0x1.f3db22p+1, INFINITY, INFINITY, NAN, 0x1.fffffep+127, 0x1.4p+1, 3.0, 3.0, 0x1.94c584p+1, 0x1.ad5336p+1, 0x1.f3db22p+1, 0x1.0f876cp+2, INFINITY, INFINITY, NAN, 0x1.fffffep+127, 3.0, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, NAN, NAN, NAN, NAN, NAN, NAN, INFINITY, INFINITY, NAN, NAN, NAN, 0x1.fffffep+127, 0x1.fffffep+127, 0x1.fffffep+127, 0x1.fffffep+127, 0x1.fffffep+127, 0x1.fffffep+127, INFINITY, INFINITY, NAN, INFINITY, 0x1.fffffep+127, 0x1p-126, 0x1p-126, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 0x1.fffffep+127, 0x1.6a09e6p-126};
static const double d130[] = {0x1.62e43p-1, 0x1.62e43p-1, 0x1.5031eap+0, 0x1.9c7e9p-3, 0x1.4a191p+1, 0x1.8e071p-5, INFINITY, 0.0, NAN, 0x1.fffffep+127, 0x1.62e43p-1, 0x1.62e43p-1, 0x1.62e43p-1, 0x1.5031eap+0, 0x1.9c7e9p-3, 0x1.4a191p+1, 0x1.8e071p-5, INFINITY, 0.0, NAN, 0x1.fffffep+127, 0x1.62e43p-1, 0x1.5031eap+0, 0x1.5031eap+0, 0x1.b17218p+0, 0x1.14321ep+0, 0x1.59c7eap+1, 0x1.04a57ap+0, INFINITY, 1.0, NAN, 0x1.fffffep+127, 0x1.5031eap+0, 0x1.9c7e9p-3, 0x1.9c7e9p-3, 0x1.14321ep+0, -0x1.9d1bdp-1, 0x1.4252bcp+1, -0x1.4c702ep+0, INFINITY, -0x1.8p+0, NAN, 0x1.fffffep+127, 0x1.9c7e9p-3, 0x1.4a191p+1, 0x1.4a191p+1, 0x1.59c7eap+1, 0x1.4252bcp+1, 0x1.98b90cp+1, 0x1.4085a4p+1, INFINITY, 0x1.4p+1, NAN, 0x1.fffffep+127, 0x1.4a191p+1, 0x1.8e071p-5, 0x1.8e071p-5, 0x1.04a57ap+0, -0x1.4c702ep+0, 0x1.4085a4p+1, -0x1.2746f4p+1, INFINITY, -3.0, NAN, 0x1.fffffep+127, 0x1.8e071p-5, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, NAN, INFINITY, INFINITY, 0.0, 0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0x1.fffffep+127, 0x1.fffffep+127, 0x1.fffffep+127, 0x1.fffffep+127, 0x1.fffffep+127, 0x1.fffffep+127, INFINITY, 0x1.fffffep+127, NAN, 0x1.fffffep+127, 0x1.fffffep+127, 0x1.62e43p-1, 0x1.62e43p-1, 0x1.5031eap+0, 0x1.9c7e9p-3, 0x1.4a191p+1, 0x1.8e071p-5, INFINITY, 0x1p-126, NAN, 0x1.fffffep+127, 0x1.62e43p-1};
static const double d131[] = {0.0, 0.0, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, -0.0, -0.0, -1.0, -0x1.8p+0, -0x1.4p+1, -3.0, -INFINITY, -INFINITY, NAN, -0x1.fffffep+127, -0x1p-126, 0.0, 0.0, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, -0.0, -0.0, -1.0, -0x1.8p+0, -0x1.4p+1, -3.0, -INFINITY, -INFINITY, NAN, -0x1.fffffep+127, -0x1p-126, 0.0, 0.0, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, -0.0, -0.0, -1.0, -0x1.8p+0, -0x1.4p+1, -3.0, -INFINITY, -INFINITY, NAN, -0x1.fffffep+127, -0x1p-126, 0.0, 0.0, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, -0.0, -0.0, -1.0, -0x1.8p+0, -0x1.4p+1, -3.0, -INFINITY, -INFINITY, NAN, -0x1.fffffep+127, -0x1p-126, 0.0, 0.0, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, 0.0, 0.0, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, 0.0, 0.0, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 0x1.fffffep+127, 0x1p-126};
static const double d132[] = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, -0.0, 0.0, -0x1p-1, 0x1p-1, -0.0, NAN, NAN, NAN, 0.0, 0x1p-126, 0.0, -0.0, 1.0, -0.0, 1.0, -0.0, NAN, NAN, NAN, 0.0, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0.0, -0x1p-1, NAN, NAN, NAN, 0.0, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -0.0, NAN, NAN, NAN, 0.0, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, NAN, NAN, NAN, 0x1.fffffep+127, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, NAN, NAN, NAN, 0x1.fffffep+127, 0x1p-126, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, NAN, NAN, NAN, 0.0, 0x1p-126, 0.0, -0.0, 0.0, -0.0, 0.0, -0.0, NAN, NAN, NAN, 0.0, 0.0};
static const double d133[] = {0.0, 0.0, 0x1.fffffep-1, -0x1.7ffffep+0, 0x1.3ffffep+1, -0x1.7ffffep+1, 0x1.fffffep+127, -0x1.fffffep+127, NAN, 0x1.fffffcp+127, 0x1.fffffcp-127, -0.0, -0.0, 0x1.fffffep-1, -0x1.7ffffep+0, 0x1.3ffffep+1, -0x1.7ffffep+1, 0x1.fffffep+127, -0x1.fffffep+127, NAN, 0x1.fffffcp+127, 0x1.fffffcp-127, 0x1p-149, 0x1p-149, 1.0, -0x1.7ffffep+0, 0x1.3ffffep+1, -0x1.7ffffep+1, 0x1.fffffep+127, -0x1.fffffep+127, NAN, 0x1.fffffcp+127, 0x1.000002p-126, -0x1p-149, -0x1p-149, 0x1.fffffep-1, -0x1.8p+0, 0x1.3ffffep+1, -0x1.7ffffep+1, 0x1.fffffep+127, -0x1.fffffep+127, NAN, 0x1.fffffcp+127, 0x1.fffffcp-127, 0x1p-149, 0x1p-149, 0x1.000002p+0, -0x1.7ffffep+0, 0x1.4p+1, -0x1.7ffffep+1, 0x1.fffffep+127, -0x1.fffffep+127, NAN, 0x1.fffffcp+127, 0x1.000002p-126, -0x1p-149, -0x1p-149, 0x1.fffffep-1, -0x1.800002p+0, 0x1.3ffffep+1, -3.0, 0x1.fffffep+127, -0x1.fffffep+127, NAN, 0x1.fffffcp+127, 0x1.fffffcp-127, 0x1p-149, 0x1p-149, 0x1.000002p+0, -0x1.7ffffep+0, 0x1.400002p+1, -0x1.7ffffep+1, INFINITY, -0x1.fffffep+127, NAN, INFINITY, 0x1.000002p-126, -0x1p-149, -0x1p-149, 0x1.fffffep-1, -0x1.800002p+0, 0x1.3ffffep+1, -0x1.800002p+1, 0x1.fffffep+127, -INFINITY, NAN, 0x1.fffffcp+127, 0x1.fffffcp-127, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0x1p-149, 0x1p-149, 0x1.000002p+0, -0x1.7ffffep+0, 0x1.400002p+1, -0x1.7ffffep+1, 0x1.fffffep+127, -0x1.fffffep+127, NAN, 0x1.fffffep+127, 0x1.000002p-126, 0x1p-149, 0x1p-149, 0x1.fffffep-1, -0x1.7ffffep+0, 0x1.3ffffep+1, -0x1.7ffffep+1, 0x1.fffffep+127, -0x1.fffffep+127, NAN, 0x1.fffffcp+127, 0x1p-126};
static const double d134[] = {0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, -0x1.fffffffffffffp+1023, -0x1p-1022, 0x1p-1, -0x1p-1, 0x1.8p+0, 0x1.999999999999ap-4, 20.0, -20.0, 0x1p-52, 0x1.dp+2, -0x1.4p+1};
static const double d135[] = {1.0, 1.0, 0x1.5bf0a8b145769p+1, 0x1.c8f87724b5c1dp-3, 0x1.85d6fd931e0bbp+3, 0x1.97db0ccceb0afp-5, INFINITY, 0.0, NAN, INFINITY, 1.0, 0.0, 1.0, 0x1.a61298e1e069cp+0, 0x1.368b2fc6f960ap-1, 0x1.1ed3fe64fc541p+2, 0x1.1aec7b35a00d4p+0, 0x1.ceb088b68e804p+28, 0x1.1b48655f37267p-29, 0x1.0000000000001p+0, 0x1.6006b5d53e8d9p+10, 0x1.50385c094f425p-4};
static const double d136[] = {0.0, -0.0, 0x1.b7e151628aed3p+0, -0x1.8dc1e236d28f9p-1, 0x1.65d6fd931e0bbp+3, -0x1.e6824f33314f5p-1, INFINITY, -1.0, NAN, INFINITY, 0x1p-1022, -1.0, -0x1p-1022, 0x1.4c2531c3c0d38p-1, -0x1.92e9a0720d3ecp-2, 0x1.bda7fcc9f8a83p+1, 0x1.aec7b35a00d3ap-4, 0x1.ceb088a68e804p+28, -0x1.ffffffee4b79bp-1, 0x1p-52, 0x1.5fc6b5d53e8d9p+10, -0x1.d5f8f47ed617bp-1};
static const double d137[] = {-INFINITY, -INFINITY, 0.0, NAN, 0x1.d5240f0e0e078p-1, NAN, INFINITY, NAN, NAN, 0x1.62e42fefa39efp+9, -0x1.6232bdd7abcd2p+9, NAN, NAN, -0x1.62e42fefa39efp-1, NAN, 0x1.9f323ecbf984cp-2, -0x1.26bb1bbb55515p+1, 0x1.7f7427b73e391p+1, NAN, -0x1.205966f2b4f12p+5, 0x1.fb22e98a1c24ep+0, NAN};
static const double d138[] = {0.0, -0.0, 0x1.62e42fefa39efp-1, NAN, 0x1.40b512eb53d6p+0, NAN, INFINITY, NAN, NAN, 0x1.62e42fefa39efp+9, 0x1p-1022, NAN, -0x1p-1022, 0x1.9f323ecbf984cp-2, -0x1.62e42fefa39efp-1, 0x1.d5240f0e0e078p-1, 0x1.8663f793c46c7p-4, 0x1.85b2e946faeb1p+1, NAN, 0x1.fffffffffffffp-53, 0x1.0e1b775589bd9p+1, NAN};
static const double d139[] = {0.0, -0.0, 1.0, NAN, 0x1.94c583ada5b53p+0, NAN, INFINITY, NAN, NAN, 0x1.fffffffffffffp+511, 0x1p-511, NAN, NAN, 0x1.6a09e667f3bcdp-1, NAN, 0x1.3988e1409212ep+0, 0x1.43d136248490fp-2, 0x1.1e3779b97f4a8p+2, NAN, 0x1p-26, 0x1.58a68a4a8d9f3p+1, NAN};
static const double d140[] = {INFINITY, -INFINITY, 1.0, NAN, 0x1.43d136248490fp-1, NAN, 0.0, NAN, NAN, 0x1.0000000000001p-512, 0x1p+511, NAN, NAN, 0x1.6a09e667f3bccp+0, NAN, 0x1.a20bd700c2c3fp-1, 0x1.94c583ada5b52p+1, 0x1.c9f25c5bfedd9p-3, NAN, 0x1p+26, 0x1.7c4dd663ebb88p-2, NAN};
static const double d141[] = {0.0, -0.0, 0x1.85efab514f394p-1, -0x1.cf6f9786df578p-1, 0x1.f9258260a71c2p-1, -0x1.fd77d111a0bp-1, 1.0, -1.0, NAN, 1.0, 0x1p-1022, -1.0, -0x1p-1022, 0x1.d9353d7568af3p-2, -0x1.d9353d7568af3p-2, 0x1.cf6f9786df578p-1, 0x1.983d7795f413ap-4, 1.0, -1.0, 0x1p-52, 0x1.ffffde2760a42p-1, -0x1.f9258260a71c2p-1};
static const double d142[] = {0.0, -0.0, 0x1.aed548f090ceep-1, -0x1.feb7a9b2c6d8bp-1, 0x1.326af0dcfcab1p-1, -0x1.210386db6d55bp-3, NAN, NAN, NAN, 0x1.452fc98b34e97p-8, 0x1p-1022, -0x1.452fc98b34e97p-8, -0x1p-1022, 0x1.eaee8744b05fp-2, -0x1.eaee8744b05fp-2, 0x1.feb7a9b2c6d8bp-1, 0x1.98eaecb8bcb2cp-4, 0x1.d36d8f55d3cep-1, -0x1.d36d8f55d3cep-1, 0x1p-52, 0x1.a56adb62a27b9p-1, -0x1.326af0dcfcab1p-1};
static const double d143[] = {1.0, 1.0, 0x1.14a280fb5068cp-1, 0x1.21bd54fc5f9a7p-4, -0x1.9a2f7ef858b7dp-1, -0x1.fae04be85e5d2p-1, NAN, NAN, NAN, -0x1.fffe62ecfab75p-1, 1.0, -0x1.fffe62ecfab75p-1, 1.0, 0x1.c1528065b7d5p-1, 0x1.c1528065b7d5p-1, 0x1.21bd54fc5f9a7p-4, 0x1.fd712f9a817c1p-1, 0x1.a1e043964a83fp-2, 0x1.a1e043964a83fp-2, 1.0, 0x1.22c6f50dc3fbep-1, -0x1.9a2f7ef858b7dp-1};
static const double d144[] = {0.0, -0.0, 1.0, -2.0, 2.0, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0.0, -0x1.fffffffffffffp+1023, -1.0, 0.0, -1.0, 1.0, 0.0, 20.0, -20.0, 0.0, 7.0, -3.0};
static const double d145[] = {0.0, -0.0, 1.0, -1.0, 3.0, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 1.0, -0x1.fffffffffffffp+1023, -0.0, 1.0, -0.0, 2.0, 1.0, 20.0, -20.0, 1.0, 8.0, -2.0};
static const double d146[] = {0.0, -0.0, 1.0, -2.0, 2.0, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0.0, -0x1.fffffffffffffp+1023, -0.0, 0.0, -0.0, 2.0, 0.0, 20.0, -20.0, 0.0, 7.0, -2.0};
static const double d147[] = {0.0, 0.0, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, 0x1.fffffffffffffp+1023, 0x1p-1022, 0x1p-1, 0x1p-1, 0x1.8p+0, 0x1.999999999999ap-4, 20.0, 20.0, 0x1p-52, 0x1.dp+2, 0x1.4p+1};
static const double d148[] = {-0.0, 0.0, -1.0, 0x1.8p+0, -0x1.4p+1, 3.0, -INFINITY, INFINITY, NAN, -0x1.fffffffffffffp+1023, -0x1p-1022, 0x1.fffffffffffffp+1023, 0x1p-1022, -0x1p-1, 0x1p-1, -0x1.8p+0, -0x1.999999999999ap-4, -20.0, 20.0, -0x1p-52, -0x1.dp+2, 0x1.4p+1};
static const double d149[] = {0x1p-1, 0x1p-1, 0x1.764d4f5d5a2bdp-1, 0x1.759b8355a1bbp-3, 0x1.d9291ddb596f8p-1, 0x1.848343c905445p-5, 1.0, 0.0, NAN, 1.0, 0x1p-1, 0.0, 0x1p-1, 0x1.3eb2fd4d34391p-1, 0x1.829a0565978dep-2, 0x1.a2991f2a97914p-1, 0x1.0cca12729afb8p-1, 0x1.ffffffee4b79ap-1, 0x1.1b4865556b5d5p-29, 0x1.0000000000001p-1, 0x1.ffa2fb69b099ep-1, 0x1.36b7112534847p-4};
static const double d150[] = {0.0, -0.0, 0x1.af767a741088bp-1, -0x1.eea5557137aep-1, 0x1.ffcaa8f4c9beap-1, -0x1.fffd1ac4135f9p-1, 1.0, -1.0, NAN, 1.0, 0x1.20dd750429b6dp-1022, -1.0, -0x1.20dd750429b6dp-1022, 0x1.0a7ef5c18edd2p-1, -0x1.0a7ef5c18edd2p-1, 0x1.eea5557137aep-1, 0x1.cca5ea24fb334p-4, 1.0, -1.0, 0x1.20dd750429b6dp-52, 1.0, -0x1.ffcaa8f4c9beap-1};
static const double d151[] = {0.0, -0.0, 0x1.8eb245cbee3a6p+0, -0x1.c33ed50b88777p+3, -0x1.7e79b4e00bb15p-1, 0x1.23ef71254b86fp-3, NAN, NAN, NAN, -0x1.4530cfe729484p-8, 0x1p-1022, 0x1.4530cfe729484p-8, -0x1p-1022, 0x1.17b4f5bf3474ap-1, -0x1.17b4f5bf3474ap-1, 0x1.c33ed50b88777p+3, 0x1.9af8877430b8p-4, 0x1.1e5b4a31aab84p+1, -0x1.1e5b4a31aab84p+1, 0x1p-52, 0x1.7303fbb8a82eap+0, 0x1.7e79b4e00bb15p-1};
static const double d152[] = {0.0, -0.0, 0x1.921fb54442d18p+0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0x1p-1022, NAN, -0x1p-1022, 0x1.0c152382d7366p-1, -0x1.0c152382d7366p-1, NAN, 0x1.9a49276037884p-4, NAN, NAN, 0x1p-52, NAN, NAN};
static const double d153[] = {0x1.921fb54442d18p+0, 0x1.921fb54442d18p+0, 0.0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0x1.921fb54442d18p+0, NAN, 0x1.921fb54442d18p+0, 0x1.0c152382d7365p+0, 0x1.0c152382d7366p+1, NAN, 0x1.787b22ce3f59p+0, NAN, NAN, 0x1.921fb54442d17p+0, NAN, NAN};
static const double d154[] = {0.0, -0.0, 0x1.921fb54442d18p-1, -0x1.f730bd281f69bp-1, 0x1.30b6d796a4da8p+0, -0x1.3fc176b7a856p+0, 0x1.921fb54442d18p+0, -0x1.921fb54442d18p+0, NAN, 0x1.921fb54442d18p+0, 0x1p-1022, -0x1.921fb54442d18p+0, -0x1p-1022, 0x1.dac670561bb4fp-2, -0x1.dac670561bb4fp-2, 0x1.f730bd281f69bp-1, 0x1.983e282e2cc4dp-4, 0x1.8555a2787981fp+0, -0x1.8555a2787981fp+0, 0x1p-52, 0x1.6f08f07435fecp+0, -0x1.30b6d796a4da8p+0};
static const double d155[] = {0.0, -0.0, 0x1.2cd9fc44eb982p+0, -0x1.108c3aabd6a6p+1, 0x1.83368cdb0b6d3p+2, -0x1.40926e70949aep+3, INFINITY, -INFINITY, NAN, INFINITY, 0x1p-1022, -INFINITY, -0x1p-1022, 0x1.0acd00fe63b97p-1, -0x1.0acd00fe63b97p-1, 0x1.108c3aabd6a6p+1, 0x1.9a487337b59b3p-4, 0x1.ceb088b68e804p+27, -0x1.ceb088b68e804p+27, 0x1p-52, 0x1.6006aa328e9cp+9, -0x1.83368cdb0b6d3p+2};
static const double d156[] = {1.0, 1.0, 0x1.8b07551d9f55p+0, 0x1.2d1bc21e22022p+1, 0x1.88776e4b30aa3p+2, 0x1.422a497d6185ep+3, INFINITY, INFINITY, NAN, INFINITY, 1.0, INFINITY, 1.0, 0x1.20ac1862ae8dp+0, 0x1.20ac1862ae8dp+0, 0x1.2d1bc21e22022p+1, 0x1.0147f40224b38p+0, 0x1.ceb088b68e804p+27, 0x1.ceb088b68e804p+27, 1.0, 0x1.6006c177ee7f2p+9, 0x1.88776e4b30aa3p+2};
static const double d157[] = {0.0, -0.0, 0x1.c34366179d427p-1, -0x1.31dc0090b63d8p+0, 0x1.a5b0f0be9dcf6p+0, -0x1.d185b507edc0ep+0, INFINITY, -INFINITY, NAN, 0x1.633ce8fb9f87ep+9, 0x1p-1022, -0x1.633ce8fb9f87ep+9, -0x1p-1022, 0x1.ecc2caec5160ap-2, -0x1.ecc2caec5160ap-2, 0x1.31dc0090b63d8p+0, 0x1.98eb9e7e5fc3ep-4, 0x1.d841a9abe2ebbp+1, -0x1.d841a9abe2ebbp+1, 0x1p-52, 0x1.56e54154c1c06p+1, -0x1.a5b0f0be9dcf6p+0};
static const double d158[] = {NAN, NAN, 0.0, NAN, 0x1.9119c13a31bbp+0, NAN, INFINITY, NAN, NAN, 0x1.633ce8fb9f87ep+9, NAN, NAN, NAN, NAN, NAN, 0x1.ecc2caec5160ap-1, NAN, 0x1.d818b3e5d4c5fp+1, NAN, NAN, 0x1.55ad86cdd219p+1, NAN};
static const double d159[] = {0.0, -0.0, INFINITY, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0x1p-1022, NAN, -0x1p-1022, 0x1.193ea7aad030bp-1, -0x1.193ea7aad030bp-1, NAN, 0x1.9af93cd234412p-4, NAN, NAN, 0x1p-52, NAN, NAN};
static const double d160[] = {1.0, 1.0, 2.0, 0x1.6a09e667f3bcdp-2, 0x1.6a09e667f3bcdp+2, 0x1p-3, INFINITY, 0.0, NAN, INFINITY, 1.0, 0.0, 1.0, 0x1.6a09e667f3bcdp+0, 0x1.6a09e667f3bcdp-1, 0x1.6a09e667f3bcdp+1, 0x1.125fbee250664p+0, 0x1p+20, 0x1p-20, 0x1.0000000000001p+0, 0x1.306fe0a31b715p+7, 0x1.6a09e667f3bcdp-3};
static const double d161[] = {-INFINITY, -INFINITY, 0.0, NAN, 0x1.5269e12f346e3p+0, NAN, INFINITY, NAN, NAN, 1024.0, -1022.0, NAN, NAN, -1.0, NAN, 0x1.2b803473f7ad1p-1, -0x1.a934f0979a371p+1, 0x1.149a784bcd1b9p+2, NAN, -52.0, 0x1.6dd2523d54cb7p+1, NAN};
static const double d162[] = {-INFINITY, -INFINITY, 0.0, NAN, 0x1.977d95ec10c02p-2, NAN, INFINITY, NAN, NAN, 0x1.34413509f79ffp+8, -0x1.33a7146f72a42p+8, NAN, NAN, -0x1.34413509f79ffp-2, NAN, 0x1.68a288b60b7fcp-3, -1.0, 0x1.4d104d427de8p+0, NAN, -0x1.f4e9f6303263ep+3, 0x1.b87e392374dd5p-1, NAN};
static const double d163[] = {0.0, -0.0, 1.0, -0x1.250bfe1b082f5p+0, 0x1.5b7209557b0eep+0, -0x1.7137449123ef6p+0, INFINITY, -INFINITY, NAN, 0x1.428a2f98d728bp+341, 0x1.428a2f98d728bp-341, -0x1.428a2f98d728bp+341, -0x1.428a2f98d728bp-341, 0x1.965fea53d6e3dp-1, -0x1.965fea53d6e3dp-1, 0x1.250bfe1b082f5p+0, 0x1.db4c7760bcff3p-2, 0x1.5b7209557b0eep+1, -0x1.5b7209557b0eep+1, 0x1.965fea53d6e3dp-18, 0x1.ef78e2c12c61bp+0, -0x1.5b7209557b0eep+0};
static const double d164[] = {1.0, 1.0, 0x1.4226162fbddd5p-3, 0x1.f752aab89bd7p+0, 0x1.aab859b20ac9ep-12, 0x1.fffe8d6209afdp+0, 0.0, 2.0, NAN, 0.0, 1.0, 2.0, 1.0, 0x1.eb02147ce245cp-2, 0x1.853f7ae0c76e9p+0, 0x1.15aaa8ec85205p-5, 0x1.c66b42bb6099ap-1, 0x1.b54f244df93dep-583, 2.0, 0x1.ffffffffffffep-1, 0x1.62e225ebca18fp-80, 0x1.ffe5547a64df5p+0};
static const double d165[] = {0.0, 0.0, INFINITY, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0x0.e2dfc48da77b5p-1022, NAN, -0x0.e2dfc48da77b5p-1022, 0x1.e861fbb24c00ap-2, -0x1.e861fbb24c00ap-2, NAN, 0x1.6bf442539fd74p-4, NAN, NAN, 0x1.c5bf891b4ef6ap-53, NAN, NAN};
static const double d166[] = {INFINITY, INFINITY, 0.0, 0x1.b858151820f86p-1, 0x1.2383e809a67e8p-2, INFINITY, INFINITY, -INFINITY, NAN, INFINITY, 0x1.6232bdd7abcd2p+9, INFINITY, 0x1.6232bdd7abcd2p+9, 0x1.250d048e7a1bcp-1, 0x1.43f89a3f0edd6p+0, -0x1.eeb95b094c194p-4, 0x1.2058e35f3deeep+1, 0x1.3ab8153363985p+5, INFINITY, 0x1.205966f2b4f12p+5, 0x1.c35701a50ff06p+2, -0x1.ccbf9f5ed0f1p-5};
static const double d167[] = {-INFINITY, INFINITY, -0x1.2788cfc6fb619p-1, 0x1.680425af12b6p-1, 0x1.680425af12b5ep-1, NAN, INFINITY, NAN, NAN, 0x1.62e42fefa39efp+9, -0x1p+1022, NAN, 0x1p+1022, -0x1.f6a897d3214fcp+0, 0x1.2aed059bd6089p-5, 0x1.2aed059bd608ap-5, -0x1.4d8f668552b02p+3, 0x1.7c3a215354e9ep+1, NAN, -0x1.0000000000001p+52, 0x1.e9137b7a7e564p+0, 0x1.1a68793defc16p+0};
static const double d168[] = {0.0, -0.0, 1.0, -1.0, 2.0, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0.0, -0x1.fffffffffffffp+1023, -0.0, 0.0, -0.0, 1.0, 0.0, 20.0, -20.0, 0.0, 7.0, -2.0};
static const double d169[] = {0.0, -0.0, 0.0, -0x1p-1, 0x1p-1, -0.0, NAN, NAN, NAN, 0.0, 0x1p-1022, -0.0, -0x1p-1022, 0x1p-1, -0x1p-1, 0x1p-1, 0x1.999999999999ap-4, 0.0, -0.0, 0x1p-52, 0x1p-2, -0x1p-1};
static const double d170[] = {0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022};
static const double d171[] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, -3.0, -3.0, -3.0, -3.0, -3.0, -3.0, -3.0, -3.0, -3.0, -3.0, -3.0, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023, 0x1p-1022, 0x1p-1022, 0x1p-1022, 0x1p-1022, 0x1p-1022, 0x1p-1022, 0x1p-1022, 0x1p-1022, 0x1p-1022, 0x1p-1022, 0x1p-1022};
static const double d172[] = {0.0, -0.0, 0x1.921fb54442d18p+0, -0x1.921fb54442d18p+0, 0x1.921fb54442d18p+0, -0x1.921fb54442d18p+0, 0x1.921fb54442d18p+0, -0x1.921fb54442d18p+0, NAN, 0x1.921fb54442d18p+0, 0x1.921fb54442d18p+0, 0x1.921fb54442d18p+1, -0x1.921fb54442d18p+1, 0x1.921fb54442d18p+0, -0x1.921fb54442d18p+0, 0x1.921fb54442d18p+0, -0x1.921fb54442d18p+0, 0x1.921fb54442d18p+0, -0x1.921fb54442d18p+0, NAN, 0x1.921fb54442d18p+0, 0x1.921fb54442d18p+0, 0.0, -0.0, 0x1.921fb54442d18p-1, -0x1.f730bd281f69bp-1, 0x1.30b6d796a4da8p+0, -0x1.3fc176b7a856p+0, 0x1.921fb54442d18p+0, -0x1.921fb54442d18p+0, NAN, 0x1.921fb54442d18p+0, 0x1p-1022, 0x1.921fb54442d18p+1, -0x1.921fb54442d18p+1, 0x1.46dc09ec29433p+1, -0x1.2d97c7f3321d2p+1, 0x1.0e3c51fa059c4p+1, -0x1.0468a8ace4df6p+1, 0x1.921fb54442d18p+0, -0x1.921fb54442d18p+0, NAN, 0x1.921fb54442d18p+0, 0x1.921fb54442d18p+1, 0.0, -0.0, 0x1.85a376b677dcp-2, -0x1.14b1dd5f90ce1p-1, 0x1.921fb54442d18p-1, -0x1.c08aae496efa6p-1, 0x1.921fb54442d18p+0, -0x1.921fb54442d18p+0, NAN, 0x1.921fb54442d18p+0, 0x0.6666666666666p-1022, 0x1.921fb54442d18p+1, -0x1.921fb54442d18p+1, 0x1.68f095fdf593cp+1, -0x1.56c6e7397f5aep+1, 0x1.393286347d276p+1, -0x1.2d97c7f3321d2p+1, 0x1.921fb54442d18p+0, -0x1.921fb54442d18p+0, NAN, 0x1.921fb54442d18p+0, 0x1.921fb54442d18p+1, 0.0, -0.0, 0.0, -0.0, 0.0, -0.0, 0x1.921fb54442d18p-1, -0x1.921fb54442d18p-1, NAN, 0.0, 0.0, 0x1.921fb54442d18p+1, -0x1.921fb54442d18p+1, 0x1.921fb54442d18p+1, -0x1.921fb54442d18p+1, 0x1.921fb54442d18p+1, -0x1.921fb54442d18p+1, 0x1.2d97c7f3321d2p+1, -0x1.2d97c7f3321d2p+1, NAN, 0x1.921fb54442d18p+1, 0x1.921fb54442d18p+1, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, -0.0, 0x0.4p-1022, -0x0.6p-1022, 0x0.ap-1022, -0x0.cp-1022, 0x1.921fb54442d18p+0, -0x1.921fb54442d18p+0, NAN, 0x1.921fb54442d18p-1, 0.0, 0.0, -0.0, 0x1.921fb54442d18p+0, -0x1.921fb54442d18p+0, 0x1.921fb54442d18p+0, -0x1.921fb54442d18p+0, 0x1.921fb54442d18p+0, -0x1.921fb54442d18p+0, NAN, 0x1.921fb54442d18p+0, 0x1.921fb54442d18p-1};
static const double d173[] = {0.0, 0.0, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, 0.0, 0.0, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, 1.0, 1.0, 0x1.6a09e667f3bcdp+0, 0x1.cd82b446159f3p+0, 0x1.58a68a4a8d9f3p+1, 0x1.94c583ada5b53p+1, INFINITY, INFINITY, NAN, 0x1.fffffffffffffp+1023, 1.0, 0x1.8p+0, 0x1.8p+0, 0x1.cd82b446159f3p+0, 0x1.0f876ccdf6cd9p+1, 0x1.752e50db3a3a2p+1, 0x1.ad5336963eefcp+1, INFINITY, INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1.8p+0, 0x1.4p+1, 0x1.4p+1, 0x1.58a68a4a8d9f3p+1, 0x1.752e50db3a3a2p+1, 0x1.c48c6001f0acp+1, 0x1.f3db2174e7468p+1, INFINITY, INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1.4p+1, 3.0, 3.0, 0x1.94c583ada5b53p+1, 0x1.ad5336963eefcp+1, 0x1.f3db2174e7468p+1, 0x1.0f876ccdf6cd9p+2, INFINITY, INFINITY, NAN, 0x1.fffffffffffffp+1023, 3.0, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, NAN, NAN, NAN, NAN, NAN, NAN, INFINITY, INFINITY, NAN, NAN, NAN, 0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023, INFINITY, INFINITY, NAN, INFINITY, 0x1.fffffffffffffp+1023, 0x1p-1022, 0x1p-1022, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1.6a09e667f3bcdp-1022};
static const double d174[] = {0x1.62e42fefa39efp-1, 0x1.62e42fefa39efp-1, 0x1.5031eafefb049p+0, 0x1.9c7e908f5420fp-3, 0x1.4a190f0e6368ap+1, 0x1.8e070fc045701p-5, INFINITY, 0.0, NAN, 0x1.fffffffffffffp+1023, 0x1.62e42fefa39efp-1, 0x1.62e42fefa39efp-1, 0x1.62e42fefa39efp-1, 0x1.5031eafefb049p+0, 0x1.9c7e908f5420fp-3, 0x1.4a190f0e6368ap+1, 0x1.8e070fc045701p-5, INFINITY, 0.0, NAN, 0x1.fffffffffffffp+1023, 0x1.62e42fefa39efp-1, 0x1.5031eafefb049p+0, 0x1.5031eafefb049p+0, 0x1.b17217f7d1cf8p+0, 0x1.14321e1cc6d14p+0, 0x1.59c7e908f5421p+1, 0x1.04a57942d4ed9p+0, INFINITY, 1.0, NAN, 0x1.fffffffffffffp+1023, 0x1.5031eafefb049p+0, 0x1.9c7e908f5420fp-3, 0x1.9c7e908f5420fp-3, 0x1.14321e1cc6d14p+0, -0x1.9d1bd0105c611p-1, 0x1.4252bca16a76dp+1, -0x1.4c702dee157bep+0, INFINITY, -0x1.8p+0, NAN, 0x1.fffffffffffffp+1023, 0x1.9c7e908f5420fp-3, 0x1.4a190f0e6368ap+1, 0x1.4a190f0e6368ap+1, 0x1.59c7e908f5421p+1, 0x1.4252bca16a76dp+1, 0x1.98b90bfbe8e7cp+1, 0x1.4085a4763b9bdp+1, INFINITY, 0x1.4p+1, NAN, 0x1.fffffffffffffp+1023, 0x1.4a190f0e6368ap+1, 0x1.8e070fc045701p-5, 0x1.8e070fc045701p-5, 0x1.04a57942d4ed9p+0, -0x1.4c702dee157bep+0, 0x1.4085a4763b9bdp+1, -0x1.2746f40417184p+1, INFINITY, -3.0, NAN, 0x1.fffffffffffffp+1023, 0x1.8e070fc045701p-5, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, NAN, INFINITY, INFINITY, 0.0, 0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023, INFINITY, 0x1.fffffffffffffp+1023, NAN, 0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023, 0x1.62e42fefa39efp-1, 0x1.62e42fefa39efp-1, 0x1.5031eafefb049p+0, 0x1.9c7e908f5420fp-3, 0x1.4a190f0e6368ap+1, 0x1.8e070fc045701p-5, INFINITY, 0x1p-1022, NAN, 0x1.fffffffffffffp+1023, 0x1.62e42fefa39efp-1};
static const double d175[] = {0.0, 0.0, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, -0.0, -0.0, -1.0, -0x1.8p+0, -0x1.4p+1, -3.0, -INFINITY, -INFINITY, NAN, -0x1.fffffffffffffp+1023, -0x1p-1022, 0.0, 0.0, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, -0.0, -0.0, -1.0, -0x1.8p+0, -0x1.4p+1, -3.0, -INFINITY, -INFINITY, NAN, -0x1.fffffffffffffp+1023, -0x1p-1022, 0.0, 0.0, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, -0.0, -0.0, -1.0, -0x1.8p+0, -0x1.4p+1, -3.0, -INFINITY, -INFINITY, NAN, -0x1.fffffffffffffp+1023, -0x1p-1022, 0.0, 0.0, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, -0.0, -0.0, -1.0, -0x1.8p+0, -0x1.4p+1, -3.0, -INFINITY, -INFINITY, NAN, -0x1.fffffffffffffp+1023, -0x1p-1022, 0.0, 0.0, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, 0.0, 0.0, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, 0.0, 0.0, 1.0, 0x1.8p+0, 0x1.4p+1, 3.0, INFINITY, INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022};
static const double d176[] = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, -0.0, 0.0, -0x1p-1, 0x1p-1, -0.0, NAN, NAN, NAN, 0.0, 0x1p-1022, 0.0, -0.0, 1.0, -0.0, 1.0, -0.0, NAN, NAN, NAN, 0x1p-1, 0x1p-1022, 0.0, -0.0, 1.0, -0x1.8p+0, 0.0, -0x1p-1, NAN, NAN, NAN, 0x1p-1, 0x1p-1022, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -0.0, NAN, NAN, NAN, 2.0, 0x1p-1022, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, NAN, NAN, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, NAN, NAN, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, NAN, NAN, NAN, 0.0, 0x1p-1022, 0.0, -0.0, 0.0, -0.0, 0.0, -0.0, NAN, NAN, NAN, 0.0, 0.0};
static const double d177[] = {0.0, 0.0, 0x1.fffffffffffffp-1, -0x1.7ffffffffffffp+0, 0x1.3ffffffffffffp+1, -0x1.7ffffffffffffp+1, 0x1.fffffffffffffp+1023, -0x1.fffffffffffffp+1023, NAN, 0x1.ffffffffffffep+1023, 0x0.fffffffffffffp-1022, -0.0, -0.0, 0x1.fffffffffffffp-1, -0x1.7ffffffffffffp+0, 0x1.3ffffffffffffp+1, -0x1.7ffffffffffffp+1, 0x1.fffffffffffffp+1023, -0x1.fffffffffffffp+1023, NAN, 0x1.ffffffffffffep+1023, 0x0.fffffffffffffp-1022, 0x0.0000000000001p-1022, 0x0.0000000000001p-1022, 1.0, -0x1.7ffffffffffffp+0, 0x1.3ffffffffffffp+1, -0x1.7ffffffffffffp+1, 0x1.fffffffffffffp+1023, -0x1.fffffffffffffp+1023, NAN, 0x1.ffffffffffffep+1023, 0x1.0000000000001p-1022, -0x0.0000000000001p-1022, -0x0.0000000000001p-1022, 0x1.fffffffffffffp-1, -0x1.8p+0, 0x1.3ffffffffffffp+1, -0x1.7ffffffffffffp+1, 0x1.fffffffffffffp+1023, -0x1.fffffffffffffp+1023, NAN, 0x1.ffffffffffffep+1023, 0x0.fffffffffffffp-1022, 0x0.0000000000001p-1022, 0x0.0000000000001p-1022, 0x1.0000000000001p+0, -0x1.7ffffffffffffp+0, 0x1.4p+1, -0x1.7ffffffffffffp+1, 0x1.fffffffffffffp+1023, -0x1.fffffffffffffp+1023, NAN, 0x1.ffffffffffffep+1023, 0x1.0000000000001p-1022, -0x0.0000000000001p-1022, -0x0.0000000000001p-1022, 0x1.fffffffffffffp-1, -0x1.8000000000001p+0, 0x1.3ffffffffffffp+1, -3.0, 0x1.fffffffffffffp+1023, -0x1.fffffffffffffp+1023, NAN, 0x1.ffffffffffffep+1023, 0x0.fffffffffffffp-1022, 0x0.0000000000001p-1022, 0x0.0000000000001p-1022, 0x1.0000000000001p+0, -0x1.7ffffffffffffp+0, 0x1.4000000000001p+1, -0x1.7ffffffffffffp+1, INFINITY, -0x1.fffffffffffffp+1023, NAN, INFINITY, 0x1.0000000000001p-1022, -0x0.0000000000001p-1022, -0x0.0000000000001p-1022, 0x1.fffffffffffffp-1, -0x1.8000000000001p+0, 0x1.3ffffffffffffp+1, -0x1.8000000000001p+1, 0x1.fffffffffffffp+1023, -INFINITY, NAN, 0x1.ffffffffffffep+1023, 0x0.fffffffffffffp-1022, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0x0.0000000000001p-1022, 0x0.0000000000001p-1022, 0x1.0000000000001p+0, -0x1.7ffffffffffffp+0, 0x1.4000000000001p+1, -0x1.7ffffffffffffp+1, 0x1.fffffffffffffp+1023, -0x1.fffffffffffffp+1023, NAN, 0x1.fffffffffffffp+1023, 0x1.0000000000001p-1022, 0x0.0000000000001p-1022, 0x0.0000000000001p-1022, 0x1.fffffffffffffp-1, -0x1.7ffffffffffffp+0, 0x1.3ffffffffffffp+1, -0x1.7ffffffffffffp+1, 0x1.fffffffffffffp+1023, -0x1.fffffffffffffp+1023, NAN, 0x1.ffffffffffffep+1023, 0x1p-1022};
static const int64_t d178[] = {0, 1, 3, 7, 255, 0, 1, 0, 1, 3, 7, 255, 0, 1, 0, 1, 3, 7, 255, 0, 1, 0, 1, 3, 7, 255, 0, 1, 0, 1, 3, 7, 255, 0, 1, 0, 1, 3, 7, 255, 0, 1, 0, 1, 3, 7, 255, 0, 1};
static const int64_t d179[] = {0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 7, 7, 7, 7, 7, 7, 7, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1};
static const int64_t d180[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 1, 0, 1, 3, 3, 3, 0, 1, 0, 1, 3, 7, 7, 0, 1, 0, 1, 3, 7, 255, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 1};
static const int64_t d181[] = {0, 1, 3, 7, 255, 0, 1, 1, 1, 3, 7, 255, 1, 1, 3, 3, 3, 7, 255, 3, 3, 7, 7, 7, 7, 255, 7, 7, 255, 255, 255, 255, 255, 255, 255, 0, 1, 3, 7, 255, 0, 1, 1, 1, 3, 7, 255, 1, 1};
static const int64_t d182[] = {0, 1, 3, 7, 255, 0, 1, 1, 0, 2, 6, 254, 1, 0, 3, 2, 0, 4, 252, 3, 2, 7, 6, 4, 0, 248, 7, 6, 255, 254, 252, 248, 0, 255, 254, 0, 1, 3, 7, 255, 0, 1, 1, 0, 2, 6, 254, 1, 0};
static const int64_t d183[] = {0, 1, 3, 7, 255, 0, 1, 0, 2, 6, 14, 254, 0, 2, 0, 8, 24, 56, 248, 0, 8, 0, 128, 128, 128, 128, 0, 128, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 7, 255, 0, 1, 0, 2, 6, 14, 254, 0, 2};
static const int64_t d184[] = {0, 1, 3, 7, 255, 0, 1, 0, 0, 1, 3, 127, 0, 0, 0, 0, 0, 0, 31, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 7, 255, 0, 1, 0, 0, 1, 3, 127, 0, 0};
static const int64_t d185[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0, 1, 3, 0, 3, 0, 1, 0, 1, 3, 7, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
static const int64_t d186[] = {0, 1, 3, 7, 255, 0, 1, 2, 10, 100, 254};
static const int64_t d187[] = {255, 254, 252, 248, 0, 255, 254, 253, 245, 155, 1};
static const int64_t d188[] = {0, 1, 2, 3, 8, 0, 1, 1, 2, 3, 7};
static const int64_t d189[] = {0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1};
static const int64_t d190[] = {0, 255, 253, 249, 1, 0, 255, 254, 246, 156, 2};
static const int64_t d191[] = {0, 1, 3, 7, 127, -128, -127, -1, -3, -10, 0, 1, 3, 7, 127, -128, -127, -1, -3, -10, 0, 1, 3, 7, 127, -128, -127, -1, -3, -10, 0, 1, 3, 7, 127, -128, -127, -1, -3, -10, 0, 1, 3, 7, 127, -128, -127, -1, -3, -10, 0, 1, 3, 7, 127, -128, -127, -1, -3, -10, 0, 1, 3, 7, 127, -128, -127, -1, -3, -10, 0, 1, 3, 7, 127, -128, -127, -1, -3, -10, 0, 1, 3, 7, 127, -128, -127, -1, -3, -10, 0, 1, 3, 7, 127, -128, -127, -1, -3, -10};
static const int64_t d192[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128, -127, -127, -127, -127, -127, -127, -127, -127, -127, -127, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -3, -3, -3, -3, -3, -3, -3, -3, -3, -3, -10, -10, -10, -10, -10, -10, -10, -10, -10, -10};
static const int64_t d193[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 1, 1, 1, 0, 0, 1, 3, 3, 3, 0, 1, 3, 1, 2, 0, 1, 3, 7, 7, 0, 1, 7, 5, 6, 0, 1, 3, 7, 127, 0, 1, 127, 125, 118, 0, 0, 0, 0, 0, -128, -128, -128, -128, -128, 0, 1, 1, 1, 1, -128, -127, -127, -127, -128, 0, 1, 3, 7, 127, -128, -127, -1, -3, -10, 0, 1, 1, 5, 125, -128, -127, -3, -3, -12, 0, 0, 2, 6, 118, -128, -128, -10, -12, -10};
static const int64_t d194[] = {0, 1, 3, 7, 127, -128, -127, -1, -3, -10, 1, 1, 3, 7, 127, -127, -127, -1, -3, -9, 3, 3, 3, 7, 127, -125, -125, -1, -1, -9, 7, 7, 7, 7, 127, -121, -121, -1, -1, -9, 127, 127, 127, 127, 127, -1, -1, -1, -1, -1, -128, -127, -125, -121, -1, -128, -127, -1, -3, -10, -127, -127, -125, -121, -1, -127, -127, -1, -3, -9, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -3, -3, -1, -1, -1, -3, -3, -1, -3, -1, -10, -9, -9, -9, -1, -10, -9, -1, -1, -10};
static const int64_t d195[] = {0, 1, 3, 7, 127, -128, -127, -1, -3, -10, 1, 0, 2, 6, 126, -127, -128, -2, -4, -9, 3, 2, 0, 4, 124, -125, -126, -4, -2, -11, 7, 6, 4, 0, 120, -121, -122, -8, -6, -15, 127, 126, 124, 120, 0, -1, -2, -128, -126, -119, -128, -127, -125, -121, -1, 0, 1, 127, 125, 118, -127, -128, -126, -122, -2, 1, 0, 126, 124, 119, -1, -2, -4, -8, -128, 127, 126, 0, 2, 9, -3, -4, -2, -6, -126, 125, 124, 2, 0, 11, -10, -9, -11, -15, -119, 118, 119, 9, 11, 0};
static const int64_t d196[] = {0, 1, 3, 7, 127, -128, -127, -1, -3, -10, 0, 2, 6, 14, -2, 0, 2, -2, -6, -20, 0, 8, 24, 56, -8, 0, 8, -8, -24, -80, 0, -128, -128, -128, -128, 0, -128, -128, -128, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
static const int64_t d197[] = {0, 1, 3, 7, 127, -128, -127, -1, -3, -10, 0, 0, 1, 3, 63, -64, -64, -1, -2, -5, 0, 0, 0, 0, 15, -16, -16, -1, -1, -2, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1};
static const int64_t d198[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, -2, -1, -1, 0, -1, 0, 1, 3, 0, 1, -2, -1, -1, -3, -3, 0, 1, 3, 7, 0, -1, 0, -1, -3, -10, 0, 1, 3, 7, 127, 0, -127, -1, -3, -10, 0, 1, 3, 7, 0, -1, 0, -1, -3, -10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, -2, -1, -1, 0, -1, 0, 1, 3, 7, 7, -8, -7, -1, -3, 0};
static const int64_t d199[] = {0, 1, 3, 7, 127, -128, -127, -1, -3, -10, 2, 10, 100, 126};
static const int64_t d200[] = {-1, -2, -4, -8, -128, 127, 126, 0, 2, 9, -3, -11, -101, -127};
static const int64_t d201[] = {0, 1, 2, 3, 7, 1, 2, 8, 7, 6, 1, 2, 3, 6};
static const int64_t d202[] = {0, 1, 3, 7, 127, -128, 127, 1, 3, 10, 2, 10, 100, 126};
static const int64_t d203[] = {0, 1, 1, 1, 1, -1, -1, -1, -1, -1, 1, 1, 1, 1};
static const int64_t d204[] = {0, -1, -3, -7, -127, -128, 127, 1, 3, 10, -2, -10, -100, -126};
static const int64_t d205[] = {0, 1, 3, 7, 2147483647, -2147483648, -2147483647, -1, -3, -10, 0, 1, 3, 7, 2147483647, -2147483648, -2147483647, -1, -3, -10, 0, 1, 3, 7, 2147483647, -2147483648, -2147483647, -1, -3, -10, 0, 1, 3, 7, 2147483647, -2147483648, -2147483647, -1, -3, -10, 0, 1, 3, 7, 2147483647, -2147483648, -2147483647, -1, -3, -10, 0, 1, 3, 7, 2147483647, -2147483648, -2147483647, -1, -3, -10, 0, 1, 3, 7, 2147483647, -2147483648, -2147483647, -1, -3, -10, 0, 1, 3, 7, 2147483647, -2147483648, -2147483647, -1, -3, -10, 0, 1, 3, 7, 2147483647, -2147483648, -2147483647, -1, -3, -10, 0, 1, 3, 7, 2147483647, -2147483648, -2147483647, -1, -3, -10};
static const int64_t d206[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483647, -2147483647, -2147483647, -2147483647, -2147483647, -2147483647, -2147483647, -2147483647, -2147483647, -2147483647, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -3, -3, -3, -3, -3, -3, -3, -3, -3, -3, -10, -10, -10, -10, -10, -10, -10, -10, -10, -10};
static const int64_t d207[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 1, 1, 1, 0, 0, 1, 3, 3, 3, 0, 1, 3, 1, 2, 0, 1, 3, 7, 7, 0, 1, 7, 5, 6, 0, 1, 3, 7, 2147483647, 0, 1, 2147483647, 2147483645, 2147483638, 0, 0, 0, 0, 0, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, 0, 1, 1, 1, 1, -2147483648, -2147483647, -2147483647, -2147483647, -2147483648, 0, 1, 3, 7, 2147483647, -2147483648, -2147483647, -1, -3, -10, 0, 1, 1, 5, 2147483645, -2147483648, -2147483647, -3, -3, -12, 0, 0, 2, 6, 2147483638, -2147483648, -2147483648, -10, -12, -10};
static const int64_t d208[] = {0, 1, 3, 7, 2147483647, -2147483648, -2147483647, -1, -3, -10, 1, 1, 3, 7, 2147483647, -2147483647, -2147483647, -1, -3, -9, 3, 3, 3, 7, 2147483647, -2147483645, -2147483645, -1, -1, -9, 7, 7, 7, 7, 2147483647, -2147483641, -2147483641, -1, -1, -9, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, -1, -1, -1, -1, -1, -2147483648, -2147483647, -2147483645, -2147483641, -1, -2147483648, -2147483647, -1, -3, -10, -2147483647, -2147483647, -2147483645, -2147483641, -1, -2147483647, -2147483647, -1, -3, -9, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -3, -3, -1, -1, -1, -3, -3, -1, -3, -1, -10, -9, -9, -9, -1, -10, -9, -1, -1, -10};
static const int64_t d209[] = {0, 1, 3, 7, 2147483647, -2147483648, -2147483647, -1, -3, -10, 1, 0, 2, 6, 2147483646, -2147483647, -2147483648, -2, -4, -9, 3, 2, 0, 4, 2147483644, -2147483645, -2147483646, -4, -2, -11, 7, 6, 4, 0, 2147483640, -2147483641, -2147483642, -8, -6, -15, 2147483647, 2147483646, 2147483644, 2147483640, 0, -1, -2, -2147483648, -2147483646, -2147483639, -2147483648, -2147483647, -2147483645, -2147483641, -1, 0, 1, 2147483647, 2147483645, 2147483638, -2147483647, -2147483648, -2147483646, -2147483642, -2, 1, 0, 2147483646, 2147483644, 2147483639, -1, -2, -4, -8, -2147483648, 2147483647, 2147483646, 0, 2, 9, -3, -4, -2, -6, -2147483646, 2147483645, 2147483644, 2, 0, 11, -10, -9, -11, -15, -2147483639, 2147483638, 2147483639, 9, 11, 0};
static const int64_t d210[] = {0, 1, 3, 7, 2147483647, -2147483648, -2147483647, -1, -3, -10, 0, 2, 6, 14, -2, 0, 2, -2, -6, -20, 0, 8, 24, 56, -8, 0, 8, -8, -24, -80, 0, 128, 384, 896, -128, 0, 128, -128, -384, -1280, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
static const int64_t d211[] = {0, 1, 3, 7, 2147483647, -2147483648, -2147483647, -1, -3, -10, 0, 0, 1, 3, 1073741823, -1073741824, -1073741824, -1, -2, -5, 0, 0, 0, 0, 268435455, -268435456, -268435456, -1, -1, -2, 0, 0, 0, 0, 16777215, -16777216, -16777216, -1, -1, -1, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1};
static const int64_t d212[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, -2, -1, -1, 0, -1, 0, 1, 3, 0, 1, -2, -1, -1, -3, -3, 0, 1, 3, 7, 0, -1, 0, -1, -3, -10, 0, 1, 3, 7, 2147483647, 0, -2147483647, -1, -3, -10, 0, 1, 3, 7, 0, -1, 0, -1, -3, -10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, -2, -1, -1, 0, -1, 0, 1, 3, 7, 7, -8, -7, -1, -3, 0};
static const int64_t d213[] = {0, 1, 3, 7, 2147483647, -2147483648, -2147483647, -1, -3, -10, 2, 10, 100, 2147483646};
static const int64_t d214[] = {-1, -2, -4, -8, -2147483648, 2147483647, 2147483646, 0, 2, 9, -3, -11, -101, -2147483647};
static const int64_t d215[] = {0, 1, 2, 3, 31, 1, 2, 32, 31, 30, 1, 2, 3, 30};
static const int64_t d216[] = {0, 1, 3, 7, 2147483647, -2147483648, 2147483647, 1, 3, 10, 2, 10, 100, 2147483646};
static const int64_t d217[] = {0, -1, -3, -7, -2147483647, -2147483648, 2147483647, 1, 3, 10, -2, -10, -100, -2147483646};
static const int64_t d218[] = {0, 1, 3, 7, 9223372036854775807, INT64_MIN, -9223372036854775807, -1, -3, -10, 0, 1, 3, 7, 9223372036854775807, INT64_MIN, -9223372036854775807, -1, -3, -10, 0, 1, 3, 7, 9223372036854775807, INT64_MIN, -9223372036854775807, -1, -3, -10, 0, 1, 3, 7, 9223372036854775807, INT64_MIN, -9223372036854775807, -1, -3, -10, 0, 1, 3, 7, 9223372036854775807, INT64_MIN, -9223372036854775807, -1, -3, -10, 0, 1, 3, 7, 9223372036854775807, INT64_MIN, -9223372036854775807, -1, -3, -10, 0, 1, 3, 7, 9223372036854775807, INT64_MIN, -9223372036854775807, -1, -3, -10, 0, 1, 3, 7, 9223372036854775807, INT64_MIN, -9223372036854775807, -1, -3, -10, 0, 1, 3, 7, 9223372036854775807, INT64_MIN, -9223372036854775807, -1, -3, -10, 0, 1, 3, 7, 9223372036854775807, INT64_MIN, -9223372036854775807, -1, -3, -10};
static const int64_t d219[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, -9223372036854775807, -9223372036854775807, -9223372036854775807, -9223372036854775807, -9223372036854775807, -9223372036854775807, -9223372036854775807, -9223372036854775807, -9223372036854775807, -9223372036854775807, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -3, -3, -3, -3, -3, -3, -3, -3, -3, -3, -10, -10, -10, -10, -10, -10, -10, -10, -10, -10};
static const int64_t d220[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 1, 1, 1, 0, 0, 1, 3, 3, 3, 0, 1, 3, 1, 2, 0, 1, 3, 7, 7, 0, 1, 7, 5, 6, 0, 1, 3, 7, 9223372036854775807, 0, 1, 9223372036854775807, 9223372036854775805, 9223372036854775798, 0, 0, 0, 0, 0, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, 0, 1, 1, 1, 1, INT64_MIN, -9223372036854775807, -9223372036854775807, -9223372036854775807, INT64_MIN, 0, 1, 3, 7, 9223372036854775807, INT64_MIN, -9223372036854775807, -1, -3, -10, 0, 1, 1, 5, 9223372036854775805, INT64_MIN, -9223372036854775807, -3, -3, -12, 0, 0, 2, 6, 9223372036854775798, INT64_MIN, INT64_MIN, -10, -12, -10};
static const int64_t d221[] = {0, 1, 3, 7, 9223372036854775807, INT64_MIN, -9223372036854775807, -1, -3, -10, 1, 1, 3, 7, 9223372036854775807, -9223372036854775807, -9223372036854775807, -1, -3, -9, 3, 3, 3, 7, 9223372036854775807, -9223372036854775805, -9223372036854775805, -1, -1, -9, 7, 7, 7, 7, 9223372036854775807, -9223372036854775801, -9223372036854775801, -1, -1, -9, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, -1, -1, -1, -1, -1, INT64_MIN, -9223372036854775807, -9223372036854775805, -9223372036854775801, -1, INT64_MIN, -9223372036854775807, -1, -3, -10, -9223372036854775807, -9223372036854775807, -9223372036854775805, -9223372036854775801, -1, -9223372036854775807, -9223372036854775807, -1, -3, -9, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -3, -3, -1, -1, -1, -3, -3, -1, -3, -1, -10, -9, -9, -9, -1, -10, -9, -1, -1, -10};
static const int64_t d222[] = {0, 1, 3, 7, 9223372036854775807, INT64_MIN, -9223372036854775807, -1, -3, -10, 1, 0, 2, 6, 9223372036854775806, -9223372036854775807, INT64_MIN, -2, -4, -9, 3, 2, 0, 4, 9223372036854775804, -9223372036854775805, -9223372036854775806, -4, -2, -11, 7, 6, 4, 0, 9223372036854775800, -9223372036854775801, -9223372036854775802, -8, -6, -15, 9223372036854775807, 9223372036854775806, 9223372036854775804, 9223372036854775800, 0, -1, -2, INT64_MIN, -9223372036854775806, -9223372036854775799, INT64_MIN, -9223372036854775807, -9223372036854775805, -9223372036854775801, -1, 0, 1, 9223372036854775807, 9223372036854775805, 9223372036854775798, -9223372036854775807, INT64_MIN, -9223372036854775806, -9223372036854775802, -2, 1, 0, 9223372036854775806, 9223372036854775804, 9223372036854775799, -1, -2, -4, -8, INT64_MIN, 9223372036854775807, 9223372036854775806, 0, 2, 9, -3, -4, -2, -6, -9223372036854775806, 9223372036854775805, 9223372036854775804, 2, 0, 11, -10, -9, -11, -15, -9223372036854775799, 9223372036854775798, 9223372036854775799, 9, 11, 0};
static const int64_t d223[] = {0, 1, 3, 7, 9223372036854775807, INT64_MIN, -9223372036854775807, -1, -3, -10, 0, 2, 6, 14, -2, 0, 2, -2, -6, -20, 0, 8, 24, 56, -8, 0, 8, -8, -24, -80, 0, 128, 384, 896, -128, 0, 128, -128, -384, -1280, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
static const int64_t d224[] = {0, 1, 3, 7, 9223372036854775807, INT64_MIN, -9223372036854775807, -1, -3, -10, 0, 0, 1, 3, 4611686018427387903, -4611686018427387904, -4611686018427387904, -1, -2, -5, 0, 0, 0, 0, 1152921504606846975, -1152921504606846976, -1152921504606846976, -1, -1, -2, 0, 0, 0, 0, 72057594037927935, -72057594037927936, -72057594037927936, -1, -1, -1, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1};
static const int64_t d225[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, -2, -1, -1, 0, -1, 0, 1, 3, 0, 0, -1, 0, -1, -3, -3, 0, 1, 3, 7, 0, -1, 0, -1, -3, -10, 0, 1, 3, 7, 9223372036854775807, 0, -9223372036854775807, -1, -3, -10, 0, 1, 3, 7, 0, -1, 0, -1, -3, -10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, -2, -1, -1, 0, -1, 0, 1, 3, 7, 7, -8, -7, -1, -3, 0};
static const int64_t d226[] = {0, 1, 3, 7, 9223372036854775807, INT64_MIN, -9223372036854775807, -1, -3, -10, 2, 10, 100, 9223372036854775806};
static const int64_t d227[] = {-1, -2, -4, -8, INT64_MIN, 9223372036854775807, 9223372036854775806, 0, 2, 9, -3, -11, -101, -9223372036854775807};
static const int64_t d228[] = {0, 1, 2, 3, 63, 1, 2, 64, 63, 62, 1, 2, 3, 62};
static const int64_t d229[] = {0, 1, 3, 7, 9223372036854775807, INT64_MIN, 9223372036854775807, 1, 3, 10, 2, 10, 100, 9223372036854775806};
static const int64_t d230[] = {0, -1, -3, -7, -9223372036854775807, INT64_MIN, 9223372036854775807, 1, 3, 10, -2, -10, -100, -9223372036854775806};
static const int64_t d231[] = {0, 1, 3, 7, 32767, -32768, -32767, -1, -3, -10, 0, 1, 3, 7, 32767, -32768, -32767, -1, -3, -10, 0, 1, 3, 7, 32767, -32768, -32767, -1, -3, -10, 0, 1, 3, 7, 32767, -32768, -32767, -1, -3, -10, 0, 1, 3, 7, 32767, -32768, -32767, -1, -3, -10, 0, 1, 3, 7, 32767, -32768, -32767, -1, -3, -10, 0, 1, 3, 7, 32767, -32768, -32767, -1, -3, -10, 0, 1, 3, 7, 32767, -32768, -32767, -1, -3, -10, 0, 1, 3, 7, 32767, -32768, -32767, -1, -3, -10, 0, 1, 3, 7, 32767, -32768, -32767, -1, -3, -10};
static const int64_t d232[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 32767, 32767, 32767, 32767, 32767, 32767, 32767, 32767, 32767, 32767, -32768, -32768, -32768, -32768, -32768, -32768, -32768, -32768, -32768, -32768, -32767, -32767, -32767, -32767, -32767, -32767, -32767, -32767, -32767, -32767, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -3, -3, -3, -3, -3, -3, -3, -3, -3, -3, -10, -10, -10, -10, -10, -10, -10, -10, -10, -10};
static const int64_t d233[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 1, 1, 1, 0, 0, 1, 3, 3, 3, 0, 1, 3, 1, 2, 0, 1, 3, 7, 7, 0, 1, 7, 5, 6, 0, 1, 3, 7, 32767, 0, 1, 32767, 32765, 32758, 0, 0, 0, 0, 0, -32768, -32768, -32768, -32768, -32768, 0, 1, 1, 1, 1, -32768, -32767, -32767, -32767, -32768, 0, 1, 3, 7, 32767, -32768, -32767, -1, -3, -10, 0, 1, 1, 5, 32765, -32768, -32767, -3, -3, -12, 0, 0, 2, 6, 32758, -32768, -32768, -10, -12, -10};
static const int64_t d234[] = {0, 1, 3, 7, 32767, -32768, -32767, -1, -3, -10, 1, 1, 3, 7, 32767, -32767, -32767, -1, -3, -9, 3, 3, 3, 7, 32767, -32765, -32765, -1, -1, -9, 7, 7, 7, 7, 32767, -32761, -32761, -1, -1, -9, 32767, 32767, 32767, 32767, 32767, -1, -1, -1, -1, -1, -32768, -32767, -32765, -32761, -1, -32768, -32767, -1, -3, -10, -32767, -32767, -32765, -32761, -1, -32767, -32767, -1, -3, -9, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -3, -3, -1, -1, -1, -3, -3, -1, -3, -1, -10, -9, -9, -9, -1, -10, -9, -1, -1, -10};
static const int64_t d235[] = {0, 1, 3, 7, 32767, -32768, -32767, -1, -3, -10, 1, 0, 2, 6, 32766, -32767, -32768, -2, -4, -9, 3, 2, 0, 4, 32764, -32765, -32766, -4, -2, -11, 7, 6, 4, 0, 32760, -32761, -32762, -8, -6, -15, 32767, 32766, 32764, 32760, 0, -1, -2, -32768, -32766, -32759, -32768, -32767, -32765, -32761, -1, 0, 1, 32767, 32765, 32758, -32767, -32768, -32766, -32762, -2, 1, 0, 32766, 32764, 32759, -1, -2, -4, -8, -32768, 32767, 32766, 0, 2, 9, -3, -4, -2, -6, -32766, 32765, 32764, 2, 0, 11, -10, -9, -11, -15, -32759, 32758, 32759, 9, 11, 0};
static const int64_t d236[] = {0, 1, 3, 7, 32767, -32768, -32767, -1, -3, -10, 0, 2, 6, 14, -2, 0, 2, -2, -6, -20, 0, 8, 24, 56, -8, 0, 8, -8, -24, -80, 0, 128, 384, 896, -128, 0, 128, -128, -384, -1280, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
static const int64_t d237[] = {0, 1, 3, 7, 32767, -32768, -32767, -1, -3, -10, 0, 0, 1, 3, 16383, -16384, -16384, -1, -2, -5, 0, 0, 0, 0, 4095, -4096, -4096, -1, -1, -2, 0, 0, 0, 0, 255, -256, -256, -1, -1, -1, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1};
static const int64_t d238[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, -2, -1, -1, 0, -1, 0, 1, 3, 0, 0, -1, 0, -1, -3, -3, 0, 1, 3, 7, 0, -1, 0, -1, -3, -10, 0, 1, 3, 7, 32767, 0, -32767, -1, -3, -10, 0, 1, 3, 7, 0, -1, 0, -1, -3, -10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, -2, -1, -1, 0, -1, 0, 1, 3, 7, 7, -8, -7, -1, -3, 0};
static const int64_t d239[] = {0, 1, 3, 7, 32767, -32768, -32767, -1, -3, -10, 2, 10, 100, 32766};
static const int64_t d240[] = {-1, -2, -4, -8, -32768, 32767, 32766, 0, 2, 9, -3, -11, -101, -32767};
static const int64_t d241[] = {0, 1, 2, 3, 15, 1, 2, 16, 15, 14, 1, 2, 3, 14};
static const int64_t d242[] = {0, 1, 3, 7, 32767, -32768, 32767, 1, 3, 10, 2, 10, 100, 32766};
static const int64_t d243[] = {0, -1, -3, -7, -32767, -32768, 32767, 1, 3, 10, -2, -10, -100, -32766};
static const int64_t d244[] = {0, 1, 3, 7, 65535, 0, 1, 0, 1, 3, 7, 65535, 0, 1, 0, 1, 3, 7, 65535, 0, 1, 0, 1, 3, 7, 65535, 0, 1, 0, 1, 3, 7, 65535, 0, 1, 0, 1, 3, 7, 65535, 0, 1, 0, 1, 3, 7, 65535, 0, 1};
static const int64_t d245[] = {0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 7, 7, 7, 7, 7, 7, 7, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1};
static const int64_t d246[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 1, 0, 1, 3, 3, 3, 0, 1, 0, 1, 3, 7, 7, 0, 1, 0, 1, 3, 7, 65535, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 1};
static const int64_t d247[] = {0, 1, 3, 7, 65535, 0, 1, 1, 1, 3, 7, 65535, 1, 1, 3, 3, 3, 7, 65535, 3, 3, 7, 7, 7, 7, 65535, 7, 7, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 0, 1, 3, 7, 65535, 0, 1, 1, 1, 3, 7, 65535, 1, 1};
static const int64_t d248[] = {0, 1, 3, 7, 65535, 0, 1, 1, 0, 2, 6, 65534, 1, 0, 3, 2, 0, 4, 65532, 3, 2, 7, 6, 4, 0, 65528, 7, 6, 65535, 65534, 65532, 65528, 0, 65535, 65534, 0, 1, 3, 7, 65535, 0, 1, 1, 0, 2, 6, 65534, 1, 0};
static const int64_t d249[] = {0, 1, 3, 7, 65535, 0, 1, 0, 2, 6, 14, 65534, 0, 2, 0, 8, 24, 56, 65528, 0, 8, 0, 128, 384, 896, 65408, 0, 128, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 7, 65535, 0, 1, 0, 2, 6, 14, 65534, 0, 2};
static const int64_t d250[] = {0, 1, 3, 7, 65535, 0, 1, 0, 0, 1, 3, 32767, 0, 0, 0, 0, 0, 0, 8191, 0, 0, 0, 0, 0, 0, 511, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 7, 65535, 0, 1, 0, 0, 1, 3, 32767, 0, 0};
static const int64_t d251[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0, 1, 3, 0, 1, 0, 1, 0, 1, 3, 7, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
static const int64_t d252[] = {0, 1, 3, 7, 65535, 0, 1, 2, 10, 100, 65534};
static const int64_t d253[] = {65535, 65534, 65532, 65528, 0, 65535, 65534, 65533, 65525, 65435, 1};
static const int64_t d254[] = {0, 1, 2, 3, 16, 0, 1, 1, 2, 3, 15};
static const int64_t d255[] = {0, 65535, 65533, 65529, 1, 0, 65535, 65534, 65526, 65436, 2};
static const int64_t d256[] = {0, 1, 3, 7, 4294967295, 0, 1, 0, 1, 3, 7, 4294967295, 0, 1, 0, 1, 3, 7, 4294967295, 0, 1, 0, 1, 3, 7, 4294967295, 0, 1, 0, 1, 3, 7, 4294967295, 0, 1, 0, 1, 3, 7, 4294967295, 0, 1, 0, 1, 3, 7, 4294967295, 0, 1};
static const int64_t d257[] = {0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 7, 7, 7, 7, 7, 7, 7, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1};
static const int64_t d258[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 1, 0, 1, 3, 3, 3, 0, 1, 0, 1, 3, 7, 7, 0, 1, 0, 1, 3, 7, 4294967295, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 1};
static const int64_t d259[] = {0, 1, 3, 7, 4294967295, 0, 1, 1, 1, 3, 7, 4294967295, 1, 1, 3, 3, 3, 7, 4294967295, 3, 3, 7, 7, 7, 7, 4294967295, 7, 7, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 0, 1, 3, 7, 4294967295, 0, 1, 1, 1, 3, 7, 4294967295, 1, 1};
static const int64_t d260[] = {0, 1, 3, 7, 4294967295, 0, 1, 1, 0, 2, 6, 4294967294, 1, 0, 3, 2, 0, 4, 4294967292, 3, 2, 7, 6, 4, 0, 4294967288, 7, 6, 4294967295, 4294967294, 4294967292, 4294967288, 0, 4294967295, 4294967294, 0, 1, 3, 7, 4294967295, 0, 1, 1, 0, 2, 6, 4294967294, 1, 0};
static const int64_t d261[] = {0, 1, 3, 7, 4294967295, 0, 1, 0, 2, 6, 14, 4294967294, 0, 2, 0, 8, 24, 56, 4294967288, 0, 8, 0, 128, 384, 896, 4294967168, 0, 128, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 7, 4294967295, 0, 1, 0, 2, 6, 14, 4294967294, 0, 2};
static const int64_t d262[] = {0, 1, 3, 7, 4294967295, 0, 1, 0, 0, 1, 3, 2147483647, 0, 0, 0, 0, 0, 0, 536870911, 0, 0, 0, 0, 0, 0, 33554431, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 7, 4294967295, 0, 1, 0, 0, 1, 3, 2147483647, 0, 0};
static const int64_t d263[] = {0, 1, 3, 7, 4294967295, 0, 1, 2, 10, 100, 4294967294};
static const int64_t d264[] = {4294967295, 4294967294, 4294967292, 4294967288, 0, 4294967295, 4294967294, 4294967293, 4294967285, 4294967195, 1};
static const int64_t d265[] = {0, 1, 2, 3, 32, 0, 1, 1, 2, 3, 31};
static const int64_t d266[] = {0, 4294967295, 4294967293, 4294967289, 1, 0, 4294967295, 4294967294, 4294967286, 4294967196, 2};
static const int64_t d267[] = {0, 1, 3, 7, -1, 0, 1, 0, 1, 3, 7, -1, 0, 1, 0, 1, 3, 7, -1, 0, 1, 0, 1, 3, 7, -1, 0, 1, 0, 1, 3, 7, -1, 0, 1, 0, 1, 3, 7, -1, 0, 1, 0, 1, 3, 7, -1, 0, 1};
static const int64_t d268[] = {0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 7, 7, 7, 7, 7, 7, 7, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1};
static const int64_t d269[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 1, 0, 1, 3, 3, 3, 0, 1, 0, 1, 3, 7, 7, 0, 1, 0, 1, 3, 7, -1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 1};
static const int64_t d270[] = {0, 1, 3, 7, -1, 0, 1, 1, 1, 3, 7, -1, 1, 1, 3, 3, 3, 7, -1, 3, 3, 7, 7, 7, 7, -1, 7, 7, -1, -1, -1, -1, -1, -1, -1, 0, 1, 3, 7, -1, 0, 1, 1, 1, 3, 7, -1, 1, 1};
static const int64_t d271[] = {0, 1, 3, 7, -1, 0, 1, 1, 0, 2, 6, -2, 1, 0, 3, 2, 0, 4, -4, 3, 2, 7, 6, 4, 0, -8, 7, 6, -1, -2, -4, -8, 0, -1, -2, 0, 1, 3, 7, -1, 0, 1, 1, 0, 2, 6, -2, 1, 0};
static const int64_t d272[] = {0, 1, 3, 7, -1, 0, 1, 0, 2, 6, 14, -2, 0, 2, 0, 8, 24, 56, -8, 0, 8, 0, 128, 384, 896, -128, 0, 128, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 7, -1, 0, 1, 0, 2, 6, 14, -2, 0, 2};
static const int64_t d273[] = {0, 1, 3, 7, -1, 0, 1, 0, 0, 1, 3, 9223372036854775807, 0, 0, 0, 0, 0, 0, 2305843009213693951, 0, 0, 0, 0, 0, 0, 144115188075855871, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 7, -1, 0, 1, 0, 0, 1, 3, 9223372036854775807, 0, 0};
static const int64_t d274[] = {0, 1, 3, 7, -1, 0, 1, 2, 10, 100, -2};
static const int64_t d275[] = {-1, -2, -4, -8, 0, -1, -2, -3, -11, -101, 1};
static const int64_t d276[] = {0, 1, 2, 3, 64, 0, 1, 1, 2, 3, 63};
static const int64_t d277[] = {0, -1, -3, -7, 1, 0, -1, -2, -10, -100, 2};
static const double d278[] = {0.0, 0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 0x1p-14, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 0x1p-14, 1.0, 1.0, 2.0, -0x1p-1, 0x1.cp+1, -2.0, INFINITY, -INFINITY, NAN, 65504.0, 1.0, -0x1.8p+0, -0x1.8p+0, -0x1p-1, -3.0, 1.0, -0x1.2p+2, INFINITY, -INFINITY, NAN, 65504.0, -0x1.8p+0, 0x1.4p+1, 0x1.4p+1, 0x1.cp+1, 1.0, 5.0, -0x1p-1, INFINITY, -INFINITY, NAN, 65504.0, 0x1.4p+1, -3.0, -3.0, -2.0, -0x1.2p+2, -0x1p-1, -6.0, INFINITY, -INFINITY, NAN, 65504.0, -3.0, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, NAN, NAN, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, NAN, -INFINITY, NAN, -INFINITY, -INFINITY, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 65504.0, 65504.0, 65504.0, 65504.0, 65504.0, 65504.0, INFINITY, -INFINITY, NAN, INFINITY, 65504.0, 0x1p-14, 0x1p-14, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 0x1p-13};
static const double d279[] = {0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 0x1p-14, 0.0, 0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 0x1p-14, -1.0, -1.0, 0.0, -0x1.4p+1, 0x1.8p+0, -4.0, INFINITY, -INFINITY, NAN, 65504.0, -1.0, 0x1.8p+0, 0x1.8p+0, 0x1.4p+1, 0.0, 4.0, -0x1.8p+0, INFINITY, -INFINITY, NAN, 65504.0, 0x1.8p+0, -0x1.4p+1, -0x1.4p+1, -0x1.8p+0, -4.0, 0.0, -0x1.6p+2, INFINITY, -INFINITY, NAN, 65504.0, -0x1.4p+1, 3.0, 3.0, 4.0, 0x1.8p+0, 0x1.6p+2, 0.0, INFINITY, -INFINITY, NAN, 65504.0, 3.0, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, NAN, -INFINITY, NAN, -INFINITY, -INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, NAN, NAN, INFINITY, INFINITY, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, -65504.0, -65504.0, -65504.0, -65504.0, -65504.0, -65504.0, INFINITY, -INFINITY, NAN, 0.0, -65504.0, -0x1p-14, -0x1p-14, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 0.0};
static const double d280[] = {0.0, -0.0, 0.0, -0.0, 0.0, -0.0, NAN, NAN, NAN, 0.0, 0.0, -0.0, 0.0, -0.0, 0.0, -0.0, 0.0, NAN, NAN, NAN, -0.0, -0.0, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 0x1p-14, -0.0, 0.0, -0x1.8p+0, 0x1.2p+1, -0x1.ep+1, 0x1.2p+2, -INFINITY, INFINITY, NAN, -INFINITY, -0x1.8p-14, 0.0, -0.0, 0x1.4p+1, -0x1.ep+1, 0x1.9p+2, -0x1.ep+2, INFINITY, -INFINITY, NAN, INFINITY, 0x1.4p-13, -0.0, 0.0, -3.0, 0x1.2p+2, -0x1.ep+2, 9.0, -INFINITY, INFINITY, NAN, -INFINITY, -0x1.8p-13, NAN, NAN, INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY, -INFINITY, NAN, INFINITY, INFINITY, NAN, NAN, -INFINITY, INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY, NAN, -INFINITY, -INFINITY, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, -0.0, 65504.0, -INFINITY, INFINITY, -INFINITY, INFINITY, -INFINITY, NAN, INFINITY, 0x1.ffcp+1, 0.0, -0.0, 0x1p-14, -0x1.8p-14, 0x1.4p-13, -0x1.8p-13, INFINITY, -INFINITY, NAN, 0x1.ffcp+1, 0.0};
static const double d281[] = {NAN, NAN, INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY, -INFINITY, NAN, INFINITY, INFINITY, NAN, NAN, -INFINITY, INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY, NAN, -INFINITY, -INFINITY, 0.0, -0.0, 1.0, -2.0, 2.0, -3.0, NAN, NAN, NAN, 65504.0, 0.0, -0.0, 0.0, -1.0, 1.0, -2.0, 2.0, NAN, NAN, NAN, -43680.0, -1.0, 0.0, -0.0, 0.0, -1.0, 1.0, -2.0, NAN, NAN, NAN, 26208.0, 0.0, -0.0, 0.0, -1.0, 0.0, -1.0, 1.0, NAN, NAN, NAN, -21840.0, -1.0, 0.0, -0.0, 0.0, -1.0, 0.0, -1.0, NAN, NAN, NAN, 0.0, 0.0, -0.0, 0.0, -1.0, 0.0, -1.0, 0.0, NAN, NAN, NAN, -1.0, -1.0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, -0.0, 0.0, -1.0, 0.0, -1.0, NAN, NAN, NAN, 1.0, 0.0, 0.0, -0.0, 16384.0, -24576.0, 40960.0, -49152.0, NAN, NAN, NAN, INFINITY, 1.0};
static const double d282[] = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, 0.0, 0.0, 0x1p-1, 0x1p-1, 0.0, NAN, NAN, NAN, 0.0, 0x1p-14, -0.0, -0.0, -0x1p-1, -0.0, -0x1p-1, -0.0, NAN, NAN, NAN, -1.0, -0x1.8p+0, 0.0, 0.0, 1.0, 1.0, 0.0, 2.0, NAN, NAN, NAN, 0x1.8p+0, 0x1p-14, -0.0, -0.0, -2.0, -0x1.8p+0, -0x1p-1, -0.0, NAN, NAN, NAN, -1.0, -3.0, 0.0, 0.0, 1.0, INFINITY, 0x1.4p+1, INFINITY, NAN, NAN, NAN, 65504.0, 0x1p-14, -0.0, -0.0, -INFINITY, -0x1.8p+0, -INFINITY, -3.0, NAN, NAN, NAN, -INFINITY, -INFINITY, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, 0.0, 1.0, 65504.0, 0x1.4p+1, 65504.0, NAN, NAN, NAN, 0.0, 0x1p-14, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, NAN, NAN, NAN, 0.0, 0.0};
static const int64_t d283[] = {1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
static const int64_t d284[] = {0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0};
static const int64_t d285[] = {0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 1, 1, 1, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0, 1, 0, 1, 0, 1, 0, 0, 0};
static const int64_t d286[] = {1, 1, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 1, 1, 1, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 0, 1, 0, 1, 0, 1, 0, 0, 1};
static const int64_t d287[] = {0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0, 1, 1, 1, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1, 1, 1, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 0};
static const int64_t d288[] = {1, 1, 1, 0, 1, 0, 1, 0, 0, 1, 1, 1, 1, 1, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 0, 1, 1, 1, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1};
static const double d289[] = {NAN, NAN, INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY, -INFINITY, NAN, INFINITY, INFINITY, NAN, NAN, -INFINITY, INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY, NAN, -INFINITY, -INFINITY, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 0x1p-14, -0.0, 0.0, -0x1.554p-1, 1.0, -0x1.aacp+0, 2.0, -INFINITY, INFINITY, NAN, -43680.0, -0x1.558p-15, 0.0, -0.0, 0x1.998p-2, -0x1.334p-1, 1.0, -0x1.334p+0, INFINITY, -INFINITY, NAN, 26208.0, 0x1.9ap-16, -0.0, 0.0, -0x1.554p-2, 0x1p-1, -0x1.aacp-1, 1.0, -INFINITY, INFINITY, NAN, -21840.0, -0x1.55p-16, 0.0, -0.0, 0.0, -0.0, 0.0, -0.0, NAN, NAN, NAN, 0.0, 0.0, -0.0, 0.0, -0.0, 0.0, -0.0, 0.0, NAN, NAN, NAN, -0.0, -0.0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, -0.0, 0x1p-16, -0x1.8p-16, 0x1.4p-15, -0x1.8p-15, INFINITY, -INFINITY, NAN, 1.0, 0.0, 0.0, -0.0, 16384.0, -24576.0, 40960.0, -49152.0, INFINITY, -INFINITY, NAN, INFINITY, 1.0};
static const double d290[] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 0x1p-14, INFINITY, INFINITY, 1.0, NAN, 0x1.03p-2, NAN, 0.0, 0.0, NAN, 0x1p-24, INFINITY, 0.0, 0.0, 1.0, NAN, 0x1.3c4p+3, NAN, INFINITY, INFINITY, NAN, INFINITY, 0.0, INFINITY, -INFINITY, 1.0, -0x1.2f8p-2, 0x1.064p-4, -0x1.2f8p-5, 0.0, -0.0, NAN, 0.0, INFINITY, 0.0, 0.0, 1.0, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, NAN, INFINITY, 0.0, INFINITY, INFINITY, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, NAN, 0.0, INFINITY, NAN, NAN, 1.0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, 0.0, 1.0, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, NAN, INFINITY, 0.0, 0.0, 0.0, 1.0, NAN, 1.0, NAN, INFINITY, INFINITY, NAN, 0x1.004p+0, 0x1.ffcp-1};
static const double d291[] = {0.0, -0.0, 0.0, -0x1.8p+0, 0.0, -3.0, 0.0, -INFINITY, NAN, 0.0, 0.0, 0.0, -0.0, -0.0, -0x1.8p+0, -0.0, -3.0, -0.0, -INFINITY, NAN, -0.0, -0.0, 0.0, -0.0, 1.0, -0x1.8p+0, 1.0, -3.0, 1.0, -INFINITY, NAN, 1.0, 0x1p-14, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -3.0, -0x1.8p+0, -INFINITY, NAN, -0x1.8p+0, -0x1.8p+0, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, 0x1.4p+1, -INFINITY, NAN, 0x1.4p+1, 0x1p-14, -3.0, -3.0, -3.0, -3.0, -3.0, -3.0, -3.0, -INFINITY, NAN, -3.0, -3.0, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 0x1p-14, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, NAN, -INFINITY, -INFINITY, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, 65504.0, -INFINITY, NAN, 65504.0, 0x1p-14, 0.0, -0.0, 0x1p-14, -0x1.8p+0, 0x1p-14, -3.0, 0x1p-14, -INFINITY, NAN, 0x1p-14, 0x1p-14};
static const double d292[] = {0.0, -0.0, 1.0, 0.0, 0x1.4p+1, 0.0, INFINITY, 0.0, NAN, 65504.0, 0x1p-14, 0.0, -0.0, 1.0, -0.0, 0x1.4p+1, -0.0, INFINITY, -0.0, NAN, 65504.0, 0x1p-14, 1.0, 1.0, 1.0, 1.0, 0x1.4p+1, 1.0, INFINITY, 1.0, NAN, 65504.0, 1.0, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -0x1.8p+0, INFINITY, -0x1.8p+0, NAN, 65504.0, 0x1p-14, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, INFINITY, 0x1.4p+1, NAN, 65504.0, 0x1.4p+1, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -3.0, NAN, 65504.0, 0x1p-14, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, NAN, INFINITY, INFINITY, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 0x1p-14, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 65504.0, 65504.0, 65504.0, 65504.0, 65504.0, 65504.0, INFINITY, 65504.0, NAN, 65504.0, 65504.0, 0x1p-14, 0x1p-14, 1.0, 0x1p-14, 0x1.4p+1, 0x1p-14, INFINITY, 0x1p-14, NAN, 65504.0, 0x1p-14};
static const double d293[] = {0.0, 0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 0x1p-14, -0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 0x1p-14, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 0x1p-14, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 0x1p-14, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 0x1p-14, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 0x1p-14, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 0x1p-14, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 0x1p-14, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 0x1p-14, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 0x1p-14, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 0x1p-14};
static const double d294[] = {1.0, 1.0, 1.0, 1.0, 0x1.4p+1, 1.0, 3.0, 1.0, NAN, 3.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0x1.8p+0, 1.0, 3.0, 1.0, 1.0, 3.0, 1.0};
static const double d295[] = {0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 0x1p-14, -65504.0, -0x1p-14, 0x1p-1, -0x1p-1, 0x1.8p+0, 0x1.998p-4, 20.0, -20.0, 0x1p-10, 0x1.dp+2, -0x1.4p+1, 0x1p-10, 0x1.dp+2, -0x1.4p+1, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 0x1p-14, -65504.0, -0x1p-14, 0x1p-1, -0x1p-1, 0x1.8p+0, 0x1.998p-4, 20.0, -20.0, 0x1.998p-4, 20.0, -20.0, 0x1p-10, 0x1.dp+2, -0x1.4p+1, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 0x1p-14, -65504.0, -0x1p-14, 0x1p-1, -0x1p-1, 0x1.8p+0, 0x1p-1, -0x1p-1, 0x1.8p+0, 0x1.998p-4, 20.0, -20.0, 0x1p-10, 0x1.dp+2, -0x1.4p+1, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 65504.0, 0x1p-14, -65504.0, -0x1p-14};
static const double d296[] = {NAN, NAN, NAN, NAN};
static const double d297[] = {0.0, -0x1p-1, -20.0, -0x1.8p+0, -0.0, -20.0, -0x1.8p+0, -INFINITY, NAN, -0x1.8p+0, -INFINITY, NAN, -0x1.8p+0, -INFINITY, NAN, -0x1p-14, -INFINITY, NAN, -20.0, 0x1p-14, -65504.0, -20.0};
static const int64_t d298[] = {8, 11, 14, 17};
static const double d299[] = {-INFINITY, -65504.0, -20.0, -3.0, -0x1.4p+1, -0x1.8p+0, -0x1p-1, -0x1p-14, -0.0, 0.0, 0x1p-14, 0x1p-10, 0x1.998p-4, 0x1p-1, 1.0, 0x1.8p+0, 0x1.4p+1, 0x1.dp+2, 20.0, 65504.0, INFINITY, NAN};
static const int64_t d300[] = {7, 11, 18, 5, 21, 3, 14, 12, 0, 1, 10, 19, 16, 13, 2, 15, 4, 20, 17, 9, 6, 8};
static const double d301[] = {0};
static const double d302[] = {0.0, 0.0, 0.0, 0.0};
static const double d303[] = {1.0, 1.0, 1.0, 1.0};
static const double d304[] = {0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 65536.0, 0x1p-14, -65536.0, -0x1p-14, 0x1p-1, -0x1p-1, 0x1.8p+0, 0x1.9ap-4, 20.0, -20.0, 0x1p-10, 0x1.dp+2, -0x1.4p+1};
static const int64_t d305[] = {0, 0, 1, 0, 2, 0, 255, 0, 0, 255, 0, 0, 0, 0, 0, 1, 0, 20, 0, 0, 7, 0};
static const int64_t d306[] = {0, 0, 1, -1, 2, -3, 127, -128, 0, 127, 0, -128, 0, 0, 0, 1, 0, 20, -20, 0, 7, -2};
static const int64_t d307[] = {0, 0, 1, -1, 2, -3, 2147483647, -2147483648, 0, 65504, 0, -65504, 0, 0, 0, 1, 0, 20, -20, 0, 7, -2};
static const int64_t d308[] = {0, 0, 1, -1, 2, -3, 9223372036854775807, INT64_MIN, 0, 65504, 0, -65504, 0, 0, 0, 1, 0, 20, -20, 0, 7, -2};
static const int64_t d309[] = {0, 0, 1, -1, 2, -3, 32767, -32768, 0, 32767, 0, -32768, 0, 0, 0, 1, 0, 20, -20, 0, 7, -2};
static const int64_t d310[] = {0, 0, 1, 0, 2, 0, 65535, 0, 0, 65504, 0, 0, 0, 0, 0, 1, 0, 20, 0, 0, 7, 0};
static const int64_t d311[] = {0, 0, 1, 0, 2, 0, 4294967295, 0, 0, 65504, 0, 0, 0, 0, 0, 1, 0, 20, 0, 0, 7, 0};
static const int64_t d312[] = {0, 0, 1, 0, 2, 0, -1, 0, 0, 65504, 0, 0, 0, 0, 0, 1, 0, 20, 0, 0, 7, 0};
static const int64_t d313[] = {0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
static const double d314[] = {0.0, 0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0x1p-126, 1.0, 1.0, 2.0, -0x1p-1, 0x1.cp+1, -2.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 1.0, -0x1.8p+0, -0x1.8p+0, -0x1p-1, -3.0, 1.0, -0x1.2p+2, INFINITY, -INFINITY, NAN, 0x1.fep+127, -0x1.8p+0, 0x1.4p+1, 0x1.4p+1, 0x1.cp+1, 1.0, 5.0, -0x1p-1, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0x1.4p+1, -3.0, -3.0, -2.0, -0x1.2p+2, -0x1p-1, -6.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, -3.0, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, NAN, NAN, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, NAN, -INFINITY, NAN, -INFINITY, -INFINITY, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0x1.fep+127, 0x1.fep+127, 0x1.fep+127, 0x1.fep+127, 0x1.fep+127, 0x1.fep+127, INFINITY, -INFINITY, NAN, INFINITY, 0x1.fep+127, 0x1p-126, 0x1p-126, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0x1p-125};
static const double d315[] = {0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0x1p-126, 0.0, 0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0x1p-126, -1.0, -1.0, 0.0, -0x1.4p+1, 0x1.8p+0, -4.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, -1.0, 0x1.8p+0, 0x1.8p+0, 0x1.4p+1, 0.0, 4.0, -0x1.8p+0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0x1.8p+0, -0x1.4p+1, -0x1.4p+1, -0x1.8p+0, -4.0, 0.0, -0x1.6p+2, INFINITY, -INFINITY, NAN, 0x1.fep+127, -0x1.4p+1, 3.0, 3.0, 4.0, 0x1.8p+0, 0x1.6p+2, 0.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 3.0, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, NAN, -INFINITY, NAN, -INFINITY, -INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, NAN, NAN, INFINITY, INFINITY, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, -0x1.fep+127, -0x1.fep+127, -0x1.fep+127, -0x1.fep+127, -0x1.fep+127, -0x1.fep+127, INFINITY, -INFINITY, NAN, 0.0, -0x1.fep+127, -0x1p-126, -0x1p-126, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0.0};
static const double d316[] = {0.0, -0.0, 0.0, -0.0, 0.0, -0.0, NAN, NAN, NAN, 0.0, 0.0, -0.0, 0.0, -0.0, 0.0, -0.0, 0.0, NAN, NAN, NAN, -0.0, -0.0, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0x1p-126, -0.0, 0.0, -0x1.8p+0, 0x1.2p+1, -0x1.ep+1, 0x1.2p+2, -INFINITY, INFINITY, NAN, -INFINITY, -0x1.8p-126, 0.0, -0.0, 0x1.4p+1, -0x1.ep+1, 0x1.9p+2, -0x1.ep+2, INFINITY, -INFINITY, NAN, INFINITY, 0x1.4p-125, -0.0, 0.0, -3.0, 0x1.2p+2, -0x1.ep+2, 9.0, -INFINITY, INFINITY, NAN, -INFINITY, -0x1.8p-125, NAN, NAN, INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY, -INFINITY, NAN, INFINITY, INFINITY, NAN, NAN, -INFINITY, INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY, NAN, -INFINITY, -INFINITY, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, -0.0, 0x1.fep+127, -INFINITY, INFINITY, -INFINITY, INFINITY, -INFINITY, NAN, INFINITY, 0x1.fep+1, 0.0, -0.0, 0x1p-126, -0x1.8p-126, 0x1.4p-125, -0x1.8p-125, INFINITY, -INFINITY, NAN, 0x1.fep+1, 0.0};
static const double d317[] = {NAN, NAN, INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY, -INFINITY, NAN, INFINITY, INFINITY, NAN, NAN, -INFINITY, INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY, NAN, -INFINITY, -INFINITY, 0.0, -0.0, 1.0, -2.0, 2.0, -3.0, NAN, NAN, NAN, 0x1.fep+127, 0.0, -0.0, 0.0, -1.0, 1.0, -2.0, 2.0, NAN, NAN, NAN, -0x1.54p+127, -1.0, 0.0, -0.0, 0.0, -1.0, 1.0, -2.0, NAN, NAN, NAN, 0x1.98p+126, 0.0, -0.0, 0.0, -1.0, 0.0, -1.0, 1.0, NAN, NAN, NAN, -0x1.54p+126, -1.0, 0.0, -0.0, 0.0, -1.0, 0.0, -1.0, NAN, NAN, NAN, 0.0, 0.0, -0.0, 0.0, -1.0, 0.0, -1.0, 0.0, NAN, NAN, NAN, -1.0, -1.0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, -0.0, 0.0, -1.0, 0.0, -1.0, NAN, NAN, NAN, 1.0, 0.0, 0.0, -0.0, 0x1p+126, -0x1.8p+126, 0x1.4p+127, -0x1.8p+127, NAN, NAN, NAN, INFINITY, 1.0};
static const double d318[] = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, 0.0, 0.0, 0x1p-1, 0x1p-1, 0.0, NAN, NAN, NAN, 0.0, 0x1p-126, -0.0, -0.0, -0x1p-1, -0.0, -0x1p-1, -0.0, NAN, NAN, NAN, -0.0, -0x1.8p+0, 0.0, 0.0, 1.0, 1.0, 0.0, 2.0, NAN, NAN, NAN, 0.0, 0x1p-126, -0.0, -0.0, -2.0, -0x1.8p+0, -0x1p-1, -0.0, NAN, NAN, NAN, -0.0, -3.0, 0.0, 0.0, 1.0, INFINITY, 0x1.4p+1, INFINITY, NAN, NAN, NAN, 0x1.fep+127, 0x1p-126, -0.0, -0.0, -INFINITY, -0x1.8p+0, -INFINITY, -3.0, NAN, NAN, NAN, -INFINITY, -INFINITY, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, 0.0, 1.0, 0x1.fep+127, 0x1.4p+1, 0x1.fep+127, NAN, NAN, NAN, 0.0, 0x1p-126, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, NAN, NAN, NAN, 0.0, 0.0};
static const double d319[] = {NAN, NAN, INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY, -INFINITY, NAN, INFINITY, INFINITY, NAN, NAN, -INFINITY, INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY, NAN, -INFINITY, -INFINITY, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0x1p-126, -0.0, 0.0, -0x1.56p-1, 1.0, -0x1.aap+0, 2.0, -INFINITY, INFINITY, NAN, -0x1.54p+127, -0x1.54p-127, 0.0, -0.0, 0x1.9ap-2, -0x1.34p-1, 1.0, -0x1.34p+0, INFINITY, -INFINITY, NAN, 0x1.98p+126, 0x1.98p-128, -0.0, 0.0, -0x1.56p-2, 0x1p-1, -0x1.aap-1, 1.0, -INFINITY, INFINITY, NAN, -0x1.54p+126, -0x1.58p-128, 0.0, -0.0, 0.0, -0.0, 0.0, -0.0, NAN, NAN, NAN, 0.0, 0.0, -0.0, 0.0, -0.0, 0.0, -0.0, 0.0, NAN, NAN, NAN, -0.0, -0.0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, -0.0, 0x1p-128, -0x1.8p-128, 0x1.4p-127, -0x1.8p-127, INFINITY, -INFINITY, NAN, 1.0, 0.0, 0.0, -0.0, 0x1p+126, -0x1.8p+126, 0x1.4p+127, -0x1.8p+127, INFINITY, -INFINITY, NAN, INFINITY, 1.0};
static const double d320[] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0x1p-126, INFINITY, INFINITY, 1.0, NAN, 0x1.04p-2, NAN, 0.0, 0.0, NAN, 0.0, INFINITY, 0.0, 0.0, 1.0, NAN, 0x1.3cp+3, NAN, INFINITY, INFINITY, NAN, INFINITY, 0.0, INFINITY, -INFINITY, 1.0, -0x1.3p-2, 0x1.06p-4, -0x1.3p-5, 0.0, -0.0, NAN, 0.0, INFINITY, 0.0, 0.0, 1.0, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, NAN, INFINITY, 0.0, INFINITY, INFINITY, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, NAN, 0.0, INFINITY, NAN, NAN, 1.0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, 0.0, 1.0, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, NAN, INFINITY, 0.0, 0.0, 0.0, 1.0, NAN, 1.0, NAN, INFINITY, INFINITY, NAN, 1.0, 1.0};
static const double d321[] = {0.0, 0.0, 0.0, -0x1.8p+0, 0.0, -3.0, 0.0, -INFINITY, NAN, 0.0, 0.0, -0.0, -0.0, -0.0, -0x1.8p+0, -0.0, -3.0, -0.0, -INFINITY, NAN, -0.0, -0.0, 0.0, -0.0, 1.0, -0x1.8p+0, 1.0, -3.0, 1.0, -INFINITY, NAN, 1.0, 0x1p-126, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -3.0, -0x1.8p+0, -INFINITY, NAN, -0x1.8p+0, -0x1.8p+0, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, 0x1.4p+1, -INFINITY, NAN, 0x1.4p+1, 0x1p-126, -3.0, -3.0, -3.0, -3.0, -3.0, -3.0, -3.0, -INFINITY, NAN, -3.0, -3.0, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0x1p-126, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, NAN, -INFINITY, -INFINITY, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, 0x1.fep+127, -INFINITY, NAN, 0x1.fep+127, 0x1p-126, 0.0, -0.0, 0x1p-126, -0x1.8p+0, 0x1p-126, -3.0, 0x1p-126, -INFINITY, NAN, 0x1p-126, 0x1p-126};
static const double d322[] = {0.0, 0.0, 1.0, 0.0, 0x1.4p+1, 0.0, INFINITY, 0.0, NAN, 0x1.fep+127, 0x1p-126, -0.0, -0.0, 1.0, -0.0, 0x1.4p+1, -0.0, INFINITY, -0.0, NAN, 0x1.fep+127, 0x1p-126, 1.0, 1.0, 1.0, 1.0, 0x1.4p+1, 1.0, INFINITY, 1.0, NAN, 0x1.fep+127, 1.0, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -0x1.8p+0, INFINITY, -0x1.8p+0, NAN, 0x1.fep+127, 0x1p-126, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, INFINITY, 0x1.4p+1, NAN, 0x1.fep+127, 0x1.4p+1, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -3.0, NAN, 0x1.fep+127, 0x1p-126, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, NAN, INFINITY, INFINITY, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0x1p-126, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0x1.fep+127, 0x1.fep+127, 0x1.fep+127, 0x1.fep+127, 0x1.fep+127, 0x1.fep+127, INFINITY, 0x1.fep+127, NAN, 0x1.fep+127, 0x1.fep+127, 0x1p-126, 0x1p-126, 1.0, 0x1p-126, 0x1.4p+1, 0x1p-126, INFINITY, 0x1p-126, NAN, 0x1.fep+127, 0x1p-126};
static const double d323[] = {0.0, 0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0x1p-126, -0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0x1p-126};
static const double d324[] = {0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0x1p-126, -0x1.fep+127, -0x1p-126, 0x1p-1, -0x1p-1, 0x1.8p+0, 0x1.9ap-4, 20.0, -20.0, 0x1p-7, 0x1.dp+2, -0x1.4p+1, 0x1p-7, 0x1.dp+2, -0x1.4p+1, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0x1p-126, -0x1.fep+127, -0x1p-126, 0x1p-1, -0x1p-1, 0x1.8p+0, 0x1.9ap-4, 20.0, -20.0, 0x1.9ap-4, 20.0, -20.0, 0x1p-7, 0x1.dp+2, -0x1.4p+1, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0x1p-126, -0x1.fep+127, -0x1p-126, 0x1p-1, -0x1p-1, 0x1.8p+0, 0x1p-1, -0x1p-1, 0x1.8p+0, 0x1.9ap-4, 20.0, -20.0, 0x1p-7, 0x1.dp+2, -0x1.4p+1, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fep+127, 0x1p-126, -0x1.fep+127, -0x1p-126};
static const double d325[] = {0.0, -0x1p-1, -20.0, -0x1.8p+0, -0.0, -20.0, -0x1.8p+0, -INFINITY, NAN, -0x1.8p+0, -INFINITY, NAN, -0x1.8p+0, -INFINITY, NAN, -0x1p-126, -INFINITY, NAN, -20.0, 0x1p-126, -0x1.fep+127, -20.0};
static const double d326[] = {-INFINITY, -0x1.fep+127, -20.0, -3.0, -0x1.4p+1, -0x1.8p+0, -0x1p-1, -0x1p-126, -0.0, 0.0, 0x1p-126, 0x1p-7, 0x1.9ap-4, 0x1p-1, 1.0, 0x1.8p+0, 0x1.4p+1, 0x1.dp+2, 20.0, 0x1.fep+127, INFINITY, NAN};
static const double d327[] = {0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, INFINITY, 0.0, -INFINITY, -0.0, 0x1p-1, -0x1p-1, 0x1.8p+0, 0x1.9ap-4, 20.0, -20.0, 0x1p-7, 0x1.dp+2, -0x1.4p+1};
static const int64_t d328[] = {0, 0, 1, -1, 2, -3, 2147483647, -2147483648, 0, 2147483647, 0, -2147483648, 0, 0, 0, 1, 0, 20, -20, 0, 7, -2};
static const int64_t d329[] = {0, 0, 1, -1, 2, -3, 9223372036854775807, INT64_MIN, 0, 9223372036854775807, 0, INT64_MIN, 0, 0, 0, 1, 0, 20, -20, 0, 7, -2};
static const int64_t d330[] = {0, 0, 1, 0, 2, 0, 65535, 0, 0, 65535, 0, 0, 0, 0, 0, 1, 0, 20, 0, 0, 7, 0};
static const int64_t d331[] = {0, 0, 1, 0, 2, 0, 4294967295, 0, 0, 4294967295, 0, 0, 0, 0, 0, 1, 0, 20, 0, 0, 7, 0};
static const int64_t d332[] = {0, 0, 1, 0, 2, 0, -1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 20, 0, 0, 7, 0};
static const double d333[] = {0.0, 0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, 1.0, 1.0, 2.0, -0x1p-1, 0x1.cp+1, -2.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 1.0, -0x1.8p+0, -0x1.8p+0, -0x1p-1, -3.0, 1.0, -0x1.2p+2, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, -0x1.8p+0, 0x1.4p+1, 0x1.4p+1, 0x1.cp+1, 1.0, 5.0, -0x1p-1, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0x1.4p+1, -3.0, -3.0, -2.0, -0x1.2p+2, -0x1p-1, -6.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, -3.0, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, NAN, NAN, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, NAN, -INFINITY, NAN, -INFINITY, -INFINITY, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0x1.fffffep+127, 0x1.fffffep+127, 0x1.fffffep+127, 0x1.fffffep+127, 0x1.fffffep+127, 0x1.fffffep+127, INFINITY, -INFINITY, NAN, INFINITY, 0x1.fffffep+127, 0x1p-126, 0x1p-126, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0x1p-125};
static const double d334[] = {0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, 0.0, 0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, -1.0, -1.0, 0.0, -0x1.4p+1, 0x1.8p+0, -4.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, -1.0, 0x1.8p+0, 0x1.8p+0, 0x1.4p+1, 0.0, 4.0, -0x1.8p+0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0x1.8p+0, -0x1.4p+1, -0x1.4p+1, -0x1.8p+0, -4.0, 0.0, -0x1.6p+2, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, -0x1.4p+1, 3.0, 3.0, 4.0, 0x1.8p+0, 0x1.6p+2, 0.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 3.0, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, NAN, -INFINITY, NAN, -INFINITY, -INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, NAN, NAN, INFINITY, INFINITY, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, -0x1.fffffep+127, -0x1.fffffep+127, -0x1.fffffep+127, -0x1.fffffep+127, -0x1.fffffep+127, -0x1.fffffep+127, INFINITY, -INFINITY, NAN, 0.0, -0x1.fffffep+127, -0x1p-126, -0x1p-126, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0.0};
static const double d335[] = {0.0, -0.0, 0.0, -0.0, 0.0, -0.0, NAN, NAN, NAN, 0.0, 0.0, -0.0, 0.0, -0.0, 0.0, -0.0, 0.0, NAN, NAN, NAN, -0.0, -0.0, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, -0.0, 0.0, -0x1.8p+0, 0x1.2p+1, -0x1.ep+1, 0x1.2p+2, -INFINITY, INFINITY, NAN, -INFINITY, -0x1.8p-126, 0.0, -0.0, 0x1.4p+1, -0x1.ep+1, 0x1.9p+2, -0x1.ep+2, INFINITY, -INFINITY, NAN, INFINITY, 0x1.4p-125, -0.0, 0.0, -3.0, 0x1.2p+2, -0x1.ep+2, 9.0, -INFINITY, INFINITY, NAN, -INFINITY, -0x1.8p-125, NAN, NAN, INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY, -INFINITY, NAN, INFINITY, INFINITY, NAN, NAN, -INFINITY, INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY, NAN, -INFINITY, -INFINITY, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, -0.0, 0x1.fffffep+127, -INFINITY, INFINITY, -INFINITY, INFINITY, -INFINITY, NAN, INFINITY, 0x1.fffffep+1, 0.0, -0.0, 0x1p-126, -0x1.8p-126, 0x1.4p-125, -0x1.8p-125, INFINITY, -INFINITY, NAN, 0x1.fffffep+1, 0.0};
static const double d336[] = {NAN, NAN, INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY, -INFINITY, NAN, INFINITY, INFINITY, NAN, NAN, -INFINITY, INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY, NAN, -INFINITY, -INFINITY, 0.0, -0.0, 1.0, -2.0, 2.0, -3.0, NAN, NAN, NAN, 0x1.fffffep+127, 0.0, -0.0, 0.0, -1.0, 1.0, -2.0, 2.0, NAN, NAN, NAN, -0x1.555554p+127, -1.0, 0.0, -0.0, 0.0, -1.0, 1.0, -2.0, NAN, NAN, NAN, 0x1.999998p+126, 0.0, -0.0, 0.0, -1.0, 0.0, -1.0, 1.0, NAN, NAN, NAN, -0x1.555554p+126, -1.0, 0.0, -0.0, 0.0, -1.0, 0.0, -1.0, NAN, NAN, NAN, 0.0, 0.0, -0.0, 0.0, -1.0, 0.0, -1.0, 0.0, NAN, NAN, NAN, -1.0, -1.0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, -0.0, 0.0, -1.0, 0.0, -1.0, NAN, NAN, NAN, 1.0, 0.0, 0.0, -0.0, 0x1p+126, -0x1.8p+126, 0x1.4p+127, -0x1.8p+127, NAN, NAN, NAN, INFINITY, 1.0};
static const double d337[] = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, 0.0, 0.0, 0x1p-1, 0x1p-1, 0.0, NAN, NAN, NAN, 0.0, 0x1p-126, -0.0, -0.0, -0x1p-1, -0.0, -0x1p-1, -0.0, NAN, NAN, NAN, -0.0, -0x1.8p+0, 0.0, 0.0, 1.0, 1.0, 0.0, 2.0, NAN, NAN, NAN, 0.0, 0x1p-126, -0.0, -0.0, -2.0, -0x1.8p+0, -0x1p-1, -0.0, NAN, NAN, NAN, -0.0, -3.0, 0.0, 0.0, 1.0, INFINITY, 0x1.4p+1, INFINITY, NAN, NAN, NAN, 0x1.fffffep+127, 0x1p-126, -0.0, -0.0, -INFINITY, -0x1.8p+0, -INFINITY, -3.0, NAN, NAN, NAN, -INFINITY, -INFINITY, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, 0.0, 1.0, 0x1.fffffep+127, 0x1.4p+1, 0x1.fffffep+127, NAN, NAN, NAN, 0.0, 0x1p-126, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, NAN, NAN, NAN, 0.0, 0.0};
static const double d338[] = {NAN, NAN, INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY, -INFINITY, NAN, INFINITY, INFINITY, NAN, NAN, -INFINITY, INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY, NAN, -INFINITY, -INFINITY, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, -0.0, 0.0, -0x1.555556p-1, 1.0, -0x1.aaaaaap+0, 2.0, -INFINITY, INFINITY, NAN, -0x1.555554p+127, -0x1.555554p-127, 0.0, -0.0, 0x1.99999ap-2, -0x1.333334p-1, 1.0, -0x1.333334p+0, INFINITY, -INFINITY, NAN, 0x1.999998p+126, 0x1.999998p-128, -0.0, 0.0, -0x1.555556p-2, 0x1p-1, -0x1.aaaaaap-1, 1.0, -INFINITY, INFINITY, NAN, -0x1.555554p+126, -0x1.555558p-128, 0.0, -0.0, 0.0, -0.0, 0.0, -0.0, NAN, NAN, NAN, 0.0, 0.0, -0.0, 0.0, -0.0, 0.0, -0.0, 0.0, NAN, NAN, NAN, -0.0, -0.0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, -0.0, 0x1p-128, -0x1.8p-128, 0x1.4p-127, -0x1.8p-127, INFINITY, -INFINITY, NAN, 1.0, 0.0, 0.0, -0.0, 0x1p+126, -0x1.8p+126, 0x1.4p+127, -0x1.8p+127, INFINITY, -INFINITY, NAN, INFINITY, 1.0};
static const double d339[] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, INFINITY, INFINITY, 1.0, NAN, 0x1.030dc4p-2, NAN, 0.0, 0.0, NAN, 0.0, INFINITY, 0.0, 0.0, 1.0, NAN, 0x1.3c3a4ep+3, NAN, INFINITY, INFINITY, NAN, INFINITY, 0.0, INFINITY, -INFINITY, 1.0, -0x1.2f684cp-2, 0x1.0624dep-4, -0x1.2f684cp-5, 0.0, -0.0, NAN, 0.0, INFINITY, 0.0, 0.0, 1.0, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, NAN, INFINITY, 0.0, INFINITY, INFINITY, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, NAN, 0.0, INFINITY, NAN, NAN, 1.0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, 0.0, 1.0, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, NAN, INFINITY, 0.0, 0.0, 0.0, 1.0, NAN, 1.0, NAN, INFINITY, INFINITY, NAN, 1.0, 1.0};
static const double d340[] = {0.0, 0.0, 0.0, -0x1.8p+0, 0.0, -3.0, 0.0, -INFINITY, NAN, 0.0, 0.0, -0.0, -0.0, -0.0, -0x1.8p+0, -0.0, -3.0, -0.0, -INFINITY, NAN, -0.0, -0.0, 0.0, -0.0, 1.0, -0x1.8p+0, 1.0, -3.0, 1.0, -INFINITY, NAN, 1.0, 0x1p-126, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -3.0, -0x1.8p+0, -INFINITY, NAN, -0x1.8p+0, -0x1.8p+0, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, 0x1.4p+1, -INFINITY, NAN, 0x1.4p+1, 0x1p-126, -3.0, -3.0, -3.0, -3.0, -3.0, -3.0, -3.0, -INFINITY, NAN, -3.0, -3.0, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, NAN, -INFINITY, -INFINITY, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, 0x1.fffffep+127, -INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, 0.0, -0.0, 0x1p-126, -0x1.8p+0, 0x1p-126, -3.0, 0x1p-126, -INFINITY, NAN, 0x1p-126, 0x1p-126};
static const double d341[] = {0.0, 0.0, 1.0, 0.0, 0x1.4p+1, 0.0, INFINITY, 0.0, NAN, 0x1.fffffep+127, 0x1p-126, -0.0, -0.0, 1.0, -0.0, 0x1.4p+1, -0.0, INFINITY, -0.0, NAN, 0x1.fffffep+127, 0x1p-126, 1.0, 1.0, 1.0, 1.0, 0x1.4p+1, 1.0, INFINITY, 1.0, NAN, 0x1.fffffep+127, 1.0, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -0x1.8p+0, INFINITY, -0x1.8p+0, NAN, 0x1.fffffep+127, 0x1p-126, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, INFINITY, 0x1.4p+1, NAN, 0x1.fffffep+127, 0x1.4p+1, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -3.0, NAN, 0x1.fffffep+127, 0x1p-126, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, NAN, INFINITY, INFINITY, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0x1.fffffep+127, 0x1.fffffep+127, 0x1.fffffep+127, 0x1.fffffep+127, 0x1.fffffep+127, 0x1.fffffep+127, INFINITY, 0x1.fffffep+127, NAN, 0x1.fffffep+127, 0x1.fffffep+127, 0x1p-126, 0x1p-126, 1.0, 0x1p-126, 0x1.4p+1, 0x1p-126, INFINITY, 0x1p-126, NAN, 0x1.fffffep+127, 0x1p-126};
static const double d342[] = {0.0, 0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, -0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0x1p-126};
static const double d343[] = {0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, -0x1.fffffep+127, -0x1p-126, 0x1p-1, -0x1p-1, 0x1.8p+0, 0x1.99999ap-4, 20.0, -20.0, 0x1p-23, 0x1.dp+2, -0x1.4p+1, 0x1p-23, 0x1.dp+2, -0x1.4p+1, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, -0x1.fffffep+127, -0x1p-126, 0x1p-1, -0x1p-1, 0x1.8p+0, 0x1.99999ap-4, 20.0, -20.0, 0x1.99999ap-4, 20.0, -20.0, 0x1p-23, 0x1.dp+2, -0x1.4p+1, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, -0x1.fffffep+127, -0x1p-126, 0x1p-1, -0x1p-1, 0x1.8p+0, 0x1p-1, -0x1p-1, 0x1.8p+0, 0x1.99999ap-4, 20.0, -20.0, 0x1p-23, 0x1.dp+2, -0x1.4p+1, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffep+127, 0x1p-126, -0x1.fffffep+127, -0x1p-126};
static const double d344[] = {0.0, -0x1p-1, -20.0, -0x1.8p+0, -0.0, -20.0, -0x1.8p+0, -INFINITY, NAN, -0x1.8p+0, -INFINITY, NAN, -0x1.8p+0, -INFINITY, NAN, -0x1p-126, -INFINITY, NAN, -20.0, 0x1p-126, -0x1.fffffep+127, -20.0};
static const double d345[] = {-INFINITY, -0x1.fffffep+127, -20.0, -3.0, -0x1.4p+1, -0x1.8p+0, -0x1p-1, -0x1p-126, -0.0, 0.0, 0x1p-126, 0x1p-23, 0x1.99999ap-4, 0x1p-1, 1.0, 0x1.8p+0, 0x1.4p+1, 0x1.dp+2, 20.0, 0x1.fffffep+127, INFINITY, NAN};
static const double d346[] = {0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, INFINITY, 0.0, -INFINITY, -0.0, 0x1p-1, -0x1p-1, 0x1.8p+0, 0x1.998p-4, 20.0, -20.0, 0x1p-23, 0x1.dp+2, -0x1.4p+1};
static const double d347[] = {0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, INFINITY, 0x1p-126, -INFINITY, -0x1p-126, 0x1p-1, -0x1p-1, 0x1.8p+0, 0x1.9ap-4, 20.0, -20.0, 0x1p-23, 0x1.dp+2, -0x1.4p+1};
static const double d348[] = {0.0, 0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, 1.0, 1.0, 2.0, -0x1p-1, 0x1.cp+1, -2.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 1.0, -0x1.8p+0, -0x1.8p+0, -0x1p-1, -3.0, 1.0, -0x1.2p+2, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, -0x1.8p+0, 0x1.4p+1, 0x1.4p+1, 0x1.cp+1, 1.0, 5.0, -0x1p-1, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1.4p+1, -3.0, -3.0, -2.0, -0x1.2p+2, -0x1p-1, -6.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, -3.0, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, NAN, NAN, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, NAN, -INFINITY, NAN, -INFINITY, -INFINITY, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023, INFINITY, -INFINITY, NAN, INFINITY, 0x1.fffffffffffffp+1023, 0x1p-1022, 0x1p-1022, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1021};
static const double d349[] = {0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, 0.0, 0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, -1.0, -1.0, 0.0, -0x1.4p+1, 0x1.8p+0, -4.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, -1.0, 0x1.8p+0, 0x1.8p+0, 0x1.4p+1, 0.0, 4.0, -0x1.8p+0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1.8p+0, -0x1.4p+1, -0x1.4p+1, -0x1.8p+0, -4.0, 0.0, -0x1.6p+2, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, -0x1.4p+1, 3.0, 3.0, 4.0, 0x1.8p+0, 0x1.6p+2, 0.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 3.0, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, NAN, -INFINITY, NAN, -INFINITY, -INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, NAN, NAN, INFINITY, INFINITY, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, -0x1.fffffffffffffp+1023, -0x1.fffffffffffffp+1023, -0x1.fffffffffffffp+1023, -0x1.fffffffffffffp+1023, -0x1.fffffffffffffp+1023, -0x1.fffffffffffffp+1023, INFINITY, -INFINITY, NAN, 0.0, -0x1.fffffffffffffp+1023, -0x1p-1022, -0x1p-1022, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0.0};
static const double d350[] = {0.0, -0.0, 0.0, -0.0, 0.0, -0.0, NAN, NAN, NAN, 0.0, 0.0, -0.0, 0.0, -0.0, 0.0, -0.0, 0.0, NAN, NAN, NAN, -0.0, -0.0, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, -0.0, 0.0, -0x1.8p+0, 0x1.2p+1, -0x1.ep+1, 0x1.2p+2, -INFINITY, INFINITY, NAN, -INFINITY, -0x1.8p-1022, 0.0, -0.0, 0x1.4p+1, -0x1.ep+1, 0x1.9p+2, -0x1.ep+2, INFINITY, -INFINITY, NAN, INFINITY, 0x1.4p-1021, -0.0, 0.0, -3.0, 0x1.2p+2, -0x1.ep+2, 9.0, -INFINITY, INFINITY, NAN, -INFINITY, -0x1.8p-1021, NAN, NAN, INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY, -INFINITY, NAN, INFINITY, INFINITY, NAN, NAN, -INFINITY, INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY, NAN, -INFINITY, -INFINITY, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, -0.0, 0x1.fffffffffffffp+1023, -INFINITY, INFINITY, -INFINITY, INFINITY, -INFINITY, NAN, INFINITY, 0x1.fffffffffffffp+1, 0.0, -0.0, 0x1p-1022, -0x1.8p-1022, 0x1.4p-1021, -0x1.8p-1021, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1, 0.0};
static const double d351[] = {NAN, NAN, INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY, -INFINITY, NAN, INFINITY, INFINITY, NAN, NAN, -INFINITY, INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY, NAN, -INFINITY, -INFINITY, 0.0, -0.0, 1.0, -2.0, 2.0, -3.0, NAN, NAN, NAN, 0x1.fffffffffffffp+1023, 0.0, -0.0, 0.0, -1.0, 1.0, -2.0, 2.0, NAN, NAN, NAN, -0x1.5555555555555p+1023, -1.0, 0.0, -0.0, 0.0, -1.0, 1.0, -2.0, NAN, NAN, NAN, 0x1.9999999999999p+1022, 0.0, -0.0, 0.0, -1.0, 0.0, -1.0, 1.0, NAN, NAN, NAN, -0x1.5555555555555p+1022, -1.0, 0.0, -0.0, 0.0, -1.0, 0.0, -1.0, NAN, NAN, NAN, 0.0, 0.0, -0.0, 0.0, -1.0, 0.0, -1.0, 0.0, NAN, NAN, NAN, -1.0, -1.0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, -0.0, 0.0, -1.0, 0.0, -1.0, NAN, NAN, NAN, 1.0, 0.0, 0.0, -0.0, 0x1p+1022, -0x1.8p+1022, 0x1.4p+1023, -0x1.8p+1023, NAN, NAN, NAN, INFINITY, 1.0};
static const double d352[] = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, 0.0, 0.0, 0x1p-1, 0x1p-1, 0.0, NAN, NAN, NAN, 0.0, 0x1p-1022, -0.0, -0.0, -0x1p-1, -0.0, -0x1p-1, -0.0, NAN, NAN, NAN, -1.0, -0x1.8p+0, 0.0, 0.0, 1.0, 1.0, 0.0, 2.0, NAN, NAN, NAN, 0x1p-1, 0x1p-1022, -0.0, -0.0, -2.0, -0x1.8p+0, -0x1p-1, -0.0, NAN, NAN, NAN, -1.0, -3.0, 0.0, 0.0, 1.0, INFINITY, 0x1.4p+1, INFINITY, NAN, NAN, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, -0.0, -0.0, -INFINITY, -0x1.8p+0, -INFINITY, -3.0, NAN, NAN, NAN, -INFINITY, -INFINITY, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, 0.0, 1.0, 0x1.fffffffffffffp+1023, 0x1.4p+1, 0x1.fffffffffffffp+1023, NAN, NAN, NAN, 0.0, 0x1p-1022, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, NAN, NAN, NAN, 0.0, 0.0};
static const double d353[] = {NAN, NAN, INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY, -INFINITY, NAN, INFINITY, INFINITY, NAN, NAN, -INFINITY, INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY, NAN, -INFINITY, -INFINITY, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, -0.0, 0.0, -0x1.5555555555555p-1, 1.0, -0x1.aaaaaaaaaaaabp+0, 2.0, -INFINITY, INFINITY, NAN, -0x1.5555555555555p+1023, -0x0.aaaaaaaaaaaabp-1022, 0.0, -0.0, 0x1.999999999999ap-2, -0x1.3333333333333p-1, 1.0, -0x1.3333333333333p+0, INFINITY, -INFINITY, NAN, 0x1.9999999999999p+1022, 0x0.6666666666666p-1022, -0.0, 0.0, -0x1.5555555555555p-2, 0x1p-1, -0x1.aaaaaaaaaaaabp-1, 1.0, -INFINITY, INFINITY, NAN, -0x1.5555555555555p+1022, -0x0.5555555555555p-1022, 0.0, -0.0, 0.0, -0.0, 0.0, -0.0, NAN, NAN, NAN, 0.0, 0.0, -0.0, 0.0, -0.0, 0.0, -0.0, 0.0, NAN, NAN, NAN, -0.0, -0.0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, -0.0, 0x0.4p-1022, -0x0.6p-1022, 0x0.ap-1022, -0x0.cp-1022, INFINITY, -INFINITY, NAN, 1.0, 0.0, 0.0, -0.0, 0x1p+1022, -0x1.8p+1022, 0x1.4p+1023, -0x1.8p+1023, INFINITY, -INFINITY, NAN, INFINITY, 1.0};
static const double d354[] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, INFINITY, INFINITY, 1.0, NAN, 0x1.030dc4ea03a72p-2, NAN, 0.0, 0.0, NAN, 0.0, INFINITY, 0.0, 0.0, 1.0, NAN, 0x1.3c3a4edfa9758p+3, NAN, INFINITY, INFINITY, NAN, INFINITY, 0.0, INFINITY, -INFINITY, 1.0, -0x1.2f684bda12f68p-2, 0x1.0624dd2f1a9fcp-4, -0x1.2f684bda12f68p-5, 0.0, -0.0, NAN, 0.0, INFINITY, 0.0, 0.0, 1.0, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, NAN, INFINITY, 0.0, INFINITY, INFINITY, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, NAN, 0.0, INFINITY, NAN, NAN, 1.0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, 0.0, 1.0, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, NAN, INFINITY, 0.0, 0.0, 0.0, 1.0, NAN, 1.0, NAN, INFINITY, INFINITY, NAN, 1.0, 1.0};
static const double d355[] = {0.0, 0.0, 0.0, -0x1.8p+0, 0.0, -3.0, 0.0, -INFINITY, NAN, 0.0, 0.0, -0.0, -0.0, -0.0, -0x1.8p+0, -0.0, -3.0, -0.0, -INFINITY, NAN, -0.0, -0.0, 0.0, -0.0, 1.0, -0x1.8p+0, 1.0, -3.0, 1.0, -INFINITY, NAN, 1.0, 0x1p-1022, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -0x1.8p+0, -3.0, -0x1.8p+0, -INFINITY, NAN, -0x1.8p+0, -0x1.8p+0, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, 0x1.4p+1, -INFINITY, NAN, 0x1.4p+1, 0x1p-1022, -3.0, -3.0, -3.0, -3.0, -3.0, -3.0, -3.0, -INFINITY, NAN, -3.0, -3.0, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, NAN, -INFINITY, -INFINITY, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, 0x1.fffffffffffffp+1023, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, 0.0, -0.0, 0x1p-1022, -0x1.8p+0, 0x1p-1022, -3.0, 0x1p-1022, -INFINITY, NAN, 0x1p-1022, 0x1p-1022};
static const double d356[] = {0.0, 0.0, 1.0, 0.0, 0x1.4p+1, 0.0, INFINITY, 0.0, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, -0.0, -0.0, 1.0, -0.0, 0x1.4p+1, -0.0, INFINITY, -0.0, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, 1.0, 1.0, 1.0, 1.0, 0x1.4p+1, 1.0, INFINITY, 1.0, NAN, 0x1.fffffffffffffp+1023, 1.0, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -0x1.8p+0, INFINITY, -0x1.8p+0, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, 0x1.4p+1, INFINITY, 0x1.4p+1, NAN, 0x1.fffffffffffffp+1023, 0x1.4p+1, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -3.0, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, NAN, INFINITY, INFINITY, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023, INFINITY, 0x1.fffffffffffffp+1023, NAN, 0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023, 0x1p-1022, 0x1p-1022, 1.0, 0x1p-1022, 0x1.4p+1, 0x1p-1022, INFINITY, 0x1p-1022, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022};
static const double d357[] = {0.0, 0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, -0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022};
static const double d358[] = {0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, -0x1.fffffffffffffp+1023, -0x1p-1022, 0x1p-1, -0x1p-1, 0x1.8p+0, 0x1.999999999999ap-4, 20.0, -20.0, 0x1p-52, 0x1.dp+2, -0x1.4p+1, 0x1p-52, 0x1.dp+2, -0x1.4p+1, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, -0x1.fffffffffffffp+1023, -0x1p-1022, 0x1p-1, -0x1p-1, 0x1.8p+0, 0x1.999999999999ap-4, 20.0, -20.0, 0x1.999999999999ap-4, 20.0, -20.0, 0x1p-52, 0x1.dp+2, -0x1.4p+1, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, -0x1.fffffffffffffp+1023, -0x1p-1022, 0x1p-1, -0x1p-1, 0x1.8p+0, 0x1p-1, -0x1p-1, 0x1.8p+0, 0x1.999999999999ap-4, 20.0, -20.0, 0x1p-52, 0x1.dp+2, -0x1.4p+1, 0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp+1023, 0x1p-1022, -0x1.fffffffffffffp+1023, -0x1p-1022};
static const double d359[] = {0.0, -0x1p-1, -20.0, -0x1.8p+0, -0.0, -20.0, -0x1.8p+0, -INFINITY, NAN, -0x1.8p+0, -INFINITY, NAN, -0x1.8p+0, -INFINITY, NAN, -0x1p-1022, -INFINITY, NAN, -20.0, 0x1p-1022, -0x1.fffffffffffffp+1023, -20.0};
static const double d360[] = {-INFINITY, -0x1.fffffffffffffp+1023, -20.0, -3.0, -0x1.4p+1, -0x1.8p+0, -0x1p-1, -0x1p-1022, -0.0, 0.0, 0x1p-1022, 0x1p-52, 0x1.999999999999ap-4, 0x1p-1, 1.0, 0x1.8p+0, 0x1.4p+1, 0x1.dp+2, 20.0, 0x1.fffffffffffffp+1023, INFINITY, NAN};
static const double d361[] = {0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, INFINITY, 0.0, -INFINITY, -0.0, 0x1p-1, -0x1p-1, 0x1.8p+0, 0x1.998p-4, 20.0, -20.0, 0.0, 0x1.dp+2, -0x1.4p+1};
static const double d362[] = {0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, INFINITY, 0.0, -INFINITY, -0.0, 0x1p-1, -0x1p-1, 0x1.8p+0, 0x1.9ap-4, 20.0, -20.0, 0x1p-52, 0x1.dp+2, -0x1.4p+1};
static const double d363[] = {0.0, -0.0, 1.0, -0x1.8p+0, 0x1.4p+1, -3.0, INFINITY, -INFINITY, NAN, INFINITY, 0.0, -INFINITY, -0.0, 0x1p-1, -0x1p-1, 0x1.8p+0, 0x1.99999ap-4, 20.0, -20.0, 0x1p-52, 0x1.dp+2, -0x1.4p+1};
static const int64_t d364[] = {0, 1, 3, 7, 255, 0, 1, 1, 2, 4, 8, 0, 1, 2, 3, 4, 6, 10, 2, 3, 4, 7, 8, 10, 14, 6, 7, 8, 255, 0, 2, 6, 254, 255, 0, 0, 1, 3, 7, 255, 0, 1, 1, 2, 4, 8, 0, 1, 2};
static const int64_t d365[] = {0, 1, 3, 7, 255, 0, 1, 255, 0, 2, 6, 254, 255, 0, 253, 254, 0, 4, 252, 253, 254, 249, 250, 252, 0, 248, 249, 250, 1, 2, 4, 8, 0, 1, 2, 0, 1, 3, 7, 255, 0, 1, 255, 0, 2, 6, 254, 255, 0};
static const int64_t d366[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 7, 255, 0, 1, 0, 3, 9, 21, 253, 0, 3, 0, 7, 21, 49, 249, 0, 7, 0, 255, 253, 249, 1, 0, 255, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 7, 255, 0, 1};
static const int64_t d367[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 7, 255, 0, 1, 0, 0, 1, 2, 85, 0, 0, 0, 0, 0, 1, 36, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 7, 255, 0, 1};
static const int64_t d368[] = {1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1};
static const int64_t d369[] = {0, 1, 1, 1, 1, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 0, 1, 1, 1, 1, 0};
static const int64_t d370[] = {0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
static const int64_t d371[] = {1, 0, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1};
static const int64_t d372[] = {0, 1, 1, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0, 0};
static const int64_t d373[] = {1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1};
static const int64_t d374[] = {1, 1, 1, 1, 1, 1, 1, 0, 1, 3, 7, 255, 0, 1, 0, 1, 27, 87, 255, 0, 1, 0, 1, 139, 247, 255, 0, 1, 0, 1, 171, 183, 255, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 3, 7, 255, 0, 1};
static const int64_t d375[] = {1, 1, 3, 3, 3, 1, 1, 2, 3, 3, 3};
static const int64_t d376[] = {0, 1, 3, 7, 255, 0, 1, 2, 10, 100, 254, 10, 100, 254, 0, 1, 3, 7, 255, 0, 1, 2, 0, 1, 2, 10, 100, 254, 0, 1, 3, 7, 255, 3, 7, 255, 0, 1, 2, 10, 100, 254, 0, 1};
static const int64_t d377[] = {255, 255, 255, 255};
static const int64_t d378[] = {0, 1, 2, 0, 1, 0, 0, 1, 0, 0, 1};
static const int64_t d379[] = {4, 7, 10, 2};
static const int64_t d380[] = {0, 3, 0, 3};
static const int64_t d381[] = {0, 0, 1, 1, 2, 3, 7, 10, 100, 254, 255};
static const int64_t d382[] = {0, 5, 1, 6, 7, 2, 3, 8, 9, 10, 4};
static const int64_t d383[] = {633, 633, 633, 633};
static const int64_t d384[] = {0};
static const int64_t d385[] = {0, 0, 0, 0};
static const int64_t d386[] = {1, 1, 1, 1};
static const int64_t d387[] = {0, 1, 4, 11, 266, 266, 267, 269, 279, 379, 633, 10, 110, 364, 364, 365, 368, 375, 630, 630, 631, 633, 0, 1, 3, 13, 113, 367, 367, 368, 371, 378, 633, 3, 10, 265, 265, 266, 268, 278, 378, 632, 632, 633};
static const int64_t d388[] = {0, 1, 3, 10, 100, 254, 0, 1, 2, 3, 7, 255};
static const int64_t d389[] = {0, 254000, 0, 5355};
static const double d390[] = {0.0, 1.0, 3.0, 7.0, 255.0, 0.0, 1.0, 2.0, 10.0, 100.0, 254.0};
static const int64_t d391[] = {0, 1, 3, 7, 127, -128, -127, -1, -3, -10, 1, 2, 4, 8, -128, -127, -126, 0, -2, -9, 3, 4, 6, 10, -126, -125, -124, 2, 0, -7, 7, 8, 10, 14, -122, -121, -120, 6, 4, -3, 127, -128, -126, -122, -2, -1, 0, 126, 124, 117, -128, -127, -125, -121, -1, 0, 1, 127, 125, 118, -127, -126, -124, -120, 0, 1, 2, -128, 126, 119, -1, 0, 2, 6, 126, 127, -128, -2, -4, -11, -3, -2, 0, 4, 124, 125, 126, -4, -6, -13, -10, -9, -7, -3, 117, 118, 119, -11, -13, -20};
static const int64_t d392[] = {0, 1, 3, 7, 127, -128, -127, -1, -3, -10, -1, 0, 2, 6, 126, 127, -128, -2, -4, -11, -3, -2, 0, 4, 124, 125, 126, -4, -6, -13, -7, -6, -4, 0, 120, 121, 122, -8, -10, -17, -127, -126, -124, -120, 0, 1, 2, -128, 126, 119, -128, -127, -125, -121, -1, 0, 1, 127, 125, 118, 127, -128, -126, -122, -2, -1, 0, 126, 124, 117, 1, 2, 4, 8, -128, -127, -126, 0, -2, -9, 3, 4, 6, 10, -126, -125, -124, 2, 0, -7, 10, 11, 13, 17, -119, -118, -117, 9, 7, 0};
static const int64_t d393[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 7, 127, -128, -127, -1, -3, -10, 0, 3, 9, 21, 125, -128, -125, -3, -9, -30, 0, 7, 21, 49, 121, -128, -121, -7, -21, -70, 0, 127, 125, 121, 1, -128, -1, -127, -125, 10, 0, -128, -128, -128, -128, 0, -128, -128, -128, 0, 0, -127, -125, -121, -1, -128, 1, 127, 125, -10, 0, -1, -3, -7, -127, -128, 127, 1, 3, 10, 0, -3, -9, -21, -125, -128, 125, 3, 9, 30, 0, -10, -30, -70, 10, 0, -10, 10, 30, 100};
static const int64_t d394[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 7, 127, -128, -127, -1, -3, -10, 0, 0, 1, 2, 42, -43, -43, -1, -1, -4, 0, 0, 0, 1, 18, -19, -19, -1, -1, -2, 0, 0, 0, 0, 1, -2, -1, -1, -1, -1, 0, -1, -1, -1, -1, 1, 0, 0, 0, 0, 0, -1, -1, -1, -1, 1, 1, 0, 0, 0, 0, -1, -3, -7, -127, -128, 127, 1, 3, 10, 0, -1, -1, -3, -43, 42, 42, 0, 1, 3, 0, -1, -1, -1, -13, 12, 12, 0, 0, 1};
static const int64_t d395[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 1, 2, 2, 0, 2, 0, 1, 3, 0, 1, 5, 6, 6, 4, 4, 0, 1, 3, 7, 0, 126, 0, 126, 124, 117, 0, -127, -125, -121, -1, 0, -127, -1, -3, -10, 0, -126, -124, -120, 0, -1, 0, -1, -3, -10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -2, 0, -2, -2, -2, -1, -1, 0, -1, 0, -9, -7, -3, -3, -8, -7, -1, -3, 0};
static const int64_t d396[] = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
static const int64_t d397[] = {0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0};
static const int64_t d398[] = {0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 1, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0};
static const int64_t d399[] = {1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 0, 1, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 1};
static const int64_t d400[] = {0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 1, 0, 0, 1, 1, 1, 1, 1, 0, 0, 1, 1, 0};
static const int64_t d401[] = {1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 0, 0, 1, 1, 1, 1, 1, 0, 0, 1, 1, 0, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1};
static const int64_t d402[] = {0, 1, 3, 7, 127, -128, -127, -1, -3, -10, 0, 1, 3, 7, 127, -128, -127, -1, -3, -10, 0, 1, 3, 7, 127, -128, -127, -1, -3, -10, 0, 1, 3, 7, 127, -128, -127, -1, -3, -10, 0, 1, 3, 7, 127, -128, -127, -1, -3, -10};
static const int64_t d403[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127};
static const int64_t d404[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 3, 7, 127, -128, -127, -1, -3, -10, 0, 1, 27, 87, 127, 0, -127, -1, -27, 24, 0, 1, -117, -9, 127, 0, -127, -1, 117, -128, 0, 1, -85, -73, 127, 0, -127, -1, 85, 0};
static const int64_t d405[] = {0, 0, 0, 0, 0, -128, -127, -1, -3, -10, 0, 1, 1, 1, 1, -128, -127, -1, -3, -10, 0, 1, 3, 3, 3, -128, -127, -1, -3, -10, 0, 1, 3, 7, 7, -128, -127, -1, -3, -10, 0, 1, 3, 7, 127, -128, -127, -1, -3, -10, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128, -127, -127, -127, -127, -127, -128, -127, -127, -127, -127, -1, -1, -1, -1, -1, -128, -127, -1, -3, -10, -3, -3, -3, -3, -3, -128, -127, -3, -3, -10, -10, -10, -10, -10, -10, -128, -127, -10, -10, -10};
static const int64_t d406[] = {0, 1, 3, 7, 127, 0, 0, 0, 0, 0, 1, 1, 3, 7, 127, 1, 1, 1, 1, 1, 3, 3, 3, 7, 127, 3, 3, 3, 3, 3, 7, 7, 7, 7, 127, 7, 7, 7, 7, 7, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 0, 1, 3, 7, 127, -128, -127, -1, -3, -10, 0, 1, 3, 7, 127, -127, -127, -1, -3, -10, 0, 1, 3, 7, 127, -1, -1, -1, -1, -1, 0, 1, 3, 7, 127, -3, -3, -1, -3, -3, 0, 1, 3, 7, 127, -10, -10, -1, -3, -10};
static const int64_t d407[] = {1, 1, 3, 3, 3, 1, 1, 1, 1, 1, 2, 3, 3, 3};
static const int64_t d408[] = {0, 1, 3, 7, 127, -128, -127, -1, -3, -10, 2, 10, 100, 126, 10, 100, 126, 0, 1, 3, 7, 127, -128, -127, -1, -3, -10, 2, -3, -10, 2, 10, 100, 126, 0, 1, 3, 7, 127, -128, -127, -1, -128, -127, -1, -3, -10, 2, 10, 100, 126, 0, 1, 3, 7, 127};
static const int64_t d409[] = {127, 127, 127, 127};
static const int64_t d410[] = {-128, -127, -1, -3, -10, -128, -127, -1, -128, -127, -1, -128, -127, -1};
static const int64_t d411[] = {4, 7, 10, 13};
static const int64_t d412[] = {5, 8, 11, 0};
static const int64_t d413[] = {-128, -127, -10, -3, -1, 0, 1, 2, 3, 7, 10, 100, 126, 127};
static const int64_t d414[] = {5, 6, 9, 8, 7, 0, 1, 10, 2, 3, 11, 12, 13, 4};
static const int64_t d415[] = {107, 107, 107, 107};
static const int64_t d416[] = {0, 1, 4, 11, 138, 10, -117, -118, -121, -131, -129, -119, -19, 107, 10, 110, 236, 236, 237, 240, 247, 374, 246, 119, 118, 115, 105, 107, -3, -13, -11, -1, 99, 225, 225, 226, 229, 236, 363, 235, 108, 107, -128, -255, -256, -259, -269, -267, -257, -157, -31, -31, -30, -27, -20, 107};
static const int64_t d417[] = {0, 1, 3, 10, 100, 126, -3, -10, 2, -128, -127, -1};
static const int64_t d418[] = {0, 126000, 60, -16256};
static const double d419[] = {0.0, 1.0, 3.0, 7.0, 127.0, -128.0, -127.0, -1.0, -3.0, -10.0, 2.0, 10.0, 100.0, 126.0};
static const int64_t d420[] = {0, 1, 3, 7, 127, 128, 129, 255, 253, 246, 2, 10, 100, 126};
static const int64_t d421[] = {0, 1, 3, 7, 127, 65408, 65409, 65535, 65533, 65526, 2, 10, 100, 126};
static const int64_t d422[] = {0, 1, 3, 7, 127, 4294967168, 4294967169, 4294967295, 4294967293, 4294967286, 2, 10, 100, 126};
static const int64_t d423[] = {0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
static const int64_t d424[] = {0, 1, 3, 7, 2147483647, -2147483648, -2147483647, -1, -3, -10, 1, 2, 4, 8, -2147483648, -2147483647, -2147483646, 0, -2, -9, 3, 4, 6, 10, -2147483646, -2147483645, -2147483644, 2, 0, -7, 7, 8, 10, 14, -2147483642, -2147483641, -2147483640, 6, 4, -3, 2147483647, -2147483648, -2147483646, -2147483642, -2, -1, 0, 2147483646, 2147483644, 2147483637, -2147483648, -2147483647, -2147483645, -2147483641, -1, 0, 1, 2147483647, 2147483645, 2147483638, -2147483647, -2147483646, -2147483644, -2147483640, 0, 1, 2, -2147483648, 2147483646, 2147483639, -1, 0, 2, 6, 2147483646, 2147483647, -2147483648, -2, -4, -11, -3, -2, 0, 4, 2147483644, 2147483645, 2147483646, -4, -6, -13, -10, -9, -7, -3, 2147483637, 2147483638, 2147483639, -11, -13, -20};
static const int64_t d425[] = {0, 1, 3, 7, 2147483647, -2147483648, -2147483647, -1, -3, -10, -1, 0, 2, 6, 2147483646, 2147483647, -2147483648, -2, -4, -11, -3, -2, 0, 4, 2147483644, 2147483645, 2147483646, -4, -6, -13, -7, -6, -4, 0, 2147483640, 2147483641, 2147483642, -8, -10, -17, -2147483647, -2147483646, -2147483644, -2147483640, 0, 1, 2, -2147483648, 2147483646, 2147483639, -2147483648, -2147483647, -2147483645, -2147483641, -1, 0, 1, 2147483647, 2147483645, 2147483638, 2147483647, -2147483648, -2147483646, -2147483642, -2, -1, 0, 2147483646, 2147483644, 2147483637, 1, 2, 4, 8, -2147483648, -2147483647, -2147483646, 0, -2, -9, 3, 4, 6, 10, -2147483646, -2147483645, -2147483644, 2, 0, -7, 10, 11, 13, 17, -2147483639, -2147483638, -2147483637, 9, 7, 0};
static const int64_t d426[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 7, 2147483647, -2147483648, -2147483647, -1, -3, -10, 0, 3, 9, 21, 2147483645, -2147483648, -2147483645, -3, -9, -30, 0, 7, 21, 49, 2147483641, -2147483648, -2147483641, -7, -21, -70, 0, 2147483647, 2147483645, 2147483641, 1, -2147483648, -1, -2147483647, -2147483645, 10, 0, -2147483648, -2147483648, -2147483648, -2147483648, 0, -2147483648, -2147483648, -2147483648, 0, 0, -2147483647, -2147483645, -2147483641, -1, -2147483648, 1, 2147483647, 2147483645, -10, 0, -1, -3, -7, -2147483647, -2147483648, 2147483647, 1, 3, 10, 0, -3, -9, -21, -2147483645, -2147483648, 2147483645, 3, 9, 30, 0, -10, -30, -70, 10, 0, -10, 10, 30, 100};
static const int64_t d427[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 7, 2147483647, -2147483648, -2147483647, -1, -3, -10, 0, 0, 1, 2, 715827882, -715827883, -715827883, -1, -1, -4, 0, 0, 0, 1, 306783378, -306783379, -306783379, -1, -1, -2, 0, 0, 0, 0, 1, -2, -1, -1, -1, -1, 0, -1, -1, -1, -1, 1, 0, 0, 0, 0, 0, -1, -1, -1, -1, 1, 1, 0, 0, 0, 0, -1, -3, -7, -2147483647, -2147483648, 2147483647, 1, 3, 10, 0, -1, -1, -3, -715827883, 715827882, 715827882, 0, 1, 3, 0, -1, -1, -1, -214748365, 214748364, 214748364, 0, 0, 1};
static const int64_t d428[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 1, 2, 2, 0, 2, 0, 1, 3, 0, 1, 5, 6, 6, 4, 4, 0, 1, 3, 7, 0, 2147483646, 0, 2147483646, 2147483644, 2147483637, 0, -2147483647, -2147483645, -2147483641, -1, 0, -2147483647, -1, -3, -10, 0, -2147483646, -2147483644, -2147483640, 0, -1, 0, -1, -3, -10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -2, 0, -2, -2, -2, -1, -1, 0, -1, 0, -9, -7, -3, -3, -8, -7, -1, -3, 0};
static const int64_t d429[] = {0, 1, 3, 7, 2147483647, -2147483648, -2147483647, -1, -3, -10, 0, 1, 3, 7, 2147483647, -2147483648, -2147483647, -1, -3, -10, 0, 1, 3, 7, 2147483647, -2147483648, -2147483647, -1, -3, -10, 0, 1, 3, 7, 2147483647, -2147483648, -2147483647, -1, -3, -10, 0, 1, 3, 7, 2147483647, -2147483648, -2147483647, -1, -3, -10};
static const int64_t d430[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647};
static const int64_t d431[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 3, 7, 2147483647, -2147483648, -2147483647, -1, -3, -10, 0, 1, 27, 343, 2147483647, 0, -2147483647, -1, -27, -1000, 0, 1, 2187, 823543, 2147483647, 0, -2147483647, -1, -2187, -10000000, 0, 1, -1431655765, -1227133513, 2147483647, 0, -2147483647, -1, 1431655765, 0};
static const int64_t d432[] = {0, 0, 0, 0, 0, -2147483648, -2147483647, -1, -3, -10, 0, 1, 1, 1, 1, -2147483648, -2147483647, -1, -3, -10, 0, 1, 3, 3, 3, -2147483648, -2147483647, -1, -3, -10, 0, 1, 3, 7, 7, -2147483648, -2147483647, -1, -3, -10, 0, 1, 3, 7, 2147483647, -2147483648, -2147483647, -1, -3, -10, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483647, -2147483647, -2147483647, -2147483647, -2147483647, -2147483648, -2147483647, -2147483647, -2147483647, -2147483647, -1, -1, -1, -1, -1, -2147483648, -2147483647, -1, -3, -10, -3, -3, -3, -3, -3, -2147483648, -2147483647, -3, -3, -10, -10, -10, -10, -10, -10, -2147483648, -2147483647, -10, -10, -10};
static const int64_t d433[] = {0, 1, 3, 7, 2147483647, 0, 0, 0, 0, 0, 1, 1, 3, 7, 2147483647, 1, 1, 1, 1, 1, 3, 3, 3, 7, 2147483647, 3, 3, 3, 3, 3, 7, 7, 7, 7, 2147483647, 7, 7, 7, 7, 7, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 0, 1, 3, 7, 2147483647, -2147483648, -2147483647, -1, -3, -10, 0, 1, 3, 7, 2147483647, -2147483647, -2147483647, -1, -3, -10, 0, 1, 3, 7, 2147483647, -1, -1, -1, -1, -1, 0, 1, 3, 7, 2147483647, -3, -3, -1, -3, -3, 0, 1, 3, 7, 2147483647, -10, -10, -1, -3, -10};
static const int64_t d434[] = {0, 1, 3, 7, 2147483647, -2147483648, -2147483647, -1, -3, -10, 2, 10, 100, 2147483646, 10, 100, 2147483646, 0, 1, 3, 7, 2147483647, -2147483648, -2147483647, -1, -3, -10, 2, -3, -10, 2, 10, 100, 2147483646, 0, 1, 3, 7, 2147483647, -2147483648, -2147483647, -1, -2147483648, -2147483647, -1, -3, -10, 2, 10, 100, 2147483646, 0, 1, 3, 7, 2147483647};
static const int64_t d435[] = {2147483647, 2147483647, 2147483647, 2147483647};
static const int64_t d436[] = {-2147483648, -2147483647, -1, -3, -10, -2147483648, -2147483647, -1, -2147483648, -2147483647, -1, -2147483648, -2147483647, -1};
static const int64_t d437[] = {-2147483648, -2147483647, -10, -3, -1, 0, 1, 2, 3, 7, 10, 100, 2147483646, 2147483647};
static const int64_t d438[] = {0, 1, 4, 11, -2147483638, 10, -2147483637, -2147483638, -2147483641, 2147483645, 2147483647, -2147483639, -2147483539, 107, 10, 110, -2147483540, -2147483540, -2147483539, -2147483536, -2147483529, 118, -2147483530, 119, 118, 115, 105, 107, -3, -13, -11, -1, 99, -2147483551, -2147483551, -2147483550, -2147483547, -2147483540, 107, -2147483541, 108, 107, -2147483648, 1, 0, -3, -13, -11, -1, 99, -2147483551, -2147483551, -2147483550, -2147483547, -2147483540, 107};
static const int64_t d439[] = {0, 1, 3, 10, 100, 2147483646, -3, -10, 2, -2147483648, -2147483647, -1};
static const int64_t d440[] = {0, -2000, 60, -2147483648};
static const double d441[] = {0.0, 1.0, 3.0, 7.0, INFINITY, -INFINITY, -INFINITY, -1.0, -3.0, -10.0, 2.0, 10.0, 100.0, INFINITY};
static const double d442[] = {0.0, 1.0, 3.0, 7.0, 0x1p+31, -0x1p+31, -0x1p+31, -1.0, -3.0, -10.0, 2.0, 10.0, 100.0, 0x1p+31};
static const double d443[] = {0.0, 1.0, 3.0, 7.0, 0x1.fffffffcp+30, -0x1p+31, -0x1.fffffffcp+30, -1.0, -3.0, -10.0, 2.0, 10.0, 100.0, 0x1.fffffff8p+30};
static const int64_t d444[] = {0, 1, 3, 7, 255, 0, 1, 255, 253, 246, 2, 10, 100, 254};
static const int64_t d445[] = {0, 1, 3, 7, -1, 0, 1, -1, -3, -10, 2, 10, 100, -2};
static const int64_t d446[] = {0, 1, 3, 7, 65535, 0, 1, 65535, 65533, 65526, 2, 10, 100, 65534};
static const int64_t d447[] = {0, 1, 3, 7, 2147483647, 2147483648, 2147483649, 4294967295, 4294967293, 4294967286, 2, 10, 100, 2147483646};
static const int64_t d448[] = {0, 1, 3, 7, 9223372036854775807, INT64_MIN, -9223372036854775807, -1, -3, -10, 1, 2, 4, 8, INT64_MIN, -9223372036854775807, -9223372036854775806, 0, -2, -9, 3, 4, 6, 10, -9223372036854775806, -9223372036854775805, -9223372036854775804, 2, 0, -7, 7, 8, 10, 14, -9223372036854775802, -9223372036854775801, -9223372036854775800, 6, 4, -3, 9223372036854775807, INT64_MIN, -9223372036854775806, -9223372036854775802, -2, -1, 0, 9223372036854775806, 9223372036854775804, 9223372036854775797, INT64_MIN, -9223372036854775807, -9223372036854775805, -9223372036854775801, -1, 0, 1, 9223372036854775807, 9223372036854775805, 9223372036854775798, -9223372036854775807, -9223372036854775806, -9223372036854775804, -9223372036854775800, 0, 1, 2, INT64_MIN, 9223372036854775806, 9223372036854775799, -1, 0, 2, 6, 9223372036854775806, 9223372036854775807, INT64_MIN, -2, -4, -11, -3, -2, 0, 4, 9223372036854775804, 9223372036854775805, 9223372036854775806, -4, -6, -13, -10, -9, -7, -3, 9223372036854775797, 9223372036854775798, 9223372036854775799, -11, -13, -20};
static const int64_t d449[] = {0, 1, 3, 7, 9223372036854775807, INT64_MIN, -9223372036854775807, -1, -3, -10, -1, 0, 2, 6, 9223372036854775806, 9223372036854775807, INT64_MIN, -2, -4, -11, -3, -2, 0, 4, 9223372036854775804, 9223372036854775805, 9223372036854775806, -4, -6, -13, -7, -6, -4, 0, 9223372036854775800, 9223372036854775801, 9223372036854775802, -8, -10, -17, -9223372036854775807, -9223372036854775806, -9223372036854775804, -9223372036854775800, 0, 1, 2, INT64_MIN, 9223372036854775806, 9223372036854775799, INT64_MIN, -9223372036854775807, -9223372036854775805, -9223372036854775801, -1, 0, 1, 9223372036854775807, 9223372036854775805, 9223372036854775798, 9223372036854775807, INT64_MIN, -9223372036854775806, -9223372036854775802, -2, -1, 0, 9223372036854775806, 9223372036854775804, 9223372036854775797, 1, 2, 4, 8, INT64_MIN, -9223372036854775807, -9223372036854775806, 0, -2, -9, 3, 4, 6, 10, -9223372036854775806, -9223372036854775805, -9223372036854775804, 2, 0, -7, 10, 11, 13, 17, -9223372036854775799, -9223372036854775798, -9223372036854775797, 9, 7, 0};
static const int64_t d450[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 7, 9223372036854775807, INT64_MIN, -9223372036854775807, -1, -3, -10, 0, 3, 9, 21, 9223372036854775805, INT64_MIN, -9223372036854775805, -3, -9, -30, 0, 7, 21, 49, 9223372036854775801, INT64_MIN, -9223372036854775801, -7, -21, -70, 0, 9223372036854775807, 9223372036854775805, 9223372036854775801, 1, INT64_MIN, -1, -9223372036854775807, -9223372036854775805, 10, 0, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, 0, INT64_MIN, INT64_MIN, INT64_MIN, 0, 0, -9223372036854775807, -9223372036854775805, -9223372036854775801, -1, INT64_MIN, 1, 9223372036854775807, 9223372036854775805, -10, 0, -1, -3, -7, -9223372036854775807, INT64_MIN, 9223372036854775807, 1, 3, 10, 0, -3, -9, -21, -9223372036854775805, INT64_MIN, 9223372036854775805, 3, 9, 30, 0, -10, -30, -70, 10, 0, -10, 10, 30, 100};
static const int64_t d451[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 7, 9223372036854775807, INT64_MIN, -9223372036854775807, -1, -3, -10, 0, 0, 1, 2, 3074457345618258602, -3074457345618258603, -3074457345618258603, -1, -1, -4, 0, 0, 0, 1, 1317624576693539401, -1317624576693539402, -1317624576693539401, -1, -1, -2, 0, 0, 0, 0, 1, -2, -1, -1, -1, -1, 0, -1, -1, -1, -1, 1, 0, 0, 0, 0, 0, -1, -1, -1, -1, 1, 1, 0, 0, 0, 0, -1, -3, -7, -9223372036854775807, INT64_MIN, 9223372036854775807, 1, 3, 10, 0, -1, -1, -3, -3074457345618258603, 3074457345618258602, 3074457345618258602, 0, 1, 3, 0, -1, -1, -1, -922337203685477581, 922337203685477580, 922337203685477580, 0, 0, 1};
static const int64_t d452[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 1, 2, 2, 0, 2, 0, 1, 3, 0, 0, 6, 0, 6, 4, 4, 0, 1, 3, 7, 0, 9223372036854775806, 0, 9223372036854775806, 9223372036854775804, 9223372036854775797, 0, -9223372036854775807, -9223372036854775805, -9223372036854775801, -1, 0, -9223372036854775807, -1, -3, -10, 0, -9223372036854775806, -9223372036854775804, -9223372036854775800, 0, -1, 0, -1, -3, -10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -2, 0, -2, -2, -2, -1, -1, 0, -1, 0, -9, -7, -3, -3, -8, -7, -1, -3, 0};
static const int64_t d453[] = {0, 1, 3, 7, 9223372036854775807, INT64_MIN, -9223372036854775807, -1, -3, -10, 0, 1, 3, 7, 9223372036854775807, INT64_MIN, -9223372036854775807, -1, -3, -10, 0, 1, 3, 7, 9223372036854775807, INT64_MIN, -9223372036854775807, -1, -3, -10, 0, 1, 3, 7, 9223372036854775807, INT64_MIN, -9223372036854775807, -1, -3, -10, 0, 1, 3, 7, 9223372036854775807, INT64_MIN, -9223372036854775807, -1, -3, -10};
static const int64_t d454[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807};
static const int64_t d455[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 3, 7, 9223372036854775807, INT64_MIN, -9223372036854775807, -1, -3, -10, 0, 1, 27, 343, 9223372036854775807, 0, -9223372036854775807, -1, -27, -1000, 0, 1, 2187, 823543, 9223372036854775807, 0, -9223372036854775807, -1, -2187, -10000000, 0, 1, -6148914691236517205, 7905747460161236407, 9223372036854775807, 0, -9223372036854775807, -1, 6148914691236517205, 0};
static const int64_t d456[] = {0, 0, 0, 0, 0, INT64_MIN, -9223372036854775807, -1, -3, -10, 0, 1, 1, 1, 1, INT64_MIN, -9223372036854775807, -1, -3, -10, 0, 1, 3, 3, 3, INT64_MIN, -9223372036854775807, -1, -3, -10, 0, 1, 3, 7, 7, INT64_MIN, -9223372036854775807, -1, -3, -10, 0, 1, 3, 7, 9223372036854775807, INT64_MIN, -9223372036854775807, -1, -3, -10, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, -9223372036854775807, -9223372036854775807, -9223372036854775807, -9223372036854775807, -9223372036854775807, INT64_MIN, -9223372036854775807, -9223372036854775807, -9223372036854775807, -9223372036854775807, -1, -1, -1, -1, -1, INT64_MIN, -9223372036854775807, -1, -3, -10, -3, -3, -3, -3, -3, INT64_MIN, -9223372036854775807, -3, -3, -10, -10, -10, -10, -10, -10, INT64_MIN, -9223372036854775807, -10, -10, -10};
static const int64_t d457[] = {0, 1, 3, 7, 9223372036854775807, 0, 0, 0, 0, 0, 1, 1, 3, 7, 9223372036854775807, 1, 1, 1, 1, 1, 3, 3, 3, 7, 9223372036854775807, 3, 3, 3, 3, 3, 7, 7, 7, 7, 9223372036854775807, 7, 7, 7, 7, 7, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 0, 1, 3, 7, 9223372036854775807, INT64_MIN, -9223372036854775807, -1, -3, -10, 0, 1, 3, 7, 9223372036854775807, -9223372036854775807, -9223372036854775807, -1, -3, -10, 0, 1, 3, 7, 9223372036854775807, -1, -1, -1, -1, -1, 0, 1, 3, 7, 9223372036854775807, -3, -3, -1, -3, -3, 0, 1, 3, 7, 9223372036854775807, -10, -10, -1, -3, -10};
static const int64_t d458[] = {0, 1, 3, 7, 9223372036854775807, INT64_MIN, -9223372036854775807, -1, -3, -10, 2, 10, 100, 9223372036854775806, 10, 100, 9223372036854775806, 0, 1, 3, 7, 9223372036854775807, INT64_MIN, -9223372036854775807, -1, -3, -10, 2, -3, -10, 2, 10, 100, 9223372036854775806, 0, 1, 3, 7, 9223372036854775807, INT64_MIN, -9223372036854775807, -1, INT64_MIN, -9223372036854775807, -1, -3, -10, 2, 10, 100, 9223372036854775806, 0, 1, 3, 7, 9223372036854775807};
static const int64_t d459[] = {9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807};
static const int64_t d460[] = {INT64_MIN, -9223372036854775807, -1, -3, -10, INT64_MIN, -9223372036854775807, -1, INT64_MIN, -9223372036854775807, -1, INT64_MIN, -9223372036854775807, -1};
static const int64_t d461[] = {INT64_MIN, -9223372036854775807, -10, -3, -1, 0, 1, 2, 3, 7, 10, 100, 9223372036854775806, 9223372036854775807};
static const int64_t d462[] = {0, 1, 4, 11, -9223372036854775798, 10, -9223372036854775797, -9223372036854775798, -9223372036854775801, 9223372036854775805, 9223372036854775807, -9223372036854775799, -9223372036854775699, 107, 10, 110, -9223372036854775700, -9223372036854775700, -9223372036854775699, -9223372036854775696, -9223372036854775689, 118, -9223372036854775690, 119, 118, 115, 105, 107, -3, -13, -11, -1, 99, -9223372036854775711, -9223372036854775711, -9223372036854775710, -9223372036854775707, -9223372036854775700, 107, -9223372036854775701, 108, 107, INT64_MIN, 1, 0, -3, -13, -11, -1, 99, -9223372036854775711, -9223372036854775711, -9223372036854775710, -9223372036854775707, -9223372036854775700, 107};
static const int64_t d463[] = {0, 1, 3, 10, 100, 9223372036854775806, -3, -10, 2, INT64_MIN, -9223372036854775807, -1};
static const int64_t d464[] = {0, -2000, 60, INT64_MIN};
static const double d465[] = {0.0, 1.0, 3.0, 7.0, 0x1p+63, -0x1p+63, -0x1p+63, -1.0, -3.0, -10.0, 2.0, 10.0, 100.0, 0x1p+63};
static const int64_t d466[] = {0, 1, 3, 7, 4294967295, 0, 1, 4294967295, 4294967293, 4294967286, 2, 10, 100, 4294967294};
static const int64_t d467[] = {0, 1, 3, 7, 32767, -32768, -32767, -1, -3, -10, 1, 2, 4, 8, -32768, -32767, -32766, 0, -2, -9, 3, 4, 6, 10, -32766, -32765, -32764, 2, 0, -7, 7, 8, 10, 14, -32762, -32761, -32760, 6, 4, -3, 32767, -32768, -32766, -32762, -2, -1, 0, 32766, 32764, 32757, -32768, -32767, -32765, -32761, -1, 0, 1, 32767, 32765, 32758, -32767, -32766, -32764, -32760, 0, 1, 2, -32768, 32766, 32759, -1, 0, 2, 6, 32766, 32767, -32768, -2, -4, -11, -3, -2, 0, 4, 32764, 32765, 32766, -4, -6, -13, -10, -9, -7, -3, 32757, 32758, 32759, -11, -13, -20};
static const int64_t d468[] = {0, 1, 3, 7, 32767, -32768, -32767, -1, -3, -10, -1, 0, 2, 6, 32766, 32767, -32768, -2, -4, -11, -3, -2, 0, 4, 32764, 32765, 32766, -4, -6, -13, -7, -6, -4, 0, 32760, 32761, 32762, -8, -10, -17, -32767, -32766, -32764, -32760, 0, 1, 2, -32768, 32766, 32759, -32768, -32767, -32765, -32761, -1, 0, 1, 32767, 32765, 32758, 32767, -32768, -32766, -32762, -2, -1, 0, 32766, 32764, 32757, 1, 2, 4, 8, -32768, -32767, -32766, 0, -2, -9, 3, 4, 6, 10, -32766, -32765, -32764, 2, 0, -7, 10, 11, 13, 17, -32759, -32758, -32757, 9, 7, 0};
static const int64_t d469[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 7, 32767, -32768, -32767, -1, -3, -10, 0, 3, 9, 21, 32765, -32768, -32765, -3, -9, -30, 0, 7, 21, 49, 32761, -32768, -32761, -7, -21, -70, 0, 32767, 32765, 32761, 1, -32768, -1, -32767, -32765, 10, 0, -32768, -32768, -32768, -32768, 0, -32768, -32768, -32768, 0, 0, -32767, -32765, -32761, -1, -32768, 1, 32767, 32765, -10, 0, -1, -3, -7, -32767, -32768, 32767, 1, 3, 10, 0, -3, -9, -21, -32765, -32768, 32765, 3, 9, 30, 0, -10, -30, -70, 10, 0, -10, 10, 30, 100};
static const int64_t d470[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 7, 32767, -32768, -32767, -1, -3, -10, 0, 0, 1, 2, 10922, -10923, -10923, -1, -1, -4, 0, 0, 0, 1, 4681, -4682, -4681, -1, -1, -2, 0, 0, 0, 0, 1, -2, -1, -1, -1, -1, 0, -1, -1, -1, -1, 1, 0, 0, 0, 0, 0, -1, -1, -1, -1, 1, 1, 0, 0, 0, 0, -1, -3, -7, -32767, -32768, 32767, 1, 3, 10, 0, -1, -1, -3, -10923, 10922, 10922, 0, 1, 3, 0, -1, -1, -1, -3277, 3276, 3276, 0, 0, 1};
static const int64_t d471[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 1, 2, 2, 0, 2, 0, 1, 3, 0, 0, 6, 0, 6, 4, 4, 0, 1, 3, 7, 0, 32766, 0, 32766, 32764, 32757, 0, -32767, -32765, -32761, -1, 0, -32767, -1, -3, -10, 0, -32766, -32764, -32760, 0, -1, 0, -1, -3, -10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -2, 0, -2, -2, -2, -1, -1, 0, -1, 0, -9, -7, -3, -3, -8, -7, -1, -3, 0};
static const int64_t d472[] = {0, 1, 3, 7, 32767, -32768, -32767, -1, -3, -10, 0, 1, 3, 7, 32767, -32768, -32767, -1, -3, -10, 0, 1, 3, 7, 32767, -32768, -32767, -1, -3, -10, 0, 1, 3, 7, 32767, -32768, -32767, -1, -3, -10, 0, 1, 3, 7, 32767, -32768, -32767, -1, -3, -10};
static const int64_t d473[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 32767, 32767, 32767, 32767, 32767, 32767, 32767, 32767, 32767, 32767};
static const int64_t d474[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 3, 7, 32767, -32768, -32767, -1, -3, -10, 0, 1, 27, 343, 32767, 0, -32767, -1, -27, -1000, 0, 1, 2187, -28425, 32767, 0, -32767, -1, -2187, 27008, 0, 1, -21845, 28087, 32767, 0, -32767, -1, 21845, 0};
static const int64_t d475[] = {0, 0, 0, 0, 0, -32768, -32767, -1, -3, -10, 0, 1, 1, 1, 1, -32768, -32767, -1, -3, -10, 0, 1, 3, 3, 3, -32768, -32767, -1, -3, -10, 0, 1, 3, 7, 7, -32768, -32767, -1, -3, -10, 0, 1, 3, 7, 32767, -32768, -32767, -1, -3, -10, -32768, -32768, -32768, -32768, -32768, -32768, -32768, -32768, -32768, -32768, -32767, -32767, -32767, -32767, -32767, -32768, -32767, -32767, -32767, -32767, -1, -1, -1, -1, -1, -32768, -32767, -1, -3, -10, -3, -3, -3, -3, -3, -32768, -32767, -3, -3, -10, -10, -10, -10, -10, -10, -32768, -32767, -10, -10, -10};
static const int64_t d476[] = {0, 1, 3, 7, 32767, 0, 0, 0, 0, 0, 1, 1, 3, 7, 32767, 1, 1, 1, 1, 1, 3, 3, 3, 7, 32767, 3, 3, 3, 3, 3, 7, 7, 7, 7, 32767, 7, 7, 7, 7, 7, 32767, 32767, 32767, 32767, 32767, 32767, 32767, 32767, 32767, 32767, 0, 1, 3, 7, 32767, -32768, -32767, -1, -3, -10, 0, 1, 3, 7, 32767, -32767, -32767, -1, -3, -10, 0, 1, 3, 7, 32767, -1, -1, -1, -1, -1, 0, 1, 3, 7, 32767, -3, -3, -1, -3, -3, 0, 1, 3, 7, 32767, -10, -10, -1, -3, -10};
static const int64_t d477[] = {0, 1, 3, 7, 32767, -32768, -32767, -1, -3, -10, 2, 10, 100, 32766, 10, 100, 32766, 0, 1, 3, 7, 32767, -32768, -32767, -1, -3, -10, 2, -3, -10, 2, 10, 100, 32766, 0, 1, 3, 7, 32767, -32768, -32767, -1, -32768, -32767, -1, -3, -10, 2, 10, 100, 32766, 0, 1, 3, 7, 32767};
static const int64_t d478[] = {32767, 32767, 32767, 32767};
static const int64_t d479[] = {-32768, -32767, -1, -3, -10, -32768, -32767, -1, -32768, -32767, -1, -32768, -32767, -1};
static const int64_t d480[] = {-32768, -32767, -10, -3, -1, 0, 1, 2, 3, 7, 10, 100, 32766, 32767};
static const int64_t d481[] = {0, 1, 4, 11, 32778, 10, -32757, -32758, -32761, -32771, -32769, -32759, -32659, 107, 10, 110, 32876, 32876, 32877, 32880, 32887, 65654, 32886, 119, 118, 115, 105, 107, -3, -13, -11, -1, 99, 32865, 32865, 32866, 32869, 32876, 65643, 32875, 108, 107, -32768, -65535, -65536, -65539, -65549, -65547, -65537, -65437, -32671, -32671, -32670, -32667, -32660, 107};
static const int64_t d482[] = {0, 1, 3, 10, 100, 32766, -3, -10, 2, -32768, -32767, -1};
static const int64_t d483[] = {0, 32766000, 60, -1073709056};
static const double d484[] = {0.0, 1.0, 3.0, 7.0, 32768.0, -32768.0, -32768.0, -1.0, -3.0, -10.0, 2.0, 10.0, 100.0, 32768.0};
static const double d485[] = {0.0, 1.0, 3.0, 7.0, 32767.0, -32768.0, -32767.0, -1.0, -3.0, -10.0, 2.0, 10.0, 100.0, 32766.0};
static const int64_t d486[] = {0, 1, 3, 7, 32767, 32768, 32769, 65535, 65533, 65526, 2, 10, 100, 32766};
static const int64_t d487[] = {0, 1, 3, 7, 32767, 4294934528, 4294934529, 4294967295, 4294967293, 4294967286, 2, 10, 100, 32766};
static const int64_t d488[] = {0, 1, 3, 7, 65535, 0, 1, 1, 2, 4, 8, 0, 1, 2, 3, 4, 6, 10, 2, 3, 4, 7, 8, 10, 14, 6, 7, 8, 65535, 0, 2, 6, 65534, 65535, 0, 0, 1, 3, 7, 65535, 0, 1, 1, 2, 4, 8, 0, 1, 2};
static const int64_t d489[] = {0, 1, 3, 7, 65535, 0, 1, 65535, 0, 2, 6, 65534, 65535, 0, 65533, 65534, 0, 4, 65532, 65533, 65534, 65529, 65530, 65532, 0, 65528, 65529, 65530, 1, 2, 4, 8, 0, 1, 2, 0, 1, 3, 7, 65535, 0, 1, 65535, 0, 2, 6, 65534, 65535, 0};
static const int64_t d490[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 7, 65535, 0, 1, 0, 3, 9, 21, 65533, 0, 3, 0, 7, 21, 49, 65529, 0, 7, 0, 65535, 65533, 65529, 1, 0, 65535, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 7, 65535, 0, 1};
static const int64_t d491[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 7, 65535, 0, 1, 0, 0, 1, 2, 21845, 0, 0, 0, 0, 0, 1, 9362, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 7, 65535, 0, 1};
static const int64_t d492[] = {1, 1, 1, 1, 1, 1, 1, 0, 1, 3, 7, 65535, 0, 1, 0, 1, 27, 343, 65535, 0, 1, 0, 1, 2187, 37111, 65535, 0, 1, 0, 1, 43691, 28087, 65535, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 3, 7, 65535, 0, 1};
static const int64_t d493[] = {0, 1, 3, 7, 65535, 0, 1, 2, 10, 100, 65534, 10, 100, 65534, 0, 1, 3, 7, 65535, 0, 1, 2, 0, 1, 2, 10, 100, 65534, 0, 1, 3, 7, 65535, 3, 7, 65535, 0, 1, 2, 10, 100, 65534, 0, 1};
static const int64_t d494[] = {65535, 65535, 65535, 65535};
static const int64_t d495[] = {0, 0, 1, 1, 2, 3, 7, 10, 100, 65534, 65535};
static const int64_t d496[] = {131193, 131193, 131193, 131193};
static const int64_t d497[] = {0, 1, 4, 11, 65546, 65546, 65547, 65549, 65559, 65659, 131193, 10, 110, 65644, 65644, 65645, 65648, 65655, 131190, 131190, 131191, 131193, 0, 1, 3, 13, 113, 65647, 65647, 65648, 65651, 65658, 131193, 3, 10, 65545, 65545, 65546, 65548, 65558, 65658, 131192, 131192, 131193};
static const int64_t d498[] = {0, 1, 3, 10, 100, 65534, 0, 1, 2, 3, 7, 65535};
static const int64_t d499[] = {0, 65534000, 0, 1376235};
static const double d500[] = {0.0, 1.0, 3.0, 7.0, INFINITY, 0.0, 1.0, 2.0, 10.0, 100.0, INFINITY};
static const double d501[] = {0.0, 1.0, 3.0, 7.0, 65536.0, 0.0, 1.0, 2.0, 10.0, 100.0, 65536.0};
static const double d502[] = {0.0, 1.0, 3.0, 7.0, 65535.0, 0.0, 1.0, 2.0, 10.0, 100.0, 65534.0};
static const int64_t d503[] = {0, 1, 3, 7, 4294967295, 0, 1, 1, 2, 4, 8, 0, 1, 2, 3, 4, 6, 10, 2, 3, 4, 7, 8, 10, 14, 6, 7, 8, 4294967295, 0, 2, 6, 4294967294, 4294967295, 0, 0, 1, 3, 7, 4294967295, 0, 1, 1, 2, 4, 8, 0, 1, 2};
static const int64_t d504[] = {0, 1, 3, 7, 4294967295, 0, 1, 4294967295, 0, 2, 6, 4294967294, 4294967295, 0, 4294967293, 4294967294, 0, 4, 4294967292, 4294967293, 4294967294, 4294967289, 4294967290, 4294967292, 0, 4294967288, 4294967289, 4294967290, 1, 2, 4, 8, 0, 1, 2, 0, 1, 3, 7, 4294967295, 0, 1, 4294967295, 0, 2, 6, 4294967294, 4294967295, 0};
static const int64_t d505[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 7, 4294967295, 0, 1, 0, 3, 9, 21, 4294967293, 0, 3, 0, 7, 21, 49, 4294967289, 0, 7, 0, 4294967295, 4294967293, 4294967289, 1, 0, 4294967295, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 7, 4294967295, 0, 1};
static const int64_t d506[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 7, 4294967295, 0, 1, 0, 0, 1, 2, 1431655765, 0, 0, 0, 0, 0, 1, 613566756, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 7, 4294967295, 0, 1};
static const int64_t d507[] = {1, 1, 1, 1, 1, 1, 1, 0, 1, 3, 7, 4294967295, 0, 1, 0, 1, 27, 343, 4294967295, 0, 1, 0, 1, 2187, 823543, 4294967295, 0, 1, 0, 1, 2863311531, 3067833783, 4294967295, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 3, 7, 4294967295, 0, 1};
static const int64_t d508[] = {0, 1, 3, 7, 4294967295, 0, 1, 2, 10, 100, 4294967294, 10, 100, 4294967294, 0, 1, 3, 7, 4294967295, 0, 1, 2, 0, 1, 2, 10, 100, 4294967294, 0, 1, 3, 7, 4294967295, 3, 7, 4294967295, 0, 1, 2, 10, 100, 4294967294, 0, 1};
static const int64_t d509[] = {4294967295, 4294967295, 4294967295, 4294967295};
static const int64_t d510[] = {0, 0, 1, 1, 2, 3, 7, 10, 100, 4294967294, 4294967295};
static const int64_t d511[] = {121, 121, 121, 121};
static const int64_t d512[] = {0, 1, 4, 11, 10, 10, 11, 13, 23, 123, 121, 10, 110, 108, 108, 109, 112, 119, 118, 118, 119, 121, 0, 1, 3, 13, 113, 111, 111, 112, 115, 122, 121, 3, 10, 9, 9, 10, 12, 22, 122, 120, 120, 121};
static const int64_t d513[] = {0, 1, 3, 10, 100, 4294967294, 0, 1, 2, 3, 7, 4294967295};
static const int64_t d514[] = {0, 4294965296, 0, 4294967275};
static const double d515[] = {0.0, 1.0, 3.0, 7.0, 0x1p+32, 0.0, 1.0, 2.0, 10.0, 100.0, 0x1p+32};
static const double d516[] = {0.0, 1.0, 3.0, 7.0, 0x1.fffffffep+31, 0.0, 1.0, 2.0, 10.0, 100.0, 0x1.fffffffcp+31};
static const int64_t d517[] = {0, 1, 3, 7, -1, 0, 1, 1, 2, 4, 8, 0, 1, 2, 3, 4, 6, 10, 2, 3, 4, 7, 8, 10, 14, 6, 7, 8, -1, 0, 2, 6, -2, -1, 0, 0, 1, 3, 7, -1, 0, 1, 1, 2, 4, 8, 0, 1, 2};
static const int64_t d518[] = {0, 1, 3, 7, -1, 0, 1, -1, 0, 2, 6, -2, -1, 0, -3, -2, 0, 4, -4, -3, -2, -7, -6, -4, 0, -8, -7, -6, 1, 2, 4, 8, 0, 1, 2, 0, 1, 3, 7, -1, 0, 1, -1, 0, 2, 6, -2, -1, 0};
static const int64_t d519[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 7, -1, 0, 1, 0, 3, 9, 21, -3, 0, 3, 0, 7, 21, 49, -7, 0, 7, 0, -1, -3, -7, 1, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 7, -1, 0, 1};
static const int64_t d520[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 7, -1, 0, 1, 0, 0, 1, 2, 6148914691236517205, 0, 0, 0, 0, 0, 1, 2635249153387078802, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 7, -1, 0, 1};
static const int64_t d521[] = {1, 1, 1, 1, 1, 1, 1, 0, 1, 3, 7, -1, 0, 1, 0, 1, 27, 343, -1, 0, 1, 0, 1, 2187, 823543, -1, 0, 1, 0, 1, -6148914691236517205, 7905747460161236407, -1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 3, 7, -1, 0, 1};
static const int64_t d522[] = {0, 1, 3, 7, -1, 0, 1, 2, 10, 100, -2, 10, 100, -2, 0, 1, 3, 7, -1, 0, 1, 2, 0, 1, 2, 10, 100, -2, 0, 1, 3, 7, -1, 3, 7, -1, 0, 1, 2, 10, 100, -2, 0, 1};
static const int64_t d523[] = {-1, -1, -1, -1};
static const int64_t d524[] = {0, 0, 1, 1, 2, 3, 7, 10, 100, -2, -1};
static const int64_t d525[] = {0, 1, 3, 10, 100, -2, 0, 1, 2, 3, 7, -1};
static const int64_t d526[] = {0, -2000, 0, -21};
static const double d527[] = {0.0, 1.0, 3.0, 7.0, 0x1p+64, 0.0, 1.0, 2.0, 10.0, 100.0, 0x1p+64};
static const double d528[] = {1.0, 2.0, 3.0, INFINITY, 1.0, 2.0, -INFINITY, -INFINITY, -INFINITY, -INFINITY, 1.0, 1.0, NAN, 1.0, 2.0, 10000.0, -10000.0, 0.0, INFINITY, -INFINITY, 0.0};
static const double d529[] = {0x1.70c3e6p-4, 0x1.f53432p-3, 0x1.549a76p-1, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, 0x1p-1, 0x1p-1, NAN, NAN, NAN, 1.0, 0.0, 0.0, NAN, NAN, NAN};
static const double d530[] = {-0x1.342c7p+1, -0x1.6858dep+0, -0x1.a16378p-2, NAN, NAN, NAN, NAN, NAN, NAN, -INFINITY, -0x1.62e43p-1, -0x1.62e43p-1, NAN, NAN, NAN, 0.0, -20000.0, -10000.0, NAN, NAN, NAN};
static const double d531[] = {0x1.b42c7p+1, INFINITY, -INFINITY, 0x1.b17218p+0, NAN, 10000.0, INFINITY};
static const double d532[] = {2.0, INFINITY, -INFINITY, -INFINITY, NAN, 0.0, NAN};
static const double d533[] = {1.0, NAN, 3.0, INFINITY, -INFINITY, 0.0, 2.0, 5.0};
static const double d534[] = {NAN, INFINITY, 0.0, 5.0};
static const double d535[] = {0x1.70c3e5f682bdap-4, 0x1.f534335ca4bcfp-3, 0x1.549a766a0679p-1, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, 0x1p-1, 0x1p-1, NAN, NAN, NAN, 1.0, 0.0, 0.0, NAN, NAN, NAN};
static const double d536[] = {-0x1.342c6ea778b94p+1, -0x1.6858dd4ef1727p+0, -0x1.a163753bc5c9dp-2, NAN, NAN, NAN, NAN, NAN, NAN, -INFINITY, -0x1.62e42fefa39efp-1, -0x1.62e42fefa39efp-1, NAN, NAN, NAN, 0.0, -20000.0, -10000.0, NAN, NAN, NAN};
static const double d537[] = {0x1.b42c6ea778b94p+1, INFINITY, -INFINITY, 0x1.b17217f7d1cf8p+0, NAN, 10000.0, INFINITY};
static const int64_t d538[] = {0, 0, 0, 1, 1, 1};
static const int64_t d539[] = {0, 1, 1};
static const int64_t d540[] = {0, 0, 0};
static const int64_t d541[] = {0, 0, 1};
static const int64_t d542[] = {1, 1, 1};
static const int64_t d543[] = {0, 1, 2};
static const double d544[] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
static const int64_t d545[] = {2, 0};
static const double d546[] = {1.0, -INFINITY, NAN, 2.0, 3.0, INFINITY, -0.0, 5.0};
static const int64_t d547[] = {1, 2, 1, 1};
static const double d548[] = {-INFINITY, -INFINITY, 3.0, INFINITY, NAN, 2.0};
static const double d549[] = {INFINITY, INFINITY, -0.0, -INFINITY, NAN, 2.0};
static const double d550[] = {1.0, 1.0, -0.0, -INFINITY, NAN, 2.0};
static const double d551[] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
static const double d552[] = {0.0, 0.0, -0.0, 5.0, NAN, 2.0};
static const Row rows[] = {
    {"exp(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "f16", 1, {22}, d1}},
    {"expm1(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "f16", 1, {22}, d2}},
    {"log(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "f16", 1, {22}, d3}},
    {"log1p(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "f16", 1, {22}, d4}},
    {"sqrt(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "f16", 1, {22}, d5}},
    {"rsqrt(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "f16", 1, {22}, d6}},
    {"tanh(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "f16", 1, {22}, d7}},
    {"sin(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "f16", 1, {22}, d8}},
    {"cos(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "f16", 1, {22}, d9}},
    {"floor(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "f16", 1, {22}, d10}},
    {"ceil(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "f16", 1, {22}, d11}},
    {"round(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "f16", 1, {22}, d12}},
    {"abs(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "f16", 1, {22}, d13}},
    {"sign(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "f16", 1, {22}, d14}},
    {"neg(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "f16", 1, {22}, d15}},
    {"sigmoid(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "f16", 1, {22}, d16}},
    {"erf(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "f16", 1, {22}, d17}},
    {"tan(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "f16", 1, {22}, d18}},
    {"asin(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "f16", 1, {22}, d19}},
    {"acos(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "f16", 1, {22}, d20}},
    {"atan(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "f16", 1, {22}, d21}},
    {"sinh(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "f16", 1, {22}, d22}},
    {"cosh(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "f16", 1, {22}, d23}},
    {"asinh(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "f16", 1, {22}, d24}},
    {"acosh(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "f16", 1, {22}, d25}},
    {"atanh(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "f16", 1, {22}, d26}},
    {"exp2(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "f16", 1, {22}, d27}},
    {"log2(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "f16", 1, {22}, d28}},
    {"log10(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "f16", 1, {22}, d29}},
    {"cbrt(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "f16", 1, {22}, d30}},
    {"erfc(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "f16", 1, {22}, d31}},
    {"erfinv(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "f16", 1, {22}, d32}},
    {"lgamma(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "f16", 1, {22}, d33}},
    {"digamma(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "f16", 1, {22}, d34}},
    {"trunc(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "f16", 1, {22}, d35}},
    {"frac(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "f16", 1, {22}, d36}},
    {"isnan(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "bool", 1, {22}, d37}},
    {"isinf(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "bool", 1, {22}, d38}},
    {"isfinite(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "bool", 1, {22}, d39}},
    {"atan2(x, y)", 2, {{"x", "f16", 1, {121}, d40}, {"y", "f16", 1, {121}, d41}}, {"r", "f16", 1, {121}, d42}},
    {"hypot(x, y)", 2, {{"x", "f16", 1, {121}, d40}, {"y", "f16", 1, {121}, d41}}, {"r", "f16", 1, {121}, d43}},
    {"logaddexp(x, y)", 2, {{"x", "f16", 1, {121}, d40}, {"y", "f16", 1, {121}, d41}}, {"r", "f16", 1, {121}, d44}},
    {"copysign(x, y)", 2, {{"x", "f16", 1, {121}, d40}, {"y", "f16", 1, {121}, d41}}, {"r", "f16", 1, {121}, d45}},
    {"fmod(x, y)", 2, {{"x", "f16", 1, {121}, d40}, {"y", "f16", 1, {121}, d41}}, {"r", "f16", 1, {121}, d46}},
    {"exp(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "bf16", 1, {22}, d48}},
    {"expm1(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "bf16", 1, {22}, d49}},
    {"log(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "bf16", 1, {22}, d50}},
    {"log1p(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "bf16", 1, {22}, d51}},
    {"sqrt(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "bf16", 1, {22}, d52}},
    {"rsqrt(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "bf16", 1, {22}, d53}},
    {"tanh(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "bf16", 1, {22}, d54}},
    {"sin(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "bf16", 1, {22}, d55}},
    {"cos(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "bf16", 1, {22}, d56}},
    {"floor(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "bf16", 1, {22}, d57}},
    {"ceil(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "bf16", 1, {22}, d58}},
    {"round(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "bf16", 1, {22}, d59}},
    {"abs(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "bf16", 1, {22}, d60}},
    {"sign(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "bf16", 1, {22}, d14}},
    {"neg(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "bf16", 1, {22}, d61}},
    {"sigmoid(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "bf16", 1, {22}, d62}},
    {"erf(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "bf16", 1, {22}, d63}},
    {"tan(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "bf16", 1, {22}, d64}},
    {"asin(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "bf16", 1, {22}, d65}},
    {"acos(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "bf16", 1, {22}, d66}},
    {"atan(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "bf16", 1, {22}, d67}},
    {"sinh(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "bf16", 1, {22}, d68}},
    {"cosh(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "bf16", 1, {22}, d69}},
    {"asinh(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "bf16", 1, {22}, d70}},
    {"acosh(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "bf16", 1, {22}, d71}},
    {"atanh(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "bf16", 1, {22}, d72}},
    {"exp2(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "bf16", 1, {22}, d73}},
    {"log2(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "bf16", 1, {22}, d74}},
    {"log10(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "bf16", 1, {22}, d75}},
    {"cbrt(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "bf16", 1, {22}, d76}},
    {"erfc(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "bf16", 1, {22}, d77}},
    {"erfinv(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "bf16", 1, {22}, d78}},
    {"lgamma(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "bf16", 1, {22}, d79}},
    {"digamma(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "bf16", 1, {22}, d80}},
    {"trunc(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "bf16", 1, {22}, d81}},
    {"frac(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "bf16", 1, {22}, d82}},
    {"isnan(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "bool", 1, {22}, d37}},
    {"isinf(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "bool", 1, {22}, d38}},
    {"isfinite(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "bool", 1, {22}, d39}},
    {"atan2(x, y)", 2, {{"x", "bf16", 1, {121}, d83}, {"y", "bf16", 1, {121}, d84}}, {"r", "bf16", 1, {121}, d85}},
    {"hypot(x, y)", 2, {{"x", "bf16", 1, {121}, d83}, {"y", "bf16", 1, {121}, d84}}, {"r", "bf16", 1, {121}, d86}},
    {"logaddexp(x, y)", 2, {{"x", "bf16", 1, {121}, d83}, {"y", "bf16", 1, {121}, d84}}, {"r", "bf16", 1, {121}, d87}},
    {"copysign(x, y)", 2, {{"x", "bf16", 1, {121}, d83}, {"y", "bf16", 1, {121}, d84}}, {"r", "bf16", 1, {121}, d88}},
    {"fmod(x, y)", 2, {{"x", "bf16", 1, {121}, d83}, {"y", "bf16", 1, {121}, d84}}, {"r", "bf16", 1, {121}, d89}},
    {"exp(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "f32", 1, {22}, d91}},
    {"expm1(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "f32", 1, {22}, d92}},
    {"log(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "f32", 1, {22}, d93}},
    {"log1p(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "f32", 1, {22}, d94}},
    {"sqrt(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "f32", 1, {22}, d95}},
    {"rsqrt(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "f32", 1, {22}, d96}},
    {"tanh(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "f32", 1, {22}, d97}},
    {"sin(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "f32", 1, {22}, d98}},
    {"cos(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "f32", 1, {22}, d99}},
    {"floor(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "f32", 1, {22}, d100}},
    {"ceil(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "f32", 1, {22}, d101}},
    {"round(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "f32", 1, {22}, d102}},
    {"abs(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "f32", 1, {22}, d103}},
    {"sign(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "f32", 1, {22}, d14}},
    {"neg(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "f32", 1, {22}, d104}},
    {"sigmoid(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "f32", 1, {22}, d105}},
    {"erf(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "f32", 1, {22}, d106}},
    {"tan(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "f32", 1, {22}, d107}},
    {"asin(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "f32", 1, {22}, d108}},
    {"acos(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "f32", 1, {22}, d109}},
    {"atan(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "f32", 1, {22}, d110}},
    {"sinh(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "f32", 1, {22}, d111}},
    {"cosh(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "f32", 1, {22}, d112}},
    {"asinh(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "f32", 1, {22}, d113}},
    {"acosh(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "f32", 1, {22}, d114}},
    {"atanh(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "f32", 1, {22}, d115}},
    {"exp2(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "f32", 1, {22}, d116}},
    {"log2(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "f32", 1, {22}, d117}},
    {"log10(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "f32", 1, {22}, d118}},
    {"cbrt(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "f32", 1, {22}, d119}},
    {"erfc(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "f32", 1, {22}, d120}},
    {"erfinv(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "f32", 1, {22}, d121}},
    {"lgamma(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "f32", 1, {22}, d122}},
    {"digamma(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "f32", 1, {22}, d123}},
    {"trunc(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "f32", 1, {22}, d124}},
    {"frac(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "f32", 1, {22}, d125}},
    {"isnan(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "bool", 1, {22}, d37}},
    {"isinf(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "bool", 1, {22}, d38}},
    {"isfinite(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "bool", 1, {22}, d39}},
    {"atan2(x, y)", 2, {{"x", "f32", 1, {121}, d126}, {"y", "f32", 1, {121}, d127}}, {"r", "f32", 1, {121}, d128}},
    {"hypot(x, y)", 2, {{"x", "f32", 1, {121}, d126}, {"y", "f32", 1, {121}, d127}}, {"r", "f32", 1, {121}, d129}},
    {"logaddexp(x, y)", 2, {{"x", "f32", 1, {121}, d126}, {"y", "f32", 1, {121}, d127}}, {"r", "f32", 1, {121}, d130}},
    {"copysign(x, y)", 2, {{"x", "f32", 1, {121}, d126}, {"y", "f32", 1, {121}, d127}}, {"r", "f32", 1, {121}, d131}},
    {"fmod(x, y)", 2, {{"x", "f32", 1, {121}, d126}, {"y", "f32", 1, {121}, d127}}, {"r", "f32", 1, {121}, d132}},
    {"nextafter(x, y)", 2, {{"x", "f32", 1, {121}, d126}, {"y", "f32", 1, {121}, d127}}, {"r", "f32", 1, {121}, d133}},
    {"exp(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "f64", 1, {22}, d135}},
    {"expm1(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "f64", 1, {22}, d136}},
    {"log(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "f64", 1, {22}, d137}},
    {"log1p(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "f64", 1, {22}, d138}},
    {"sqrt(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "f64", 1, {22}, d139}},
    {"rsqrt(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "f64", 1, {22}, d140}},
    {"tanh(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "f64", 1, {22}, d141}},
    {"sin(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "f64", 1, {22}, d142}},
    {"cos(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "f64", 1, {22}, d143}},
    {"floor(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "f64", 1, {22}, d144}},
    {"ceil(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "f64", 1, {22}, d145}},
    {"round(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "f64", 1, {22}, d146}},
    {"abs(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "f64", 1, {22}, d147}},
    {"sign(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "f64", 1, {22}, d14}},
    {"neg(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "f64", 1, {22}, d148}},
    {"sigmoid(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "f64", 1, {22}, d149}},
    {"erf(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "f64", 1, {22}, d150}},
    {"tan(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "f64", 1, {22}, d151}},
    {"asin(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "f64", 1, {22}, d152}},
    {"acos(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "f64", 1, {22}, d153}},
    {"atan(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "f64", 1, {22}, d154}},
    {"sinh(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "f64", 1, {22}, d155}},
    {"cosh(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "f64", 1, {22}, d156}},
    {"asinh(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "f64", 1, {22}, d157}},
    {"acosh(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "f64", 1, {22}, d158}},
    {"atanh(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "f64", 1, {22}, d159}},
    {"exp2(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "f64", 1, {22}, d160}},
    {"log2(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "f64", 1, {22}, d161}},
    {"log10(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "f64", 1, {22}, d162}},
    {"cbrt(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "f64", 1, {22}, d163}},
    {"erfc(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "f64", 1, {22}, d164}},
    {"erfinv(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "f64", 1, {22}, d165}},
    {"lgamma(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "f64", 1, {22}, d166}},
    {"digamma(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "f64", 1, {22}, d167}},
    {"trunc(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "f64", 1, {22}, d168}},
    {"frac(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "f64", 1, {22}, d169}},
    {"isnan(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "bool", 1, {22}, d37}},
    {"isinf(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "bool", 1, {22}, d38}},
    {"isfinite(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "bool", 1, {22}, d39}},
    {"atan2(x, y)", 2, {{"x", "f64", 1, {121}, d170}, {"y", "f64", 1, {121}, d171}}, {"r", "f64", 1, {121}, d172}},
    {"hypot(x, y)", 2, {{"x", "f64", 1, {121}, d170}, {"y", "f64", 1, {121}, d171}}, {"r", "f64", 1, {121}, d173}},
    {"logaddexp(x, y)", 2, {{"x", "f64", 1, {121}, d170}, {"y", "f64", 1, {121}, d171}}, {"r", "f64", 1, {121}, d174}},
    {"copysign(x, y)", 2, {{"x", "f64", 1, {121}, d170}, {"y", "f64", 1, {121}, d171}}, {"r", "f64", 1, {121}, d175}},
    {"fmod(x, y)", 2, {{"x", "f64", 1, {121}, d170}, {"y", "f64", 1, {121}, d171}}, {"r", "f64", 1, {121}, d176}},
    {"nextafter(x, y)", 2, {{"x", "f64", 1, {121}, d170}, {"y", "f64", 1, {121}, d171}}, {"r", "f64", 1, {121}, d177}},
    {"bit_and(x, y)", 2, {{"x", "u8", 1, {49}, d178}, {"y", "u8", 1, {49}, d179}}, {"r", "u8", 1, {49}, d180}},
    {"bit_or(x, y)", 2, {{"x", "u8", 1, {49}, d178}, {"y", "u8", 1, {49}, d179}}, {"r", "u8", 1, {49}, d181}},
    {"bit_xor(x, y)", 2, {{"x", "u8", 1, {49}, d178}, {"y", "u8", 1, {49}, d179}}, {"r", "u8", 1, {49}, d182}},
    {"shift_left(x, y)", 2, {{"x", "u8", 1, {49}, d178}, {"y", "u8", 1, {49}, d179}}, {"r", "u8", 1, {49}, d183}},
    {"shift_right(x, y)", 2, {{"x", "u8", 1, {49}, d178}, {"y", "u8", 1, {49}, d179}}, {"r", "u8", 1, {49}, d184}},
    {"fmod(x, y)", 2, {{"x", "u8", 1, {49}, d178}, {"y", "u8", 1, {49}, d179}}, {"r", "u8", 1, {49}, d185}},
    {"bit_not(x)", 1, {{"x", "u8", 1, {11}, d186}}, {"r", "u8", 1, {11}, d187}},
    {"popcount(x)", 1, {{"x", "u8", 1, {11}, d186}}, {"r", "u8", 1, {11}, d188}},
    {"abs(x)", 1, {{"x", "u8", 1, {11}, d186}}, {"r", "u8", 1, {11}, d186}},
    {"sign(x)", 1, {{"x", "u8", 1, {11}, d186}}, {"r", "u8", 1, {11}, d189}},
    {"neg(x)", 1, {{"x", "u8", 1, {11}, d186}}, {"r", "u8", 1, {11}, d190}},
    {"bit_and(x, y)", 2, {{"x", "i8", 1, {100}, d191}, {"y", "i8", 1, {100}, d192}}, {"r", "i8", 1, {100}, d193}},
    {"bit_or(x, y)", 2, {{"x", "i8", 1, {100}, d191}, {"y", "i8", 1, {100}, d192}}, {"r", "i8", 1, {100}, d194}},
    {"bit_xor(x, y)", 2, {{"x", "i8", 1, {100}, d191}, {"y", "i8", 1, {100}, d192}}, {"r", "i8", 1, {100}, d195}},
    {"shift_left(x, y)", 2, {{"x", "i8", 1, {100}, d191}, {"y", "i8", 1, {100}, d192}}, {"r", "i8", 1, {100}, d196}},
    {"shift_right(x, y)", 2, {{"x", "i8", 1, {100}, d191}, {"y", "i8", 1, {100}, d192}}, {"r", "i8", 1, {100}, d197}},
    {"fmod(x, y)", 2, {{"x", "i8", 1, {100}, d191}, {"y", "i8", 1, {100}, d192}}, {"r", "i8", 1, {100}, d198}},
    {"bit_not(x)", 1, {{"x", "i8", 1, {14}, d199}}, {"r", "i8", 1, {14}, d200}},
    {"popcount(x)", 1, {{"x", "i8", 1, {14}, d199}}, {"r", "i8", 1, {14}, d201}},
    {"abs(x)", 1, {{"x", "i8", 1, {14}, d199}}, {"r", "i8", 1, {14}, d202}},
    {"sign(x)", 1, {{"x", "i8", 1, {14}, d199}}, {"r", "i8", 1, {14}, d203}},
    {"neg(x)", 1, {{"x", "i8", 1, {14}, d199}}, {"r", "i8", 1, {14}, d204}},
    {"bit_and(x, y)", 2, {{"x", "i32", 1, {100}, d205}, {"y", "i32", 1, {100}, d206}}, {"r", "i32", 1, {100}, d207}},
    {"bit_or(x, y)", 2, {{"x", "i32", 1, {100}, d205}, {"y", "i32", 1, {100}, d206}}, {"r", "i32", 1, {100}, d208}},
    {"bit_xor(x, y)", 2, {{"x", "i32", 1, {100}, d205}, {"y", "i32", 1, {100}, d206}}, {"r", "i32", 1, {100}, d209}},
    {"shift_left(x, y)", 2, {{"x", "i32", 1, {100}, d205}, {"y", "i32", 1, {100}, d206}}, {"r", "i32", 1, {100}, d210}},
    {"shift_right(x, y)", 2, {{"x", "i32", 1, {100}, d205}, {"y", "i32", 1, {100}, d206}}, {"r", "i32", 1, {100}, d211}},
    {"fmod(x, y)", 2, {{"x", "i32", 1, {100}, d205}, {"y", "i32", 1, {100}, d206}}, {"r", "i32", 1, {100}, d212}},
    {"bit_not(x)", 1, {{"x", "i32", 1, {14}, d213}}, {"r", "i32", 1, {14}, d214}},
    {"popcount(x)", 1, {{"x", "i32", 1, {14}, d213}}, {"r", "i32", 1, {14}, d215}},
    {"abs(x)", 1, {{"x", "i32", 1, {14}, d213}}, {"r", "i32", 1, {14}, d216}},
    {"sign(x)", 1, {{"x", "i32", 1, {14}, d213}}, {"r", "i32", 1, {14}, d203}},
    {"neg(x)", 1, {{"x", "i32", 1, {14}, d213}}, {"r", "i32", 1, {14}, d217}},
    {"bit_and(x, y)", 2, {{"x", "i64", 1, {100}, d218}, {"y", "i64", 1, {100}, d219}}, {"r", "i64", 1, {100}, d220}},
    {"bit_or(x, y)", 2, {{"x", "i64", 1, {100}, d218}, {"y", "i64", 1, {100}, d219}}, {"r", "i64", 1, {100}, d221}},
    {"bit_xor(x, y)", 2, {{"x", "i64", 1, {100}, d218}, {"y", "i64", 1, {100}, d219}}, {"r", "i64", 1, {100}, d222}},
    {"shift_left(x, y)", 2, {{"x", "i64", 1, {100}, d218}, {"y", "i64", 1, {100}, d219}}, {"r", "i64", 1, {100}, d223}},
    {"shift_right(x, y)", 2, {{"x", "i64", 1, {100}, d218}, {"y", "i64", 1, {100}, d219}}, {"r", "i64", 1, {100}, d224}},
    {"fmod(x, y)", 2, {{"x", "i64", 1, {100}, d218}, {"y", "i64", 1, {100}, d219}}, {"r", "i64", 1, {100}, d225}},
    {"bit_not(x)", 1, {{"x", "i64", 1, {14}, d226}}, {"r", "i64", 1, {14}, d227}},
    {"popcount(x)", 1, {{"x", "i64", 1, {14}, d226}}, {"r", "i64", 1, {14}, d228}},
    {"abs(x)", 1, {{"x", "i64", 1, {14}, d226}}, {"r", "i64", 1, {14}, d229}},
    {"sign(x)", 1, {{"x", "i64", 1, {14}, d226}}, {"r", "i64", 1, {14}, d203}},
    {"neg(x)", 1, {{"x", "i64", 1, {14}, d226}}, {"r", "i64", 1, {14}, d230}},
    {"bit_and(x, y)", 2, {{"x", "i16", 1, {100}, d231}, {"y", "i16", 1, {100}, d232}}, {"r", "i16", 1, {100}, d233}},
    {"bit_or(x, y)", 2, {{"x", "i16", 1, {100}, d231}, {"y", "i16", 1, {100}, d232}}, {"r", "i16", 1, {100}, d234}},
    {"bit_xor(x, y)", 2, {{"x", "i16", 1, {100}, d231}, {"y", "i16", 1, {100}, d232}}, {"r", "i16", 1, {100}, d235}},
    {"shift_left(x, y)", 2, {{"x", "i16", 1, {100}, d231}, {"y", "i16", 1, {100}, d232}}, {"r", "i16", 1, {100}, d236}},
    {"shift_right(x, y)", 2, {{"x", "i16", 1, {100}, d231}, {"y", "i16", 1, {100}, d232}}, {"r", "i16", 1, {100}, d237}},
    {"fmod(x, y)", 2, {{"x", "i16", 1, {100}, d231}, {"y", "i16", 1, {100}, d232}}, {"r", "i16", 1, {100}, d238}},
    {"bit_not(x)", 1, {{"x", "i16", 1, {14}, d239}}, {"r", "i16", 1, {14}, d240}},
    {"popcount(x)", 1, {{"x", "i16", 1, {14}, d239}}, {"r", "i16", 1, {14}, d241}},
    {"abs(x)", 1, {{"x", "i16", 1, {14}, d239}}, {"r", "i16", 1, {14}, d242}},
    {"sign(x)", 1, {{"x", "i16", 1, {14}, d239}}, {"r", "i16", 1, {14}, d203}},
    {"neg(x)", 1, {{"x", "i16", 1, {14}, d239}}, {"r", "i16", 1, {14}, d243}},
    {"bit_and(x, y)", 2, {{"x", "u16", 1, {49}, d244}, {"y", "u16", 1, {49}, d245}}, {"r", "u16", 1, {49}, d246}},
    {"bit_or(x, y)", 2, {{"x", "u16", 1, {49}, d244}, {"y", "u16", 1, {49}, d245}}, {"r", "u16", 1, {49}, d247}},
    {"bit_xor(x, y)", 2, {{"x", "u16", 1, {49}, d244}, {"y", "u16", 1, {49}, d245}}, {"r", "u16", 1, {49}, d248}},
    {"shift_left(x, y)", 2, {{"x", "u16", 1, {49}, d244}, {"y", "u16", 1, {49}, d245}}, {"r", "u16", 1, {49}, d249}},
    {"shift_right(x, y)", 2, {{"x", "u16", 1, {49}, d244}, {"y", "u16", 1, {49}, d245}}, {"r", "u16", 1, {49}, d250}},
    {"fmod(x, y)", 2, {{"x", "u16", 1, {49}, d244}, {"y", "u16", 1, {49}, d245}}, {"r", "u16", 1, {49}, d251}},
    {"bit_not(x)", 1, {{"x", "u16", 1, {11}, d252}}, {"r", "u16", 1, {11}, d253}},
    {"popcount(x)", 1, {{"x", "u16", 1, {11}, d252}}, {"r", "u16", 1, {11}, d254}},
    {"abs(x)", 1, {{"x", "u16", 1, {11}, d252}}, {"r", "u16", 1, {11}, d252}},
    {"sign(x)", 1, {{"x", "u16", 1, {11}, d252}}, {"r", "u16", 1, {11}, d189}},
    {"neg(x)", 1, {{"x", "u16", 1, {11}, d252}}, {"r", "u16", 1, {11}, d255}},
    {"bit_and(x, y)", 2, {{"x", "u32", 1, {49}, d256}, {"y", "u32", 1, {49}, d257}}, {"r", "u32", 1, {49}, d258}},
    {"bit_or(x, y)", 2, {{"x", "u32", 1, {49}, d256}, {"y", "u32", 1, {49}, d257}}, {"r", "u32", 1, {49}, d259}},
    {"bit_xor(x, y)", 2, {{"x", "u32", 1, {49}, d256}, {"y", "u32", 1, {49}, d257}}, {"r", "u32", 1, {49}, d260}},
    {"shift_left(x, y)", 2, {{"x", "u32", 1, {49}, d256}, {"y", "u32", 1, {49}, d257}}, {"r", "u32", 1, {49}, d261}},
    {"shift_right(x, y)", 2, {{"x", "u32", 1, {49}, d256}, {"y", "u32", 1, {49}, d257}}, {"r", "u32", 1, {49}, d262}},
    {"fmod(x, y)", 2, {{"x", "u32", 1, {49}, d256}, {"y", "u32", 1, {49}, d257}}, {"r", "u32", 1, {49}, d185}},
    {"bit_not(x)", 1, {{"x", "u32", 1, {11}, d263}}, {"r", "u32", 1, {11}, d264}},
    {"popcount(x)", 1, {{"x", "u32", 1, {11}, d263}}, {"r", "u32", 1, {11}, d265}},
    {"abs(x)", 1, {{"x", "u32", 1, {11}, d263}}, {"r", "u32", 1, {11}, d263}},
    {"sign(x)", 1, {{"x", "u32", 1, {11}, d263}}, {"r", "u32", 1, {11}, d189}},
    {"neg(x)", 1, {{"x", "u32", 1, {11}, d263}}, {"r", "u32", 1, {11}, d266}},
    {"bit_and(x, y)", 2, {{"x", "u64", 1, {49}, d267}, {"y", "u64", 1, {49}, d268}}, {"r", "u64", 1, {49}, d269}},
    {"bit_or(x, y)", 2, {{"x", "u64", 1, {49}, d267}, {"y", "u64", 1, {49}, d268}}, {"r", "u64", 1, {49}, d270}},
    {"bit_xor(x, y)", 2, {{"x", "u64", 1, {49}, d267}, {"y", "u64", 1, {49}, d268}}, {"r", "u64", 1, {49}, d271}},
    {"shift_left(x, y)", 2, {{"x", "u64", 1, {49}, d267}, {"y", "u64", 1, {49}, d268}}, {"r", "u64", 1, {49}, d272}},
    {"shift_right(x, y)", 2, {{"x", "u64", 1, {49}, d267}, {"y", "u64", 1, {49}, d268}}, {"r", "u64", 1, {49}, d273}},
    {"fmod(x, y)", 2, {{"x", "u64", 1, {49}, d267}, {"y", "u64", 1, {49}, d268}}, {"r", "u64", 1, {49}, d251}},
    {"bit_not(x)", 1, {{"x", "u64", 1, {11}, d274}}, {"r", "u64", 1, {11}, d275}},
    {"popcount(x)", 1, {{"x", "u64", 1, {11}, d274}}, {"r", "u64", 1, {11}, d276}},
    {"abs(x)", 1, {{"x", "u64", 1, {11}, d274}}, {"r", "u64", 1, {11}, d274}},
    {"sign(x)", 1, {{"x", "u64", 1, {11}, d274}}, {"r", "u64", 1, {11}, d189}},
    {"neg(x)", 1, {{"x", "u64", 1, {11}, d274}}, {"r", "u64", 1, {11}, d277}},
    {"x + y", 2, {{"x", "f16", 1, {121}, d40}, {"y", "f16", 1, {121}, d41}}, {"r", "f16", 1, {121}, d278}},
    {"x - y", 2, {{"x", "f16", 1, {121}, d40}, {"y", "f16", 1, {121}, d41}}, {"r", "f16", 1, {121}, d279}},
    {"x * y", 2, {{"x", "f16", 1, {121}, d40}, {"y", "f16", 1, {121}, d41}}, {"r", "f16", 1, {121}, d280}},
    {"x // y", 2, {{"x", "f16", 1, {121}, d40}, {"y", "f16", 1, {121}, d41}}, {"r", "f16", 1, {121}, d281}},
    {"x % y", 2, {{"x", "f16", 1, {121}, d40}, {"y", "f16", 1, {121}, d41}}, {"r", "f16", 1, {121}, d282}},
    {"x == y", 2, {{"x", "f16", 1, {121}, d40}, {"y", "f16", 1, {121}, d41}}, {"r", "bool", 1, {121}, d283}},
    {"x != y", 2, {{"x", "f16", 1, {121}, d40}, {"y", "f16", 1, {121}, d41}}, {"r", "bool", 1, {121}, d284}},
    {"x < y", 2, {{"x", "f16", 1, {121}, d40}, {"y", "f16", 1, {121}, d41}}, {"r", "bool", 1, {121}, d285}},
    {"x <= y", 2, {{"x", "f16", 1, {121}, d40}, {"y", "f16", 1, {121}, d41}}, {"r", "bool", 1, {121}, d286}},
    {"x > y", 2, {{"x", "f16", 1, {121}, d40}, {"y", "f16", 1, {121}, d41}}, {"r", "bool", 1, {121}, d287}},
    {"x >= y", 2, {{"x", "f16", 1, {121}, d40}, {"y", "f16", 1, {121}, d41}}, {"r", "bool", 1, {121}, d288}},
    {"x / y", 2, {{"x", "f16", 1, {121}, d40}, {"y", "f16", 1, {121}, d41}}, {"r", "f16", 1, {121}, d289}},
    {"x ** y", 2, {{"x", "f16", 1, {121}, d40}, {"y", "f16", 1, {121}, d41}}, {"r", "f16", 1, {121}, d290}},
    {"min(x, y)", 2, {{"x", "f16", 1, {121}, d40}, {"y", "f16", 1, {121}, d41}}, {"r", "f16", 1, {121}, d291}},
    {"max(x, y)", 2, {{"x", "f16", 1, {121}, d40}, {"y", "f16", 1, {121}, d41}}, {"r", "f16", 1, {121}, d292}},
    {"where(x != y, x, y)", 2, {{"x", "f16", 1, {121}, d40}, {"y", "f16", 1, {121}, d41}}, {"r", "f16", 1, {121}, d293}},
    {"clamp(x, 1, 3)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "f16", 1, {22}, d294}},
    {"max(x, axis=1)", 1, {{"x", "f16", 2, {4, 22}, d295}}, {"r", "f16", 1, {4}, d296}},
    {"min(x, axis=0)", 1, {{"x", "f16", 2, {4, 22}, d295}}, {"r", "f16", 1, {22}, d297}},
    {"argmax(x, axis=1)", 1, {{"x", "f16", 2, {4, 22}, d295}}, {"r", "i64", 1, {4}, d298}},
    {"argmin(x, axis=1)", 1, {{"x", "f16", 2, {4, 22}, d295}}, {"r", "i64", 1, {4}, d298}},
    {"sort(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "f16", 1, {22}, d299}},
    {"argsort(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "i64", 1, {22}, d300}},
    {"sum(x, axis=1)", 1, {{"x", "f16", 2, {4, 22}, d295}}, {"r", "f16", 1, {4}, d296}},
    {"sum(x, axis=1)", 1, {{"x", "f16", 2, {4, 0}, d301}}, {"r", "f16", 1, {4}, d302}},
    {"prod(x, axis=1)", 1, {{"x", "f16", 2, {4, 0}, d301}}, {"r", "f16", 1, {4}, d303}},
    {"cumsum(x, axis=1)", 1, {{"x", "f16", 2, {4, 0}, d301}}, {"r", "f16", 2, {4, 0}, d301}},
    {"sort(x)", 1, {{"x", "f16", 2, {4, 0}, d301}}, {"r", "f16", 2, {4, 0}, d301}},
    {"bf16(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "bf16", 1, {22}, d304}},
    {"f32(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "f32", 1, {22}, d0}},
    {"f64(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "f64", 1, {22}, d0}},
    {"u8(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "u8", 1, {22}, d305}},
    {"i8(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "i8", 1, {22}, d306}},
    {"i32(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "i32", 1, {22}, d307}},
    {"i64(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "i64", 1, {22}, d308}},
    {"i16(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "i16", 1, {22}, d309}},
    {"u16(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "u16", 1, {22}, d310}},
    {"u32(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "u32", 1, {22}, d311}},
    {"u64(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "u64", 1, {22}, d312}},
    {"bool(x)", 1, {{"x", "f16", 1, {22}, d0}}, {"r", "bool", 1, {22}, d313}},
    {"x + y", 2, {{"x", "bf16", 1, {121}, d83}, {"y", "bf16", 1, {121}, d84}}, {"r", "bf16", 1, {121}, d314}},
    {"x - y", 2, {{"x", "bf16", 1, {121}, d83}, {"y", "bf16", 1, {121}, d84}}, {"r", "bf16", 1, {121}, d315}},
    {"x * y", 2, {{"x", "bf16", 1, {121}, d83}, {"y", "bf16", 1, {121}, d84}}, {"r", "bf16", 1, {121}, d316}},
    {"x // y", 2, {{"x", "bf16", 1, {121}, d83}, {"y", "bf16", 1, {121}, d84}}, {"r", "bf16", 1, {121}, d317}},
    {"x % y", 2, {{"x", "bf16", 1, {121}, d83}, {"y", "bf16", 1, {121}, d84}}, {"r", "bf16", 1, {121}, d318}},
    {"x == y", 2, {{"x", "bf16", 1, {121}, d83}, {"y", "bf16", 1, {121}, d84}}, {"r", "bool", 1, {121}, d283}},
    {"x != y", 2, {{"x", "bf16", 1, {121}, d83}, {"y", "bf16", 1, {121}, d84}}, {"r", "bool", 1, {121}, d284}},
    {"x < y", 2, {{"x", "bf16", 1, {121}, d83}, {"y", "bf16", 1, {121}, d84}}, {"r", "bool", 1, {121}, d285}},
    {"x <= y", 2, {{"x", "bf16", 1, {121}, d83}, {"y", "bf16", 1, {121}, d84}}, {"r", "bool", 1, {121}, d286}},
    {"x > y", 2, {{"x", "bf16", 1, {121}, d83}, {"y", "bf16", 1, {121}, d84}}, {"r", "bool", 1, {121}, d287}},
    {"x >= y", 2, {{"x", "bf16", 1, {121}, d83}, {"y", "bf16", 1, {121}, d84}}, {"r", "bool", 1, {121}, d288}},
    {"x / y", 2, {{"x", "bf16", 1, {121}, d83}, {"y", "bf16", 1, {121}, d84}}, {"r", "bf16", 1, {121}, d319}},
    {"x ** y", 2, {{"x", "bf16", 1, {121}, d83}, {"y", "bf16", 1, {121}, d84}}, {"r", "bf16", 1, {121}, d320}},
    {"min(x, y)", 2, {{"x", "bf16", 1, {121}, d83}, {"y", "bf16", 1, {121}, d84}}, {"r", "bf16", 1, {121}, d321}},
    {"max(x, y)", 2, {{"x", "bf16", 1, {121}, d83}, {"y", "bf16", 1, {121}, d84}}, {"r", "bf16", 1, {121}, d322}},
    {"where(x != y, x, y)", 2, {{"x", "bf16", 1, {121}, d83}, {"y", "bf16", 1, {121}, d84}}, {"r", "bf16", 1, {121}, d323}},
    {"clamp(x, 1, 3)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "bf16", 1, {22}, d294}},
    {"max(x, axis=1)", 1, {{"x", "bf16", 2, {4, 22}, d324}}, {"r", "bf16", 1, {4}, d296}},
    {"min(x, axis=0)", 1, {{"x", "bf16", 2, {4, 22}, d324}}, {"r", "bf16", 1, {22}, d325}},
    {"argmax(x, axis=1)", 1, {{"x", "bf16", 2, {4, 22}, d324}}, {"r", "i64", 1, {4}, d298}},
    {"argmin(x, axis=1)", 1, {{"x", "bf16", 2, {4, 22}, d324}}, {"r", "i64", 1, {4}, d298}},
    {"sort(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "bf16", 1, {22}, d326}},
    {"argsort(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "i64", 1, {22}, d300}},
    {"sum(x, axis=1)", 1, {{"x", "bf16", 2, {4, 22}, d324}}, {"r", "bf16", 1, {4}, d296}},
    {"sum(x, axis=1)", 1, {{"x", "bf16", 2, {4, 0}, d301}}, {"r", "bf16", 1, {4}, d302}},
    {"prod(x, axis=1)", 1, {{"x", "bf16", 2, {4, 0}, d301}}, {"r", "bf16", 1, {4}, d303}},
    {"cumsum(x, axis=1)", 1, {{"x", "bf16", 2, {4, 0}, d301}}, {"r", "bf16", 2, {4, 0}, d301}},
    {"sort(x)", 1, {{"x", "bf16", 2, {4, 0}, d301}}, {"r", "bf16", 2, {4, 0}, d301}},
    {"f16(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "f16", 1, {22}, d327}},
    {"f32(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "f32", 1, {22}, d47}},
    {"f64(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "f64", 1, {22}, d47}},
    {"u8(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "u8", 1, {22}, d305}},
    {"i8(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "i8", 1, {22}, d306}},
    {"i32(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "i32", 1, {22}, d328}},
    {"i64(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "i64", 1, {22}, d329}},
    {"i16(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "i16", 1, {22}, d309}},
    {"u16(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "u16", 1, {22}, d330}},
    {"u32(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "u32", 1, {22}, d331}},
    {"u64(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "u64", 1, {22}, d332}},
    {"bool(x)", 1, {{"x", "bf16", 1, {22}, d47}}, {"r", "bool", 1, {22}, d313}},
    {"x + y", 2, {{"x", "f32", 1, {121}, d126}, {"y", "f32", 1, {121}, d127}}, {"r", "f32", 1, {121}, d333}},
    {"x - y", 2, {{"x", "f32", 1, {121}, d126}, {"y", "f32", 1, {121}, d127}}, {"r", "f32", 1, {121}, d334}},
    {"x * y", 2, {{"x", "f32", 1, {121}, d126}, {"y", "f32", 1, {121}, d127}}, {"r", "f32", 1, {121}, d335}},
    {"x // y", 2, {{"x", "f32", 1, {121}, d126}, {"y", "f32", 1, {121}, d127}}, {"r", "f32", 1, {121}, d336}},
    {"x % y", 2, {{"x", "f32", 1, {121}, d126}, {"y", "f32", 1, {121}, d127}}, {"r", "f32", 1, {121}, d337}},
    {"x == y", 2, {{"x", "f32", 1, {121}, d126}, {"y", "f32", 1, {121}, d127}}, {"r", "bool", 1, {121}, d283}},
    {"x != y", 2, {{"x", "f32", 1, {121}, d126}, {"y", "f32", 1, {121}, d127}}, {"r", "bool", 1, {121}, d284}},
    {"x < y", 2, {{"x", "f32", 1, {121}, d126}, {"y", "f32", 1, {121}, d127}}, {"r", "bool", 1, {121}, d285}},
    {"x <= y", 2, {{"x", "f32", 1, {121}, d126}, {"y", "f32", 1, {121}, d127}}, {"r", "bool", 1, {121}, d286}},
    {"x > y", 2, {{"x", "f32", 1, {121}, d126}, {"y", "f32", 1, {121}, d127}}, {"r", "bool", 1, {121}, d287}},
    {"x >= y", 2, {{"x", "f32", 1, {121}, d126}, {"y", "f32", 1, {121}, d127}}, {"r", "bool", 1, {121}, d288}},
    {"x / y", 2, {{"x", "f32", 1, {121}, d126}, {"y", "f32", 1, {121}, d127}}, {"r", "f32", 1, {121}, d338}},
    {"x ** y", 2, {{"x", "f32", 1, {121}, d126}, {"y", "f32", 1, {121}, d127}}, {"r", "f32", 1, {121}, d339}},
    {"min(x, y)", 2, {{"x", "f32", 1, {121}, d126}, {"y", "f32", 1, {121}, d127}}, {"r", "f32", 1, {121}, d340}},
    {"max(x, y)", 2, {{"x", "f32", 1, {121}, d126}, {"y", "f32", 1, {121}, d127}}, {"r", "f32", 1, {121}, d341}},
    {"where(x != y, x, y)", 2, {{"x", "f32", 1, {121}, d126}, {"y", "f32", 1, {121}, d127}}, {"r", "f32", 1, {121}, d342}},
    {"clamp(x, 1, 3)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "f32", 1, {22}, d294}},
    {"max(x, axis=1)", 1, {{"x", "f32", 2, {4, 22}, d343}}, {"r", "f32", 1, {4}, d296}},
    {"min(x, axis=0)", 1, {{"x", "f32", 2, {4, 22}, d343}}, {"r", "f32", 1, {22}, d344}},
    {"argmax(x, axis=1)", 1, {{"x", "f32", 2, {4, 22}, d343}}, {"r", "i64", 1, {4}, d298}},
    {"argmin(x, axis=1)", 1, {{"x", "f32", 2, {4, 22}, d343}}, {"r", "i64", 1, {4}, d298}},
    {"sort(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "f32", 1, {22}, d345}},
    {"argsort(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "i64", 1, {22}, d300}},
    {"sum(x, axis=1)", 1, {{"x", "f32", 2, {4, 22}, d343}}, {"r", "f32", 1, {4}, d296}},
    {"sum(x, axis=1)", 1, {{"x", "f32", 2, {4, 0}, d301}}, {"r", "f32", 1, {4}, d302}},
    {"prod(x, axis=1)", 1, {{"x", "f32", 2, {4, 0}, d301}}, {"r", "f32", 1, {4}, d303}},
    {"cumsum(x, axis=1)", 1, {{"x", "f32", 2, {4, 0}, d301}}, {"r", "f32", 2, {4, 0}, d301}},
    {"sort(x)", 1, {{"x", "f32", 2, {4, 0}, d301}}, {"r", "f32", 2, {4, 0}, d301}},
    {"f16(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "f16", 1, {22}, d346}},
    {"bf16(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "bf16", 1, {22}, d347}},
    {"f64(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "f64", 1, {22}, d90}},
    {"u8(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "u8", 1, {22}, d305}},
    {"i8(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "i8", 1, {22}, d306}},
    {"i32(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "i32", 1, {22}, d328}},
    {"i64(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "i64", 1, {22}, d329}},
    {"i16(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "i16", 1, {22}, d309}},
    {"u16(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "u16", 1, {22}, d330}},
    {"u32(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "u32", 1, {22}, d331}},
    {"u64(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "u64", 1, {22}, d332}},
    {"bool(x)", 1, {{"x", "f32", 1, {22}, d90}}, {"r", "bool", 1, {22}, d313}},
    {"x + y", 2, {{"x", "f64", 1, {121}, d170}, {"y", "f64", 1, {121}, d171}}, {"r", "f64", 1, {121}, d348}},
    {"x - y", 2, {{"x", "f64", 1, {121}, d170}, {"y", "f64", 1, {121}, d171}}, {"r", "f64", 1, {121}, d349}},
    {"x * y", 2, {{"x", "f64", 1, {121}, d170}, {"y", "f64", 1, {121}, d171}}, {"r", "f64", 1, {121}, d350}},
    {"x // y", 2, {{"x", "f64", 1, {121}, d170}, {"y", "f64", 1, {121}, d171}}, {"r", "f64", 1, {121}, d351}},
    {"x % y", 2, {{"x", "f64", 1, {121}, d170}, {"y", "f64", 1, {121}, d171}}, {"r", "f64", 1, {121}, d352}},
    {"x == y", 2, {{"x", "f64", 1, {121}, d170}, {"y", "f64", 1, {121}, d171}}, {"r", "bool", 1, {121}, d283}},
    {"x != y", 2, {{"x", "f64", 1, {121}, d170}, {"y", "f64", 1, {121}, d171}}, {"r", "bool", 1, {121}, d284}},
    {"x < y", 2, {{"x", "f64", 1, {121}, d170}, {"y", "f64", 1, {121}, d171}}, {"r", "bool", 1, {121}, d285}},
    {"x <= y", 2, {{"x", "f64", 1, {121}, d170}, {"y", "f64", 1, {121}, d171}}, {"r", "bool", 1, {121}, d286}},
    {"x > y", 2, {{"x", "f64", 1, {121}, d170}, {"y", "f64", 1, {121}, d171}}, {"r", "bool", 1, {121}, d287}},
    {"x >= y", 2, {{"x", "f64", 1, {121}, d170}, {"y", "f64", 1, {121}, d171}}, {"r", "bool", 1, {121}, d288}},
    {"x / y", 2, {{"x", "f64", 1, {121}, d170}, {"y", "f64", 1, {121}, d171}}, {"r", "f64", 1, {121}, d353}},
    {"x ** y", 2, {{"x", "f64", 1, {121}, d170}, {"y", "f64", 1, {121}, d171}}, {"r", "f64", 1, {121}, d354}},
    {"min(x, y)", 2, {{"x", "f64", 1, {121}, d170}, {"y", "f64", 1, {121}, d171}}, {"r", "f64", 1, {121}, d355}},
    {"max(x, y)", 2, {{"x", "f64", 1, {121}, d170}, {"y", "f64", 1, {121}, d171}}, {"r", "f64", 1, {121}, d356}},
    {"where(x != y, x, y)", 2, {{"x", "f64", 1, {121}, d170}, {"y", "f64", 1, {121}, d171}}, {"r", "f64", 1, {121}, d357}},
    {"clamp(x, 1, 3)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "f64", 1, {22}, d294}},
    {"max(x, axis=1)", 1, {{"x", "f64", 2, {4, 22}, d358}}, {"r", "f64", 1, {4}, d296}},
    {"min(x, axis=0)", 1, {{"x", "f64", 2, {4, 22}, d358}}, {"r", "f64", 1, {22}, d359}},
    {"argmax(x, axis=1)", 1, {{"x", "f64", 2, {4, 22}, d358}}, {"r", "i64", 1, {4}, d298}},
    {"argmin(x, axis=1)", 1, {{"x", "f64", 2, {4, 22}, d358}}, {"r", "i64", 1, {4}, d298}},
    {"sort(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "f64", 1, {22}, d360}},
    {"argsort(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "i64", 1, {22}, d300}},
    {"sum(x, axis=1)", 1, {{"x", "f64", 2, {4, 22}, d358}}, {"r", "f64", 1, {4}, d296}},
    {"sum(x, axis=1)", 1, {{"x", "f64", 2, {4, 0}, d301}}, {"r", "f64", 1, {4}, d302}},
    {"prod(x, axis=1)", 1, {{"x", "f64", 2, {4, 0}, d301}}, {"r", "f64", 1, {4}, d303}},
    {"cumsum(x, axis=1)", 1, {{"x", "f64", 2, {4, 0}, d301}}, {"r", "f64", 2, {4, 0}, d301}},
    {"sort(x)", 1, {{"x", "f64", 2, {4, 0}, d301}}, {"r", "f64", 2, {4, 0}, d301}},
    {"f16(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "f16", 1, {22}, d361}},
    {"bf16(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "bf16", 1, {22}, d362}},
    {"f32(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "f32", 1, {22}, d363}},
    {"u8(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "u8", 1, {22}, d305}},
    {"i8(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "i8", 1, {22}, d306}},
    {"i32(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "i32", 1, {22}, d328}},
    {"i64(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "i64", 1, {22}, d329}},
    {"i16(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "i16", 1, {22}, d309}},
    {"u16(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "u16", 1, {22}, d330}},
    {"u32(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "u32", 1, {22}, d331}},
    {"u64(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "u64", 1, {22}, d332}},
    {"bool(x)", 1, {{"x", "f64", 1, {22}, d134}}, {"r", "bool", 1, {22}, d313}},
    {"x + y", 2, {{"x", "u8", 1, {49}, d178}, {"y", "u8", 1, {49}, d179}}, {"r", "u8", 1, {49}, d364}},
    {"x - y", 2, {{"x", "u8", 1, {49}, d178}, {"y", "u8", 1, {49}, d179}}, {"r", "u8", 1, {49}, d365}},
    {"x * y", 2, {{"x", "u8", 1, {49}, d178}, {"y", "u8", 1, {49}, d179}}, {"r", "u8", 1, {49}, d366}},
    {"x // y", 2, {{"x", "u8", 1, {49}, d178}, {"y", "u8", 1, {49}, d179}}, {"r", "u8", 1, {49}, d367}},
    {"x % y", 2, {{"x", "u8", 1, {49}, d178}, {"y", "u8", 1, {49}, d179}}, {"r", "u8", 1, {49}, d185}},
    {"x == y", 2, {{"x", "u8", 1, {49}, d178}, {"y", "u8", 1, {49}, d179}}, {"r", "bool", 1, {49}, d368}},
    {"x != y", 2, {{"x", "u8", 1, {49}, d178}, {"y", "u8", 1, {49}, d179}}, {"r", "bool", 1, {49}, d369}},
    {"x < y", 2, {{"x", "u8", 1, {49}, d178}, {"y", "u8", 1, {49}, d179}}, {"r", "bool", 1, {49}, d370}},
    {"x <= y", 2, {{"x", "u8", 1, {49}, d178}, {"y", "u8", 1, {49}, d179}}, {"r", "bool", 1, {49}, d371}},
    {"x > y", 2, {{"x", "u8", 1, {49}, d178}, {"y", "u8", 1, {49}, d179}}, {"r", "bool", 1, {49}, d372}},
    {"x >= y", 2, {{"x", "u8", 1, {49}, d178}, {"y", "u8", 1, {49}, d179}}, {"r", "bool", 1, {49}, d373}},
    {"x ** y", 2, {{"x", "u8", 1, {49}, d178}, {"y", "u8", 1, {49}, d179}}, {"r", "u8", 1, {49}, d374}},
    {"min(x, y)", 2, {{"x", "u8", 1, {49}, d178}, {"y", "u8", 1, {49}, d179}}, {"r", "u8", 1, {49}, d180}},
    {"max(x, y)", 2, {{"x", "u8", 1, {49}, d178}, {"y", "u8", 1, {49}, d179}}, {"r", "u8", 1, {49}, d181}},
    {"where(x != y, x, y)", 2, {{"x", "u8", 1, {49}, d178}, {"y", "u8", 1, {49}, d179}}, {"r", "u8", 1, {49}, d178}},
    {"clamp(x, 1, 3)", 1, {{"x", "u8", 1, {11}, d186}}, {"r", "u8", 1, {11}, d375}},
    {"max(x, axis=1)", 1, {{"x", "u8", 2, {4, 11}, d376}}, {"r", "u8", 1, {4}, d377}},
    {"min(x, axis=0)", 1, {{"x", "u8", 2, {4, 11}, d376}}, {"r", "u8", 1, {11}, d378}},
    {"argmax(x, axis=1)", 1, {{"x", "u8", 2, {4, 11}, d376}}, {"r", "i64", 1, {4}, d379}},
    {"argmin(x, axis=1)", 1, {{"x", "u8", 2, {4, 11}, d376}}, {"r", "i64", 1, {4}, d380}},
    {"sort(x)", 1, {{"x", "u8", 1, {11}, d186}}, {"r", "u8", 1, {11}, d381}},
    {"argsort(x)", 1, {{"x", "u8", 1, {11}, d186}}, {"r", "i64", 1, {11}, d382}},
    {"sum(x, axis=1)", 1, {{"x", "u8", 2, {4, 11}, d376}}, {"r", "i64", 1, {4}, d383}},
    {"sum(x, axis=1)", 1, {{"x", "u8", 2, {4, 0}, d384}}, {"r", "i64", 1, {4}, d385}},
    {"prod(x, axis=1)", 1, {{"x", "u8", 2, {4, 0}, d384}}, {"r", "i64", 1, {4}, d386}},
    {"cumsum(x, axis=1)", 1, {{"x", "u8", 2, {4, 0}, d384}}, {"r", "i64", 2, {4, 0}, d384}},
    {"sort(x)", 1, {{"x", "u8", 2, {4, 0}, d384}}, {"r", "u8", 2, {4, 0}, d384}},
    {"cumsum(x, axis=1)", 1, {{"x", "u8", 2, {4, 11}, d376}}, {"r", "i64", 2, {4, 11}, d387}},
    {"prod(x, axis=1)", 1, {{"x", "u8", 2, {4, 3}, d388}}, {"r", "i64", 1, {4}, d389}},
    {"f16(x)", 1, {{"x", "u8", 1, {11}, d186}}, {"r", "f16", 1, {11}, d390}},
    {"bf16(x)", 1, {{"x", "u8", 1, {11}, d186}}, {"r", "bf16", 1, {11}, d390}},
    {"f32(x)", 1, {{"x", "u8", 1, {11}, d186}}, {"r", "f32", 1, {11}, d390}},
    {"f64(x)", 1, {{"x", "u8", 1, {11}, d186}}, {"r", "f64", 1, {11}, d390}},
    {"i8(x)", 1, {{"x", "u8", 1, {11}, d186}}, {"r", "i8", 1, {11}, d274}},
    {"i32(x)", 1, {{"x", "u8", 1, {11}, d186}}, {"r", "i32", 1, {11}, d186}},
    {"i64(x)", 1, {{"x", "u8", 1, {11}, d186}}, {"r", "i64", 1, {11}, d186}},
    {"i16(x)", 1, {{"x", "u8", 1, {11}, d186}}, {"r", "i16", 1, {11}, d186}},
    {"u16(x)", 1, {{"x", "u8", 1, {11}, d186}}, {"r", "u16", 1, {11}, d186}},
    {"u32(x)", 1, {{"x", "u8", 1, {11}, d186}}, {"r", "u32", 1, {11}, d186}},
    {"u64(x)", 1, {{"x", "u8", 1, {11}, d186}}, {"r", "u64", 1, {11}, d186}},
    {"bool(x)", 1, {{"x", "u8", 1, {11}, d186}}, {"r", "bool", 1, {11}, d189}},
    {"x + y", 2, {{"x", "i8", 1, {100}, d191}, {"y", "i8", 1, {100}, d192}}, {"r", "i8", 1, {100}, d391}},
    {"x - y", 2, {{"x", "i8", 1, {100}, d191}, {"y", "i8", 1, {100}, d192}}, {"r", "i8", 1, {100}, d392}},
    {"x * y", 2, {{"x", "i8", 1, {100}, d191}, {"y", "i8", 1, {100}, d192}}, {"r", "i8", 1, {100}, d393}},
    {"x // y", 2, {{"x", "i8", 1, {100}, d191}, {"y", "i8", 1, {100}, d192}}, {"r", "i8", 1, {100}, d394}},
    {"x % y", 2, {{"x", "i8", 1, {100}, d191}, {"y", "i8", 1, {100}, d192}}, {"r", "i8", 1, {100}, d395}},
    {"x == y", 2, {{"x", "i8", 1, {100}, d191}, {"y", "i8", 1, {100}, d192}}, {"r", "bool", 1, {100}, d396}},
    {"x != y", 2, {{"x", "i8", 1, {100}, d191}, {"y", "i8", 1, {100}, d192}}, {"r", "bool", 1, {100}, d397}},
    {"x < y", 2, {{"x", "i8", 1, {100}, d191}, {"y", "i8", 1, {100}, d192}}, {"r", "bool", 1, {100}, d398}},
    {"x <= y", 2, {{"x", "i8", 1, {100}, d191}, {"y", "i8", 1, {100}, d192}}, {"r", "bool", 1, {100}, d399}},
    {"x > y", 2, {{"x", "i8", 1, {100}, d191}, {"y", "i8", 1, {100}, d192}}, {"r", "bool", 1, {100}, d400}},
    {"x >= y", 2, {{"x", "i8", 1, {100}, d191}, {"y", "i8", 1, {100}, d192}}, {"r", "bool", 1, {100}, d401}},
    {"x ** y", 2, {{"x", "i8", 1, {50}, d402}, {"y", "i8", 1, {50}, d403}}, {"r", "i8", 1, {50}, d404}},
    {"min(x, y)", 2, {{"x", "i8", 1, {100}, d191}, {"y", "i8", 1, {100}, d192}}, {"r", "i8", 1, {100}, d405}},
    {"max(x, y)", 2, {{"x", "i8", 1, {100}, d191}, {"y", "i8", 1, {100}, d192}}, {"r", "i8", 1, {100}, d406}},
    {"where(x != y, x, y)", 2, {{"x", "i8", 1, {100}, d191}, {"y", "i8", 1, {100}, d192}}, {"r", "i8", 1, {100}, d191}},
    {"clamp(x, 1, 3)", 1, {{"x", "i8", 1, {14}, d199}}, {"r", "i8", 1, {14}, d407}},
    {"max(x, axis=1)", 1, {{"x", "i8", 2, {4, 14}, d408}}, {"r", "i8", 1, {4}, d409}},
    {"min(x, axis=0)", 1, {{"x", "i8", 2, {4, 14}, d408}}, {"r", "i8", 1, {14}, d410}},
    {"argmax(x, axis=1)", 1, {{"x", "i8", 2, {4, 14}, d408}}, {"r", "i64", 1, {4}, d411}},
    {"argmin(x, axis=1)", 1, {{"x", "i8", 2, {4, 14}, d408}}, {"r", "i64", 1, {4}, d412}},
    {"sort(x)", 1, {{"x", "i8", 1, {14}, d199}}, {"r", "i8", 1, {14}, d413}},
    {"argsort(x)", 1, {{"x", "i8", 1, {14}, d199}}, {"r", "i64", 1, {14}, d414}},
    {"sum(x, axis=1)", 1, {{"x", "i8", 2, {4, 14}, d408}}, {"r", "i64", 1, {4}, d415}},
    {"sum(x, axis=1)", 1, {{"x", "i8", 2, {4, 0}, d384}}, {"r", "i64", 1, {4}, d385}},
    {"prod(x, axis=1)", 1, {{"x", "i8", 2, {4, 0}, d384}}, {"r", "i64", 1, {4}, d386}},
    {"cumsum(x, axis=1)", 1, {{"x", "i8", 2, {4, 0}, d384}}, {"r", "i64", 2, {4, 0}, d384}},
    {"sort(x)", 1, {{"x", "i8", 2, {4, 0}, d384}}, {"r", "i8", 2, {4, 0}, d384}},
    {"cumsum(x, axis=1)", 1, {{"x", "i8", 2, {4, 14}, d408}}, {"r", "i64", 2, {4, 14}, d416}},
    {"prod(x, axis=1)", 1, {{"x", "i8", 2, {4, 3}, d417}}, {"r", "i64", 1, {4}, d418}},
    {"f16(x)", 1, {{"x", "i8", 1, {14}, d199}}, {"r", "f16", 1, {14}, d419}},
    {"bf16(x)", 1, {{"x", "i8", 1, {14}, d199}}, {"r", "bf16", 1, {14}, d419}},
    {"f32(x)", 1, {{"x", "i8", 1, {14}, d199}}, {"r", "f32", 1, {14}, d419}},
    {"f64(x)", 1, {{"x", "i8", 1, {14}, d199}}, {"r", "f64", 1, {14}, d419}},
    {"u8(x)", 1, {{"x", "i8", 1, {14}, d199}}, {"r", "u8", 1, {14}, d420}},
    {"i32(x)", 1, {{"x", "i8", 1, {14}, d199}}, {"r", "i32", 1, {14}, d199}},
    {"i64(x)", 1, {{"x", "i8", 1, {14}, d199}}, {"r", "i64", 1, {14}, d199}},
    {"i16(x)", 1, {{"x", "i8", 1, {14}, d199}}, {"r", "i16", 1, {14}, d199}},
    {"u16(x)", 1, {{"x", "i8", 1, {14}, d199}}, {"r", "u16", 1, {14}, d421}},
    {"u32(x)", 1, {{"x", "i8", 1, {14}, d199}}, {"r", "u32", 1, {14}, d422}},
    {"u64(x)", 1, {{"x", "i8", 1, {14}, d199}}, {"r", "u64", 1, {14}, d199}},
    {"bool(x)", 1, {{"x", "i8", 1, {14}, d199}}, {"r", "bool", 1, {14}, d423}},
    {"x + y", 2, {{"x", "i32", 1, {100}, d205}, {"y", "i32", 1, {100}, d206}}, {"r", "i32", 1, {100}, d424}},
    {"x - y", 2, {{"x", "i32", 1, {100}, d205}, {"y", "i32", 1, {100}, d206}}, {"r", "i32", 1, {100}, d425}},
    {"x * y", 2, {{"x", "i32", 1, {100}, d205}, {"y", "i32", 1, {100}, d206}}, {"r", "i32", 1, {100}, d426}},
    {"x // y", 2, {{"x", "i32", 1, {100}, d205}, {"y", "i32", 1, {100}, d206}}, {"r", "i32", 1, {100}, d427}},
    {"x % y", 2, {{"x", "i32", 1, {100}, d205}, {"y", "i32", 1, {100}, d206}}, {"r", "i32", 1, {100}, d428}},
    {"x == y", 2, {{"x", "i32", 1, {100}, d205}, {"y", "i32", 1, {100}, d206}}, {"r", "bool", 1, {100}, d396}},
    {"x != y", 2, {{"x", "i32", 1, {100}, d205}, {"y", "i32", 1, {100}, d206}}, {"r", "bool", 1, {100}, d397}},
    {"x < y", 2, {{"x", "i32", 1, {100}, d205}, {"y", "i32", 1, {100}, d206}}, {"r", "bool", 1, {100}, d398}},
    {"x <= y", 2, {{"x", "i32", 1, {100}, d205}, {"y", "i32", 1, {100}, d206}}, {"r", "bool", 1, {100}, d399}},
    {"x > y", 2, {{"x", "i32", 1, {100}, d205}, {"y", "i32", 1, {100}, d206}}, {"r", "bool", 1, {100}, d400}},
    {"x >= y", 2, {{"x", "i32", 1, {100}, d205}, {"y", "i32", 1, {100}, d206}}, {"r", "bool", 1, {100}, d401}},
    {"x ** y", 2, {{"x", "i32", 1, {50}, d429}, {"y", "i32", 1, {50}, d430}}, {"r", "i32", 1, {50}, d431}},
    {"min(x, y)", 2, {{"x", "i32", 1, {100}, d205}, {"y", "i32", 1, {100}, d206}}, {"r", "i32", 1, {100}, d432}},
    {"max(x, y)", 2, {{"x", "i32", 1, {100}, d205}, {"y", "i32", 1, {100}, d206}}, {"r", "i32", 1, {100}, d433}},
    {"where(x != y, x, y)", 2, {{"x", "i32", 1, {100}, d205}, {"y", "i32", 1, {100}, d206}}, {"r", "i32", 1, {100}, d205}},
    {"clamp(x, 1, 3)", 1, {{"x", "i32", 1, {14}, d213}}, {"r", "i32", 1, {14}, d407}},
    {"max(x, axis=1)", 1, {{"x", "i32", 2, {4, 14}, d434}}, {"r", "i32", 1, {4}, d435}},
    {"min(x, axis=0)", 1, {{"x", "i32", 2, {4, 14}, d434}}, {"r", "i32", 1, {14}, d436}},
    {"argmax(x, axis=1)", 1, {{"x", "i32", 2, {4, 14}, d434}}, {"r", "i64", 1, {4}, d411}},
    {"argmin(x, axis=1)", 1, {{"x", "i32", 2, {4, 14}, d434}}, {"r", "i64", 1, {4}, d412}},
    {"sort(x)", 1, {{"x", "i32", 1, {14}, d213}}, {"r", "i32", 1, {14}, d437}},
    {"argsort(x)", 1, {{"x", "i32", 1, {14}, d213}}, {"r", "i64", 1, {14}, d414}},
    {"sum(x, axis=1)", 1, {{"x", "i32", 2, {4, 14}, d434}}, {"r", "i32", 1, {4}, d415}},
    {"sum(x, axis=1)", 1, {{"x", "i32", 2, {4, 0}, d384}}, {"r", "i32", 1, {4}, d385}},
    {"prod(x, axis=1)", 1, {{"x", "i32", 2, {4, 0}, d384}}, {"r", "i32", 1, {4}, d386}},
    {"cumsum(x, axis=1)", 1, {{"x", "i32", 2, {4, 0}, d384}}, {"r", "i32", 2, {4, 0}, d384}},
    {"sort(x)", 1, {{"x", "i32", 2, {4, 0}, d384}}, {"r", "i32", 2, {4, 0}, d384}},
    {"cumsum(x, axis=1)", 1, {{"x", "i32", 2, {4, 14}, d434}}, {"r", "i32", 2, {4, 14}, d438}},
    {"prod(x, axis=1)", 1, {{"x", "i32", 2, {4, 3}, d439}}, {"r", "i32", 1, {4}, d440}},
    {"f16(x)", 1, {{"x", "i32", 1, {14}, d213}}, {"r", "f16", 1, {14}, d441}},
    {"bf16(x)", 1, {{"x", "i32", 1, {14}, d213}}, {"r", "bf16", 1, {14}, d442}},
    {"f32(x)", 1, {{"x", "i32", 1, {14}, d213}}, {"r", "f32", 1, {14}, d442}},
    {"f64(x)", 1, {{"x", "i32", 1, {14}, d213}}, {"r", "f64", 1, {14}, d443}},
    {"u8(x)", 1, {{"x", "i32", 1, {14}, d213}}, {"r", "u8", 1, {14}, d444}},
    {"i8(x)", 1, {{"x", "i32", 1, {14}, d213}}, {"r", "i8", 1, {14}, d445}},
    {"i64(x)", 1, {{"x", "i32", 1, {14}, d213}}, {"r", "i64", 1, {14}, d213}},
    {"i16(x)", 1, {{"x", "i32", 1, {14}, d213}}, {"r", "i16", 1, {14}, d445}},
    {"u16(x)", 1, {{"x", "i32", 1, {14}, d213}}, {"r", "u16", 1, {14}, d446}},
    {"u32(x)", 1, {{"x", "i32", 1, {14}, d213}}, {"r", "u32", 1, {14}, d447}},
    {"u64(x)", 1, {{"x", "i32", 1, {14}, d213}}, {"r", "u64", 1, {14}, d213}},
    {"bool(x)", 1, {{"x", "i32", 1, {14}, d213}}, {"r", "bool", 1, {14}, d423}},
    {"x + y", 2, {{"x", "i64", 1, {100}, d218}, {"y", "i64", 1, {100}, d219}}, {"r", "i64", 1, {100}, d448}},
    {"x - y", 2, {{"x", "i64", 1, {100}, d218}, {"y", "i64", 1, {100}, d219}}, {"r", "i64", 1, {100}, d449}},
    {"x * y", 2, {{"x", "i64", 1, {100}, d218}, {"y", "i64", 1, {100}, d219}}, {"r", "i64", 1, {100}, d450}},
    {"x // y", 2, {{"x", "i64", 1, {100}, d218}, {"y", "i64", 1, {100}, d219}}, {"r", "i64", 1, {100}, d451}},
    {"x % y", 2, {{"x", "i64", 1, {100}, d218}, {"y", "i64", 1, {100}, d219}}, {"r", "i64", 1, {100}, d452}},
    {"x == y", 2, {{"x", "i64", 1, {100}, d218}, {"y", "i64", 1, {100}, d219}}, {"r", "bool", 1, {100}, d396}},
    {"x != y", 2, {{"x", "i64", 1, {100}, d218}, {"y", "i64", 1, {100}, d219}}, {"r", "bool", 1, {100}, d397}},
    {"x < y", 2, {{"x", "i64", 1, {100}, d218}, {"y", "i64", 1, {100}, d219}}, {"r", "bool", 1, {100}, d398}},
    {"x <= y", 2, {{"x", "i64", 1, {100}, d218}, {"y", "i64", 1, {100}, d219}}, {"r", "bool", 1, {100}, d399}},
    {"x > y", 2, {{"x", "i64", 1, {100}, d218}, {"y", "i64", 1, {100}, d219}}, {"r", "bool", 1, {100}, d400}},
    {"x >= y", 2, {{"x", "i64", 1, {100}, d218}, {"y", "i64", 1, {100}, d219}}, {"r", "bool", 1, {100}, d401}},
    {"x ** y", 2, {{"x", "i64", 1, {50}, d453}, {"y", "i64", 1, {50}, d454}}, {"r", "i64", 1, {50}, d455}},
    {"min(x, y)", 2, {{"x", "i64", 1, {100}, d218}, {"y", "i64", 1, {100}, d219}}, {"r", "i64", 1, {100}, d456}},
    {"max(x, y)", 2, {{"x", "i64", 1, {100}, d218}, {"y", "i64", 1, {100}, d219}}, {"r", "i64", 1, {100}, d457}},
    {"where(x != y, x, y)", 2, {{"x", "i64", 1, {100}, d218}, {"y", "i64", 1, {100}, d219}}, {"r", "i64", 1, {100}, d218}},
    {"clamp(x, 1, 3)", 1, {{"x", "i64", 1, {14}, d226}}, {"r", "i64", 1, {14}, d407}},
    {"max(x, axis=1)", 1, {{"x", "i64", 2, {4, 14}, d458}}, {"r", "i64", 1, {4}, d459}},
    {"min(x, axis=0)", 1, {{"x", "i64", 2, {4, 14}, d458}}, {"r", "i64", 1, {14}, d460}},
    {"argmax(x, axis=1)", 1, {{"x", "i64", 2, {4, 14}, d458}}, {"r", "i64", 1, {4}, d411}},
    {"argmin(x, axis=1)", 1, {{"x", "i64", 2, {4, 14}, d458}}, {"r", "i64", 1, {4}, d412}},
    {"sort(x)", 1, {{"x", "i64", 1, {14}, d226}}, {"r", "i64", 1, {14}, d461}},
    {"argsort(x)", 1, {{"x", "i64", 1, {14}, d226}}, {"r", "i64", 1, {14}, d414}},
    {"sum(x, axis=1)", 1, {{"x", "i64", 2, {4, 14}, d458}}, {"r", "i64", 1, {4}, d415}},
    {"sum(x, axis=1)", 1, {{"x", "i64", 2, {4, 0}, d384}}, {"r", "i64", 1, {4}, d385}},
    {"prod(x, axis=1)", 1, {{"x", "i64", 2, {4, 0}, d384}}, {"r", "i64", 1, {4}, d386}},
    {"cumsum(x, axis=1)", 1, {{"x", "i64", 2, {4, 0}, d384}}, {"r", "i64", 2, {4, 0}, d384}},
    {"sort(x)", 1, {{"x", "i64", 2, {4, 0}, d384}}, {"r", "i64", 2, {4, 0}, d384}},
    {"cumsum(x, axis=1)", 1, {{"x", "i64", 2, {4, 14}, d458}}, {"r", "i64", 2, {4, 14}, d462}},
    {"prod(x, axis=1)", 1, {{"x", "i64", 2, {4, 3}, d463}}, {"r", "i64", 1, {4}, d464}},
    {"f16(x)", 1, {{"x", "i64", 1, {14}, d226}}, {"r", "f16", 1, {14}, d441}},
    {"bf16(x)", 1, {{"x", "i64", 1, {14}, d226}}, {"r", "bf16", 1, {14}, d465}},
    {"f32(x)", 1, {{"x", "i64", 1, {14}, d226}}, {"r", "f32", 1, {14}, d465}},
    {"f64(x)", 1, {{"x", "i64", 1, {14}, d226}}, {"r", "f64", 1, {14}, d465}},
    {"u8(x)", 1, {{"x", "i64", 1, {14}, d226}}, {"r", "u8", 1, {14}, d444}},
    {"i8(x)", 1, {{"x", "i64", 1, {14}, d226}}, {"r", "i8", 1, {14}, d445}},
    {"i32(x)", 1, {{"x", "i64", 1, {14}, d226}}, {"r", "i32", 1, {14}, d445}},
    {"i16(x)", 1, {{"x", "i64", 1, {14}, d226}}, {"r", "i16", 1, {14}, d445}},
    {"u16(x)", 1, {{"x", "i64", 1, {14}, d226}}, {"r", "u16", 1, {14}, d446}},
    {"u32(x)", 1, {{"x", "i64", 1, {14}, d226}}, {"r", "u32", 1, {14}, d466}},
    {"u64(x)", 1, {{"x", "i64", 1, {14}, d226}}, {"r", "u64", 1, {14}, d226}},
    {"bool(x)", 1, {{"x", "i64", 1, {14}, d226}}, {"r", "bool", 1, {14}, d423}},
    {"x + y", 2, {{"x", "i16", 1, {100}, d231}, {"y", "i16", 1, {100}, d232}}, {"r", "i16", 1, {100}, d467}},
    {"x - y", 2, {{"x", "i16", 1, {100}, d231}, {"y", "i16", 1, {100}, d232}}, {"r", "i16", 1, {100}, d468}},
    {"x * y", 2, {{"x", "i16", 1, {100}, d231}, {"y", "i16", 1, {100}, d232}}, {"r", "i16", 1, {100}, d469}},
    {"x // y", 2, {{"x", "i16", 1, {100}, d231}, {"y", "i16", 1, {100}, d232}}, {"r", "i16", 1, {100}, d470}},
    {"x % y", 2, {{"x", "i16", 1, {100}, d231}, {"y", "i16", 1, {100}, d232}}, {"r", "i16", 1, {100}, d471}},
    {"x == y", 2, {{"x", "i16", 1, {100}, d231}, {"y", "i16", 1, {100}, d232}}, {"r", "bool", 1, {100}, d396}},
    {"x != y", 2, {{"x", "i16", 1, {100}, d231}, {"y", "i16", 1, {100}, d232}}, {"r", "bool", 1, {100}, d397}},
    {"x < y", 2, {{"x", "i16", 1, {100}, d231}, {"y", "i16", 1, {100}, d232}}, {"r", "bool", 1, {100}, d398}},
    {"x <= y", 2, {{"x", "i16", 1, {100}, d231}, {"y", "i16", 1, {100}, d232}}, {"r", "bool", 1, {100}, d399}},
    {"x > y", 2, {{"x", "i16", 1, {100}, d231}, {"y", "i16", 1, {100}, d232}}, {"r", "bool", 1, {100}, d400}},
    {"x >= y", 2, {{"x", "i16", 1, {100}, d231}, {"y", "i16", 1, {100}, d232}}, {"r", "bool", 1, {100}, d401}},
    {"x ** y", 2, {{"x", "i16", 1, {50}, d472}, {"y", "i16", 1, {50}, d473}}, {"r", "i16", 1, {50}, d474}},
    {"min(x, y)", 2, {{"x", "i16", 1, {100}, d231}, {"y", "i16", 1, {100}, d232}}, {"r", "i16", 1, {100}, d475}},
    {"max(x, y)", 2, {{"x", "i16", 1, {100}, d231}, {"y", "i16", 1, {100}, d232}}, {"r", "i16", 1, {100}, d476}},
    {"where(x != y, x, y)", 2, {{"x", "i16", 1, {100}, d231}, {"y", "i16", 1, {100}, d232}}, {"r", "i16", 1, {100}, d231}},
    {"clamp(x, 1, 3)", 1, {{"x", "i16", 1, {14}, d239}}, {"r", "i16", 1, {14}, d407}},
    {"max(x, axis=1)", 1, {{"x", "i16", 2, {4, 14}, d477}}, {"r", "i16", 1, {4}, d478}},
    {"min(x, axis=0)", 1, {{"x", "i16", 2, {4, 14}, d477}}, {"r", "i16", 1, {14}, d479}},
    {"argmax(x, axis=1)", 1, {{"x", "i16", 2, {4, 14}, d477}}, {"r", "i64", 1, {4}, d411}},
    {"argmin(x, axis=1)", 1, {{"x", "i16", 2, {4, 14}, d477}}, {"r", "i64", 1, {4}, d412}},
    {"sort(x)", 1, {{"x", "i16", 1, {14}, d239}}, {"r", "i16", 1, {14}, d480}},
    {"argsort(x)", 1, {{"x", "i16", 1, {14}, d239}}, {"r", "i64", 1, {14}, d414}},
    {"sum(x, axis=1)", 1, {{"x", "i16", 2, {4, 14}, d477}}, {"r", "i64", 1, {4}, d415}},
    {"sum(x, axis=1)", 1, {{"x", "i16", 2, {4, 0}, d384}}, {"r", "i64", 1, {4}, d385}},
    {"prod(x, axis=1)", 1, {{"x", "i16", 2, {4, 0}, d384}}, {"r", "i64", 1, {4}, d386}},
    {"cumsum(x, axis=1)", 1, {{"x", "i16", 2, {4, 0}, d384}}, {"r", "i64", 2, {4, 0}, d384}},
    {"sort(x)", 1, {{"x", "i16", 2, {4, 0}, d384}}, {"r", "i16", 2, {4, 0}, d384}},
    {"cumsum(x, axis=1)", 1, {{"x", "i16", 2, {4, 14}, d477}}, {"r", "i64", 2, {4, 14}, d481}},
    {"prod(x, axis=1)", 1, {{"x", "i16", 2, {4, 3}, d482}}, {"r", "i64", 1, {4}, d483}},
    {"f16(x)", 1, {{"x", "i16", 1, {14}, d239}}, {"r", "f16", 1, {14}, d484}},
    {"bf16(x)", 1, {{"x", "i16", 1, {14}, d239}}, {"r", "bf16", 1, {14}, d484}},
    {"f32(x)", 1, {{"x", "i16", 1, {14}, d239}}, {"r", "f32", 1, {14}, d485}},
    {"f64(x)", 1, {{"x", "i16", 1, {14}, d239}}, {"r", "f64", 1, {14}, d485}},
    {"u8(x)", 1, {{"x", "i16", 1, {14}, d239}}, {"r", "u8", 1, {14}, d444}},
    {"i8(x)", 1, {{"x", "i16", 1, {14}, d239}}, {"r", "i8", 1, {14}, d445}},
    {"i32(x)", 1, {{"x", "i16", 1, {14}, d239}}, {"r", "i32", 1, {14}, d239}},
    {"i64(x)", 1, {{"x", "i16", 1, {14}, d239}}, {"r", "i64", 1, {14}, d239}},
    {"u16(x)", 1, {{"x", "i16", 1, {14}, d239}}, {"r", "u16", 1, {14}, d486}},
    {"u32(x)", 1, {{"x", "i16", 1, {14}, d239}}, {"r", "u32", 1, {14}, d487}},
    {"u64(x)", 1, {{"x", "i16", 1, {14}, d239}}, {"r", "u64", 1, {14}, d239}},
    {"bool(x)", 1, {{"x", "i16", 1, {14}, d239}}, {"r", "bool", 1, {14}, d423}},
    {"x + y", 2, {{"x", "u16", 1, {49}, d244}, {"y", "u16", 1, {49}, d245}}, {"r", "u16", 1, {49}, d488}},
    {"x - y", 2, {{"x", "u16", 1, {49}, d244}, {"y", "u16", 1, {49}, d245}}, {"r", "u16", 1, {49}, d489}},
    {"x * y", 2, {{"x", "u16", 1, {49}, d244}, {"y", "u16", 1, {49}, d245}}, {"r", "u16", 1, {49}, d490}},
    {"x // y", 2, {{"x", "u16", 1, {49}, d244}, {"y", "u16", 1, {49}, d245}}, {"r", "u16", 1, {49}, d491}},
    {"x % y", 2, {{"x", "u16", 1, {49}, d244}, {"y", "u16", 1, {49}, d245}}, {"r", "u16", 1, {49}, d251}},
    {"x == y", 2, {{"x", "u16", 1, {49}, d244}, {"y", "u16", 1, {49}, d245}}, {"r", "bool", 1, {49}, d368}},
    {"x != y", 2, {{"x", "u16", 1, {49}, d244}, {"y", "u16", 1, {49}, d245}}, {"r", "bool", 1, {49}, d369}},
    {"x < y", 2, {{"x", "u16", 1, {49}, d244}, {"y", "u16", 1, {49}, d245}}, {"r", "bool", 1, {49}, d370}},
    {"x <= y", 2, {{"x", "u16", 1, {49}, d244}, {"y", "u16", 1, {49}, d245}}, {"r", "bool", 1, {49}, d371}},
    {"x > y", 2, {{"x", "u16", 1, {49}, d244}, {"y", "u16", 1, {49}, d245}}, {"r", "bool", 1, {49}, d372}},
    {"x >= y", 2, {{"x", "u16", 1, {49}, d244}, {"y", "u16", 1, {49}, d245}}, {"r", "bool", 1, {49}, d373}},
    {"x ** y", 2, {{"x", "u16", 1, {49}, d244}, {"y", "u16", 1, {49}, d245}}, {"r", "u16", 1, {49}, d492}},
    {"min(x, y)", 2, {{"x", "u16", 1, {49}, d244}, {"y", "u16", 1, {49}, d245}}, {"r", "u16", 1, {49}, d246}},
    {"max(x, y)", 2, {{"x", "u16", 1, {49}, d244}, {"y", "u16", 1, {49}, d245}}, {"r", "u16", 1, {49}, d247}},
    {"where(x != y, x, y)", 2, {{"x", "u16", 1, {49}, d244}, {"y", "u16", 1, {49}, d245}}, {"r", "u16", 1, {49}, d244}},
    {"clamp(x, 1, 3)", 1, {{"x", "u16", 1, {11}, d252}}, {"r", "u16", 1, {11}, d375}},
    {"max(x, axis=1)", 1, {{"x", "u16", 2, {4, 11}, d493}}, {"r", "u16", 1, {4}, d494}},
    {"min(x, axis=0)", 1, {{"x", "u16", 2, {4, 11}, d493}}, {"r", "u16", 1, {11}, d378}},
    {"argmax(x, axis=1)", 1, {{"x", "u16", 2, {4, 11}, d493}}, {"r", "i64", 1, {4}, d379}},
    {"argmin(x, axis=1)", 1, {{"x", "u16", 2, {4, 11}, d493}}, {"r", "i64", 1, {4}, d380}},
    {"sort(x)", 1, {{"x", "u16", 1, {11}, d252}}, {"r", "u16", 1, {11}, d495}},
    {"argsort(x)", 1, {{"x", "u16", 1, {11}, d252}}, {"r", "i64", 1, {11}, d382}},
    {"sum(x, axis=1)", 1, {{"x", "u16", 2, {4, 11}, d493}}, {"r", "i64", 1, {4}, d496}},
    {"sum(x, axis=1)", 1, {{"x", "u16", 2, {4, 0}, d384}}, {"r", "i64", 1, {4}, d385}},
    {"prod(x, axis=1)", 1, {{"x", "u16", 2, {4, 0}, d384}}, {"r", "i64", 1, {4}, d386}},
    {"cumsum(x, axis=1)", 1, {{"x", "u16", 2, {4, 0}, d384}}, {"r", "i64", 2, {4, 0}, d384}},
    {"sort(x)", 1, {{"x", "u16", 2, {4, 0}, d384}}, {"r", "u16", 2, {4, 0}, d384}},
    {"cumsum(x, axis=1)", 1, {{"x", "u16", 2, {4, 11}, d493}}, {"r", "i64", 2, {4, 11}, d497}},
    {"prod(x, axis=1)", 1, {{"x", "u16", 2, {4, 3}, d498}}, {"r", "i64", 1, {4}, d499}},
    {"f16(x)", 1, {{"x", "u16", 1, {11}, d252}}, {"r", "f16", 1, {11}, d500}},
    {"bf16(x)", 1, {{"x", "u16", 1, {11}, d252}}, {"r", "bf16", 1, {11}, d501}},
    {"f32(x)", 1, {{"x", "u16", 1, {11}, d252}}, {"r", "f32", 1, {11}, d502}},
    {"f64(x)", 1, {{"x", "u16", 1, {11}, d252}}, {"r", "f64", 1, {11}, d502}},
    {"u8(x)", 1, {{"x", "u16", 1, {11}, d252}}, {"r", "u8", 1, {11}, d186}},
    {"i8(x)", 1, {{"x", "u16", 1, {11}, d252}}, {"r", "i8", 1, {11}, d274}},
    {"i32(x)", 1, {{"x", "u16", 1, {11}, d252}}, {"r", "i32", 1, {11}, d252}},
    {"i64(x)", 1, {{"x", "u16", 1, {11}, d252}}, {"r", "i64", 1, {11}, d252}},
    {"i16(x)", 1, {{"x", "u16", 1, {11}, d252}}, {"r", "i16", 1, {11}, d274}},
    {"u32(x)", 1, {{"x", "u16", 1, {11}, d252}}, {"r", "u32", 1, {11}, d252}},
    {"u64(x)", 1, {{"x", "u16", 1, {11}, d252}}, {"r", "u64", 1, {11}, d252}},
    {"bool(x)", 1, {{"x", "u16", 1, {11}, d252}}, {"r", "bool", 1, {11}, d189}},
    {"x + y", 2, {{"x", "u32", 1, {49}, d256}, {"y", "u32", 1, {49}, d257}}, {"r", "u32", 1, {49}, d503}},
    {"x - y", 2, {{"x", "u32", 1, {49}, d256}, {"y", "u32", 1, {49}, d257}}, {"r", "u32", 1, {49}, d504}},
    {"x * y", 2, {{"x", "u32", 1, {49}, d256}, {"y", "u32", 1, {49}, d257}}, {"r", "u32", 1, {49}, d505}},
    {"x // y", 2, {{"x", "u32", 1, {49}, d256}, {"y", "u32", 1, {49}, d257}}, {"r", "u32", 1, {49}, d506}},
    {"x % y", 2, {{"x", "u32", 1, {49}, d256}, {"y", "u32", 1, {49}, d257}}, {"r", "u32", 1, {49}, d185}},
    {"x == y", 2, {{"x", "u32", 1, {49}, d256}, {"y", "u32", 1, {49}, d257}}, {"r", "bool", 1, {49}, d368}},
    {"x != y", 2, {{"x", "u32", 1, {49}, d256}, {"y", "u32", 1, {49}, d257}}, {"r", "bool", 1, {49}, d369}},
    {"x < y", 2, {{"x", "u32", 1, {49}, d256}, {"y", "u32", 1, {49}, d257}}, {"r", "bool", 1, {49}, d370}},
    {"x <= y", 2, {{"x", "u32", 1, {49}, d256}, {"y", "u32", 1, {49}, d257}}, {"r", "bool", 1, {49}, d371}},
    {"x > y", 2, {{"x", "u32", 1, {49}, d256}, {"y", "u32", 1, {49}, d257}}, {"r", "bool", 1, {49}, d372}},
    {"x >= y", 2, {{"x", "u32", 1, {49}, d256}, {"y", "u32", 1, {49}, d257}}, {"r", "bool", 1, {49}, d373}},
    {"x ** y", 2, {{"x", "u32", 1, {49}, d256}, {"y", "u32", 1, {49}, d257}}, {"r", "u32", 1, {49}, d507}},
    {"min(x, y)", 2, {{"x", "u32", 1, {49}, d256}, {"y", "u32", 1, {49}, d257}}, {"r", "u32", 1, {49}, d258}},
    {"max(x, y)", 2, {{"x", "u32", 1, {49}, d256}, {"y", "u32", 1, {49}, d257}}, {"r", "u32", 1, {49}, d259}},
    {"where(x != y, x, y)", 2, {{"x", "u32", 1, {49}, d256}, {"y", "u32", 1, {49}, d257}}, {"r", "u32", 1, {49}, d256}},
    {"clamp(x, 1, 3)", 1, {{"x", "u32", 1, {11}, d263}}, {"r", "u32", 1, {11}, d375}},
    {"max(x, axis=1)", 1, {{"x", "u32", 2, {4, 11}, d508}}, {"r", "u32", 1, {4}, d509}},
    {"min(x, axis=0)", 1, {{"x", "u32", 2, {4, 11}, d508}}, {"r", "u32", 1, {11}, d378}},
    {"argmax(x, axis=1)", 1, {{"x", "u32", 2, {4, 11}, d508}}, {"r", "i64", 1, {4}, d379}},
    {"argmin(x, axis=1)", 1, {{"x", "u32", 2, {4, 11}, d508}}, {"r", "i64", 1, {4}, d380}},
    {"sort(x)", 1, {{"x", "u32", 1, {11}, d263}}, {"r", "u32", 1, {11}, d510}},
    {"argsort(x)", 1, {{"x", "u32", 1, {11}, d263}}, {"r", "i64", 1, {11}, d382}},
    {"sum(x, axis=1)", 1, {{"x", "u32", 2, {4, 11}, d508}}, {"r", "u32", 1, {4}, d511}},
    {"sum(x, axis=1)", 1, {{"x", "u32", 2, {4, 0}, d384}}, {"r", "u32", 1, {4}, d385}},
    {"prod(x, axis=1)", 1, {{"x", "u32", 2, {4, 0}, d384}}, {"r", "u32", 1, {4}, d386}},
    {"cumsum(x, axis=1)", 1, {{"x", "u32", 2, {4, 0}, d384}}, {"r", "u32", 2, {4, 0}, d384}},
    {"sort(x)", 1, {{"x", "u32", 2, {4, 0}, d384}}, {"r", "u32", 2, {4, 0}, d384}},
    {"cumsum(x, axis=1)", 1, {{"x", "u32", 2, {4, 11}, d508}}, {"r", "u32", 2, {4, 11}, d512}},
    {"prod(x, axis=1)", 1, {{"x", "u32", 2, {4, 3}, d513}}, {"r", "u32", 1, {4}, d514}},
    {"f16(x)", 1, {{"x", "u32", 1, {11}, d263}}, {"r", "f16", 1, {11}, d500}},
    {"bf16(x)", 1, {{"x", "u32", 1, {11}, d263}}, {"r", "bf16", 1, {11}, d515}},
    {"f32(x)", 1, {{"x", "u32", 1, {11}, d263}}, {"r", "f32", 1, {11}, d515}},
    {"f64(x)", 1, {{"x", "u32", 1, {11}, d263}}, {"r", "f64", 1, {11}, d516}},
    {"u8(x)", 1, {{"x", "u32", 1, {11}, d263}}, {"r", "u8", 1, {11}, d186}},
    {"i8(x)", 1, {{"x", "u32", 1, {11}, d263}}, {"r", "i8", 1, {11}, d274}},
    {"i32(x)", 1, {{"x", "u32", 1, {11}, d263}}, {"r", "i32", 1, {11}, d274}},
    {"i64(x)", 1, {{"x", "u32", 1, {11}, d263}}, {"r", "i64", 1, {11}, d263}},
    {"i16(x)", 1, {{"x", "u32", 1, {11}, d263}}, {"r", "i16", 1, {11}, d274}},
    {"u16(x)", 1, {{"x", "u32", 1, {11}, d263}}, {"r", "u16", 1, {11}, d252}},
    {"u64(x)", 1, {{"x", "u32", 1, {11}, d263}}, {"r", "u64", 1, {11}, d263}},
    {"bool(x)", 1, {{"x", "u32", 1, {11}, d263}}, {"r", "bool", 1, {11}, d189}},
    {"x + y", 2, {{"x", "u64", 1, {49}, d267}, {"y", "u64", 1, {49}, d268}}, {"r", "u64", 1, {49}, d517}},
    {"x - y", 2, {{"x", "u64", 1, {49}, d267}, {"y", "u64", 1, {49}, d268}}, {"r", "u64", 1, {49}, d518}},
    {"x * y", 2, {{"x", "u64", 1, {49}, d267}, {"y", "u64", 1, {49}, d268}}, {"r", "u64", 1, {49}, d519}},
    {"x // y", 2, {{"x", "u64", 1, {49}, d267}, {"y", "u64", 1, {49}, d268}}, {"r", "u64", 1, {49}, d520}},
    {"x % y", 2, {{"x", "u64", 1, {49}, d267}, {"y", "u64", 1, {49}, d268}}, {"r", "u64", 1, {49}, d251}},
    {"x == y", 2, {{"x", "u64", 1, {49}, d267}, {"y", "u64", 1, {49}, d268}}, {"r", "bool", 1, {49}, d368}},
    {"x != y", 2, {{"x", "u64", 1, {49}, d267}, {"y", "u64", 1, {49}, d268}}, {"r", "bool", 1, {49}, d369}},
    {"x < y", 2, {{"x", "u64", 1, {49}, d267}, {"y", "u64", 1, {49}, d268}}, {"r", "bool", 1, {49}, d370}},
    {"x <= y", 2, {{"x", "u64", 1, {49}, d267}, {"y", "u64", 1, {49}, d268}}, {"r", "bool", 1, {49}, d371}},
    {"x > y", 2, {{"x", "u64", 1, {49}, d267}, {"y", "u64", 1, {49}, d268}}, {"r", "bool", 1, {49}, d372}},
    {"x >= y", 2, {{"x", "u64", 1, {49}, d267}, {"y", "u64", 1, {49}, d268}}, {"r", "bool", 1, {49}, d373}},
    {"x ** y", 2, {{"x", "u64", 1, {49}, d267}, {"y", "u64", 1, {49}, d268}}, {"r", "u64", 1, {49}, d521}},
    {"min(x, y)", 2, {{"x", "u64", 1, {49}, d267}, {"y", "u64", 1, {49}, d268}}, {"r", "u64", 1, {49}, d269}},
    {"max(x, y)", 2, {{"x", "u64", 1, {49}, d267}, {"y", "u64", 1, {49}, d268}}, {"r", "u64", 1, {49}, d270}},
    {"where(x != y, x, y)", 2, {{"x", "u64", 1, {49}, d267}, {"y", "u64", 1, {49}, d268}}, {"r", "u64", 1, {49}, d267}},
    {"clamp(x, 1, 3)", 1, {{"x", "u64", 1, {11}, d274}}, {"r", "u64", 1, {11}, d375}},
    {"max(x, axis=1)", 1, {{"x", "u64", 2, {4, 11}, d522}}, {"r", "u64", 1, {4}, d523}},
    {"min(x, axis=0)", 1, {{"x", "u64", 2, {4, 11}, d522}}, {"r", "u64", 1, {11}, d378}},
    {"argmax(x, axis=1)", 1, {{"x", "u64", 2, {4, 11}, d522}}, {"r", "i64", 1, {4}, d379}},
    {"argmin(x, axis=1)", 1, {{"x", "u64", 2, {4, 11}, d522}}, {"r", "i64", 1, {4}, d380}},
    {"sort(x)", 1, {{"x", "u64", 1, {11}, d274}}, {"r", "u64", 1, {11}, d524}},
    {"argsort(x)", 1, {{"x", "u64", 1, {11}, d274}}, {"r", "i64", 1, {11}, d382}},
    {"sum(x, axis=1)", 1, {{"x", "u64", 2, {4, 11}, d522}}, {"r", "u64", 1, {4}, d511}},
    {"sum(x, axis=1)", 1, {{"x", "u64", 2, {4, 0}, d384}}, {"r", "u64", 1, {4}, d385}},
    {"prod(x, axis=1)", 1, {{"x", "u64", 2, {4, 0}, d384}}, {"r", "u64", 1, {4}, d386}},
    {"cumsum(x, axis=1)", 1, {{"x", "u64", 2, {4, 0}, d384}}, {"r", "u64", 2, {4, 0}, d384}},
    {"sort(x)", 1, {{"x", "u64", 2, {4, 0}, d384}}, {"r", "u64", 2, {4, 0}, d384}},
    {"cumsum(x, axis=1)", 1, {{"x", "u64", 2, {4, 11}, d522}}, {"r", "u64", 2, {4, 11}, d512}},
    {"prod(x, axis=1)", 1, {{"x", "u64", 2, {4, 3}, d525}}, {"r", "u64", 1, {4}, d526}},
    {"f16(x)", 1, {{"x", "u64", 1, {11}, d274}}, {"r", "f16", 1, {11}, d500}},
    {"bf16(x)", 1, {{"x", "u64", 1, {11}, d274}}, {"r", "bf16", 1, {11}, d527}},
    {"f32(x)", 1, {{"x", "u64", 1, {11}, d274}}, {"r", "f32", 1, {11}, d527}},
    {"f64(x)", 1, {{"x", "u64", 1, {11}, d274}}, {"r", "f64", 1, {11}, d527}},
    {"u8(x)", 1, {{"x", "u64", 1, {11}, d274}}, {"r", "u8", 1, {11}, d186}},
    {"i8(x)", 1, {{"x", "u64", 1, {11}, d274}}, {"r", "i8", 1, {11}, d274}},
    {"i32(x)", 1, {{"x", "u64", 1, {11}, d274}}, {"r", "i32", 1, {11}, d274}},
    {"i64(x)", 1, {{"x", "u64", 1, {11}, d274}}, {"r", "i64", 1, {11}, d274}},
    {"i16(x)", 1, {{"x", "u64", 1, {11}, d274}}, {"r", "i16", 1, {11}, d274}},
    {"u16(x)", 1, {{"x", "u64", 1, {11}, d274}}, {"r", "u16", 1, {11}, d252}},
    {"u32(x)", 1, {{"x", "u64", 1, {11}, d274}}, {"r", "u32", 1, {11}, d263}},
    {"bool(x)", 1, {{"x", "u64", 1, {11}, d274}}, {"r", "bool", 1, {11}, d189}},
    {"softmax(x)", 1, {{"x", "f32", 2, {7, 3}, d528}}, {"r", "f32", 2, {7, 3}, d529}},
    {"log_softmax(x)", 1, {{"x", "f32", 2, {7, 3}, d528}}, {"r", "f32", 2, {7, 3}, d530}},
    {"logsumexp(x)", 1, {{"x", "f32", 2, {7, 3}, d528}}, {"r", "f32", 1, {7}, d531}},
    {"mean(x, axis=1)", 1, {{"x", "f32", 2, {7, 3}, d528}}, {"r", "f32", 1, {7}, d532}},
    {"max_pool(x, 2)", 1, {{"x", "f32", 3, {1, 8, 1}, d533}}, {"r", "f32", 3, {1, 4, 1}, d534}},
    {"softmax(x)", 1, {{"x", "f64", 2, {7, 3}, d528}}, {"r", "f64", 2, {7, 3}, d535}},
    {"log_softmax(x)", 1, {{"x", "f64", 2, {7, 3}, d528}}, {"r", "f64", 2, {7, 3}, d536}},
    {"logsumexp(x)", 1, {{"x", "f64", 2, {7, 3}, d528}}, {"r", "f64", 1, {7}, d537}},
    {"mean(x, axis=1)", 1, {{"x", "f64", 2, {7, 3}, d528}}, {"r", "f64", 1, {7}, d532}},
    {"max_pool(x, 2)", 1, {{"x", "f64", 3, {1, 8, 1}, d533}}, {"r", "f64", 3, {1, 4, 1}, d534}},
    {"any(x, axis=1)", 1, {{"x", "bool", 2, {3, 2}, d538}}, {"r", "bool", 1, {3}, d539}},
    {"any(x, axis=1)", 1, {{"x", "bool", 2, {3, 0}, d384}}, {"r", "bool", 1, {3}, d540}},
    {"all(x, axis=1)", 1, {{"x", "bool", 2, {3, 2}, d538}}, {"r", "bool", 1, {3}, d541}},
    {"all(x, axis=1)", 1, {{"x", "bool", 2, {3, 0}, d384}}, {"r", "bool", 1, {3}, d542}},
    {"sum(x, axis=1)", 1, {{"x", "bool", 2, {3, 2}, d538}}, {"r", "i64", 1, {3}, d543}},
    {"sum(x, axis=1)", 1, {{"x", "bool", 2, {3, 0}, d384}}, {"r", "i64", 1, {3}, d540}},
    {"gather(x, i)", 2, {{"x", "f32", 2, {3, 2}, d544}, {"i", "i32", 1, {0}, d384}}, {"r", "f32", 2, {0, 2}, d301}},
    {"scatter_add(x, i, u)", 3, {{"x", "f32", 2, {3, 2}, d544}, {"i", "i32", 1, {0}, d384}, {"u", "f32", 2, {0, 2}, d301}}, {"r", "f32", 2, {3, 2}, d544}},
    {"scatter_set(x, i, u)", 3, {{"x", "f32", 2, {3, 2}, d544}, {"i", "i32", 1, {0}, d384}, {"u", "f32", 2, {0, 2}, d301}}, {"r", "f32", 2, {3, 2}, d544}},
    {"scatter_set(x, i, u)", 3, {{"x", "f32", 2, {3, 0}, d301}, {"i", "i32", 1, {2}, d545}, {"u", "f32", 2, {2, 0}, d301}}, {"r", "f32", 2, {3, 0}, d301}},
    {"scatter_mul(x, i, u)", 3, {{"x", "f32", 2, {3, 2}, d544}, {"i", "i32", 1, {0}, d384}, {"u", "f32", 2, {0, 2}, d301}}, {"r", "f32", 2, {3, 2}, d544}},
    {"scatter_mul(x, i, u)", 3, {{"x", "f32", 2, {3, 0}, d301}, {"i", "i32", 1, {2}, d545}, {"u", "f32", 2, {2, 0}, d301}}, {"r", "f32", 2, {3, 0}, d301}},
    {"scatter_max(x, i, u)", 3, {{"x", "f32", 2, {3, 2}, d544}, {"i", "i32", 1, {0}, d384}, {"u", "f32", 2, {0, 2}, d301}}, {"r", "f32", 2, {3, 2}, d544}},
    {"scatter_max(x, i, u)", 3, {{"x", "f32", 2, {3, 0}, d301}, {"i", "i32", 1, {2}, d545}, {"u", "f32", 2, {2, 0}, d301}}, {"r", "f32", 2, {3, 0}, d301}},
    {"scatter_min(x, i, u)", 3, {{"x", "f32", 2, {3, 2}, d544}, {"i", "i32", 1, {0}, d384}, {"u", "f32", 2, {0, 2}, d301}}, {"r", "f32", 2, {3, 2}, d544}},
    {"scatter_min(x, i, u)", 3, {{"x", "f32", 2, {3, 0}, d301}, {"i", "i32", 1, {2}, d545}, {"u", "f32", 2, {2, 0}, d301}}, {"r", "f32", 2, {3, 0}, d301}},
    {"segment_max(x, at, 3)", 2, {{"x", "f32", 2, {4, 2}, d546}, {"at", "i32", 1, {4}, d547}}, {"r", "f32", 2, {3, 2}, d548}},
    {"segment_min(x, at, 3)", 2, {{"x", "f32", 2, {4, 2}, d546}, {"at", "i32", 1, {4}, d547}}, {"r", "f32", 2, {3, 2}, d549}},
    {"segment_prod(x, at, 3)", 2, {{"x", "f32", 2, {4, 2}, d546}, {"at", "i32", 1, {4}, d547}}, {"r", "f32", 2, {3, 2}, d550}},
    {"scatter_set(x, at, u)", 3, {{"x", "f32", 2, {3, 2}, d551}, {"at", "i32", 1, {4}, d547}, {"u", "f32", 2, {4, 2}, d546}}, {"r", "f32", 2, {3, 2}, d552}},
    {"concat([x, y])", 2, {{"x", "f32", 2, {0, 2}, d301}, {"y", "f32", 2, {2, 2}, d303}}, {"r", "f32", 2, {2, 2}, d303}},
    {"one_hot(i, 3)", 1, {{"i", "i32", 1, {0}, d384}}, {"r", "f32", 2, {0, 3}, d301}},
    {"mean(x, axis=0)", 1, {{"x", "f32", 2, {3, 0}, d301}}, {"r", "f32", 1, {0}, d301}},
    {"softmax(x)", 1, {{"x", "f32", 2, {0, 3}, d301}}, {"r", "f32", 2, {0, 3}, d301}},
    {"x @ y", 2, {{"x", "f32", 2, {2, 0}, d301}, {"y", "f32", 2, {0, 3}, d301}}, {"r", "f32", 2, {2, 3}, d551}},
};
