//===- Buckets.cpp - bucket lines, and whether they have an effect --------===//

#include "Locations.h"
#include "Placer.h"
#include "dialects/Nn/Program.h"
#include "dialects/Nn/Values.h"
#include "hocket/Placement/Expect.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

static std::string textOf(ArrayRef<std::string> axes) {
  return axes.size() == 1 ? axes.front() : "(" + llvm::join(axes, ", ") + ")";
}

void Placer::readBucket(sched::BucketOp bucket) {
  auto axes = readAxes(bucket, bucket.getOver());
  if (!axes || axes->empty())
    return;
  llvm::sort(*axes);
  for (const Bucket &other : buckets) {
    sched::BucketOp directive = other.directive;
    if (other.axes != *axes || directive.getWhat() != bucket.getWhat())
      continue;
    std::vector<std::string> names;
    for (unsigned axis : *axes)
      names.push_back(axisText(axis, mesh));
    problems
        .addAt(bucket, "two bucket lines for " + bucket.getWhat().str() +
                           " over " + textOf(names))
        .note(scheduleLine(directive->getLoc()), "the other line is here")
        .note("keep one of them");
    return;
  }
  buckets.push_back({bucket, *axes});
}

void Placer::checkBuckets() {
  for (const Bucket &bucket : buckets) {
    sched::BucketOp directive = bucket.directive;
    if (directive.getWhat() != "parameters")
      continue;
    bool isUsed = false;
    std::set<std::string> splitOver;
    for (const FsdpRequest &request : fsdpRequests) {
      SmallVector<unsigned, 2> axes(request.axes);
      llvm::sort(axes);
      isUsed |= axes == bucket.axes;
      std::vector<std::string> names;
      for (unsigned axis : axes)
        names.push_back(axisText(axis, mesh));
      splitOver.insert(textOf(names));
    }
    if (isUsed)
      continue;
    std::vector<std::string> names;
    for (unsigned axis : bucket.axes)
      names.push_back(axisText(axis, mesh));
    Problem &problem = problems.addAt(
        directive, "bucket parameters over " + textOf(names) +
                       " has no effect: no fsdp line splits parameters over " +
                       textOf(names));
    for (const std::string &axes : splitOver) {
      problem.note("there is fsdp over " + axes + "; name that here");
      problem.lines.front().over.push_back(axes);
    }
    if (splitOver.empty())
      problem.note("leave this line out, or write 'fsdp ** over " +
                   textOf(names) + "'");
  }
}

ArrayAttr Placer::bucketLimits() {
  Builder builder(module.getContext());
  SmallVector<Attribute> list;
  bool hasGradients = nn::gradientsOf(module) != nn::Gradients::None;
  for (const Bucket &bucket : buckets) {
    sched::BucketOp directive = bucket.directive;
    bool ofGradients = directive.getWhat() == "gradients";
    if (ofGradients && !hasGradients)
      continue;
    SmallVector<StringRef> names;
    for (unsigned axis : bucket.axes)
      names.push_back(mesh.getAxes()[axis].getName().getValue());
    int64_t bytes = directive.getBytes().convertToDouble();
    list.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("of", directive.getWhatAttr()),
         builder.getNamedAttr("axes", builder.getStrArrayAttr(names)),
         builder.getNamedAttr("bytes", builder.getI64IntegerAttr(bytes)),
         builder.getNamedAttr(
             "line", LocationAttr(scheduleLine(directive->getLoc())))}));
  }
  return builder.getArrayAttr(list);
}

LogicalResult placement::checkGradientBuckets(ModuleOp module) {
  ArrayAttr limits = nn::placementOf(module).getBuckets();
  std::set<std::set<std::string>> reduced;
  module.walk([&](nn::RedistributeOp op) {
    if (!op->hasAttr(nn::kBackward) ||
        (op.getKind() != RedistributeKind::AllReduce &&
         op.getKind() != RedistributeKind::ReduceScatter))
      return;
    std::set<std::string> axes;
    for (StringRef axis : op.getAxes().getAsValueRange<StringAttr>())
      axes.insert(axis.str());
    reduced.insert(std::move(axes));
  });
  Problems problems;
  for (auto limit : limits.getAsRange<DictionaryAttr>()) {
    if (limit.getAs<StringAttr>("of").getValue() != "gradients")
      continue;
    std::vector<std::string> names;
    for (StringRef axis :
         limit.getAs<ArrayAttr>("axes").getAsValueRange<StringAttr>())
      names.push_back(axis.str());
    if (reduced.count(std::set<std::string>(names.begin(), names.end())))
      continue;
    Problem &problem =
        problems.add(Location(cast<LocationAttr>(limit.get("line"))),
                     "bucket gradients over " + textOf(names) +
                         " has no effect: the backward reduces nothing over " +
                         textOf(names),
                     "");
    for (const std::set<std::string> &axes : reduced)
      problem.note("it reduces over " +
                   textOf(std::vector<std::string>(axes.begin(), axes.end())) +
                   "; name that here");
    if (reduced.empty())
      problem.advise("leave this line out");
  }
  problems.emit();
  return success(problems.empty());
}
