#include "test/kernels/emulated/wipes.h"
namespace gpuctr::emulated {
Wipes wipes;
}
