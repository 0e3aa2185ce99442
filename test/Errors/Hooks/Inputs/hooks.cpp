//===- hooks.cpp - functions that the cases of hooks name -----------------===//

#include "hocket/Hook.h"

HOCKET_HOOK(norm) { return call->input_count == 3 ? 0 : 1; }

HOCKET_HOOK(norm_grad) { return 0; }

HOCKET_HOOK(ring) { return 0; }

/// Not begun with HOCKET_HOOK.
extern "C" int plain(const hocket_call *call) { return call->abi; }
