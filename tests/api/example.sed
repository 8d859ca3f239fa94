# The example that opens dtgc.h, as C.
/^ \*   #include <dtgc.h>/,/^ \*   }$/{
s/^ \*//
s/^   //
p
}
