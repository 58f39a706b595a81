/* The only function of the C library of GNU that libgomp.a needs and musl lacks. Both libraries have
 * the same numbers for sysconf(). */
#include <unistd.h>

long __sysconf(int name);

long __sysconf(int name)
{
    return sysconf(name);
}
