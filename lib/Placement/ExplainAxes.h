//===- ExplainAxes.h - what each mesh axis holds, in words -----*- C++ -*-===//

#ifndef HOCKET_LIB_PLACEMENT_EXPLAINAXES_H
#define HOCKET_LIB_PLACEMENT_EXPLAINAXES_H

#include "dialects/Nn/Nn.h"
#include "hocket/Placement/Place.h"

namespace hocket::placement {

/// Axis, placement and sizes of each axis of the mesh; no causes.
std::vector<ExplainedAxis> axesOf(nn::LayoutAttr layout, nn::MeshAttr mesh);

} // namespace hocket::placement

#endif // HOCKET_LIB_PLACEMENT_EXPLAINAXES_H
