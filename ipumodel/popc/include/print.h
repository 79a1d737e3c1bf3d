/* printf for codelets. What they print goes to the stream that the program has
   set with Engine::setPrintStream. */
#pragma once

#ifdef __cplusplus
extern "C"
#endif
    int
    printf(const char *format, ...);
