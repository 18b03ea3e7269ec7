// The shared library takes all its code from the rooms; CMake wants one source of its own.
#include "fuseline/fuseline.h"
