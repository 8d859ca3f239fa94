/* formats.c: see formats.h. */
#include "formats.h"
#include <string.h>

static const struct {
  const char *magic;
  size_t bytes;
  const char *text;
} formats[] = {{"PK\3\4", 4, ", a zip archive (.npz, .pt of PyTorch, .keras)"},
               {"\x89HDF\r\n\x1a\n", 8, ", HDF5 (.h5 of Keras)"},
               {"\x93NUMPY", 6, ", .npy"},
               {"GGUF", 4, ", GGUF"},
               {"\x1f\x8b", 2, ", gzip data (unpack it)"},
               {"\xfd"
                "7zXZ",
                5, ", xz data (unpack it)"},
               {"\x28\xb5\x2f\xfd", 4, ", zstd data (unpack it)"},
               {"BZh", 3, ", bzip2 data (unpack it)"},
               {"\x80\2", 2, ", a Python pickle (.pt of PyTorch, .pkl)"},
               {"\xff\xfe", 2, ", UTF-16 text (save it as UTF-8)"},
               {"\xfe\xff", 2, ", UTF-16 text (save it as UTF-8)"}};

const char *formats_text(const unsigned char *head, size_t n) {
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (n >= formats[i].bytes && !memcmp(head, formats[i].magic, formats[i].bytes))
      return formats[i].text;
  return "";
}
