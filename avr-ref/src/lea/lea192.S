#include "lea_wide.inc"
lea_wide gpuctr_lea192, 28
