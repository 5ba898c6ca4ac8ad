// The entry of the loadable library through which the driver reaches the second reader.
#include "emitters/CReading.h"

/// Looked up by name after loading.
extern "C" moac::reading::CReader moac_c_reader() { return moac::reading::readC; }
