#include "lea_wide.inc"
lea_wide gpuctr_lea256, 32
