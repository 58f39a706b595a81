/* <direct.h> without its mkdir(), which has no parameter for the mode. */
#ifndef WINDOWS_INCLUDE_DIRECT_H
#define WINDOWS_INCLUDE_DIRECT_H

#define mkdir mkdir_without_mode
#include_next <direct.h>
#undef mkdir

#endif
