// The only test file that knows the source tree's path; see the header.
#include "tests/unit/model/LitmusFolder.h"

std::string moac::model::test::litmusFolder() { return MOAC_LITMUS_FOLDER; }
