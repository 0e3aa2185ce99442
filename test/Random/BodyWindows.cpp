//===- BodyWindows.cpp - random convolutions, poolings, pads and crops ----===//

#include "Body.h"
#include <algorithm>

using namespace hocket::random;

static constexpr int64_t kMaxElements = 3000;

namespace {
/// How a window slides over one dim.
struct Slide {
  int64_t kernel = 1, stride = 1, dilation = 1, low = 0, high = 0, extra = 0;
  std::string border = "zero";

  int64_t span() const { return dilation * (kernel - 1) + 1; }
  int64_t results(int64_t extent) const {
    int64_t room = extent + low + high - span();
    return room < 0 ? 0 : room / stride + 1;
  }
  int64_t transposed(int64_t results) const {
    return (results - 1) * stride + span() + extra - low - high;
  }
  /// No window lies in the border as a whole, or between two of its taps.
  bool seesData(int64_t extent, int64_t windows) const {
    for (int64_t o = 0; o < windows; ++o) {
      bool sees = false;
      for (int64_t t = 0; t < kernel; ++t) {
        int64_t position = o * stride - low + dilation * t;
        sees |= position >= 0 && position < extent;
      }
      if (!sees)
        return false;
    }
    return true;
  }
  /// The border of that many positions has something to show.
  bool fits(int64_t extent) const {
    int64_t most = std::max(low, high);
    if (border == "reflect")
      return most < extent;
    return border == "zero" || (extent > 0 && most <= extent);
  }
};
using Slides = std::vector<Slide>;
} // namespace

static Slide drawSlide(Rng &rng) {
  Slide slide;
  slide.kernel = rng.chance(0.4) ? 3 : rng.between(1, 5);
  slide.stride = rng.chance(0.6) ? 1 : rng.between(2, 4);
  slide.dilation = rng.chance(0.75) ? 1 : rng.between(2, 3);
  if (rng.chance(0.5))
    slide.low = slide.high = rng.between(0, slide.span() / 2);
  else if (rng.chance(0.7)) {
    slide.low = rng.between(0, slide.span());
    slide.high = rng.between(0, slide.span());
  }
  return slide;
}

static std::string drawBorder(Rng &rng) {
  return rng.chance(0.4)
             ? "zero"
             : rng.oneOf<std::string>({"reflect", "replicate", "circular"});
}

/// One number for all dims, or a tuple.
template <class Read>
static std::string eachText(Rng &rng, const Slides &slides, Read read) {
  std::string first = read(slides.front()), all;
  bool isSame = true;
  for (const Slide &slide : slides) {
    isSame &= read(slide) == first;
    all += read(slide) + (slides.size() == 1 ? "," : ", ");
  }
  if (isSame && rng.chance(0.8))
    return first;
  return "(" + (slides.size() == 1 ? all : all.substr(0, all.size() - 2)) + ")";
}

static std::string numberText(Rng &rng, const Slides &slides,
                              int64_t Slide::*number) {
  return eachText(rng, slides, [&](const Slide &slide) {
    return std::to_string(slide.*number);
  });
}

static std::string paddingText(Rng &rng, const Slides &slides) {
  bool isEven =
      std::all_of(slides.begin(), slides.end(),
                  [](const Slide &slide) { return slide.low == slide.high; });
  if (isEven)
    return numberText(rng, slides, &Slide::low);
  std::string text;
  for (const Slide &slide : slides)
    text += "(" + std::to_string(slide.low) + ", " +
            std::to_string(slide.high) + "), ";
  return "(" + text.substr(0, text.size() - (slides.size() == 1 ? 1 : 2)) + ")";
}

static std::string windowText(Rng &rng, const Slides &slides) {
  return "kernel = " + numberText(rng, slides, &Slide::kernel) +
         ", stride = " + numberText(rng, slides, &Slide::stride) +
         ", padding = " + paddingText(rng, slides);
}

const Value *Body::pickGrid() {
  return pick([](const Value &v) {
    return v.element == Element::F32 && v.rank() >= 3 && v.rank() <= 5 &&
           v.magnitude < 1000;
  });
}

bool Body::tryConvolution() {
  const Value *x = pickGrid();
  if (!x)
    return false;
  bool isTransposed = !inChain && rng.chance(0.35);
  Value result = *x;
  Slides slides;
  int64_t taps = 1;
  for (size_t dim = 2; dim < x->rank(); ++dim) {
    Slide slide = drawSlide(rng);
    slide.border = drawBorder(rng);
    if (inChain && slide.border == "circular")
      slide.border = "replicate";
    if (isTransposed)
      slide.extra = rng.between(0, (slide.border == "zero"
                                        ? std::max(slide.stride, slide.dilation)
                                        : slide.stride) -
                                       1);
    int64_t size = isTransposed ? slide.transposed(x->shape[dim])
                                : slide.results(x->shape[dim]);
    if (size < 1 + slide.extra || size > 40 || // more than what lies behind
        !slide.fits(isTransposed ? size : x->shape[dim]))
      return false;
    result.shape[dim] = size;
    taps *= slide.kernel;
    slides.push_back(slide);
  }
  int64_t in = x->shape[1];
  int64_t groups = in > 1 && rng.chance(0.3) ? (rng.chance(0.5) ? in : 2) : 1;
  if (in % groups)
    return false;
  int64_t out = groups * rng.between(1, groups > 1 ? 2 : 4);
  result.shape[1] = out;
  if (result.elements() > kMaxElements)
    return false;
  std::string text =
      (isTransposed ? "ConvTranspose" : "Conv") +
      std::to_string(slides.size()) + "d(" + std::to_string(in) + ", " +
      std::to_string(out) + ", " + windowText(rng, slides) +
      ", dilation = " + numberText(rng, slides, &Slide::dilation) +
      ", border = " +
      eachText(rng, slides, [](const Slide &slide) { return slide.border; });
  if (groups > 1)
    text += ", groups = " + std::to_string(groups);
  if (isTransposed)
    text += ", output_padding = " + numberText(rng, slides, &Slide::extra);
  text += rng.chance(0.3) ? ", bias = false)" : ")";
  result.isExact = result.isPositive = false;
  result.magnitude = x->magnitude * 0.06 * in / groups * taps + 0.1;
  bind(member(text) + "(" + x->text + ")", result);
  return true;
}

bool Body::tryPooling() {
  const Value *x = pickGrid();
  if (!x)
    return false;
  bool isMax = rng.chance(0.5), roundsUp = rng.chance(0.25);
  Value result = *x;
  Slides slides;
  for (size_t dim = 2; dim < x->rank(); ++dim) {
    Slide slide = drawSlide(rng);
    if (!isMax)
      slide.dilation = 1;
    slide.low = std::min(slide.low, slide.span() / 2);
    slide.high = std::min(slide.high, slide.span() / 2);
    int64_t extent = x->shape[dim], size = slide.results(extent);
    int64_t rest = extent + slide.low + slide.high - slide.span();
    if (size < 1)
      return false;
    // A further window where it begins before the data's end.
    if (roundsUp && rest % slide.stride &&
        size * slide.stride < extent + slide.low)
      ++size;
    if (isMax && !slide.seesData(extent, size)) // the largest of nothing
      return false;
    result.shape[dim] = size;
    slides.push_back(slide);
  }
  if (result.elements() > kMaxElements)
    return false;
  std::string more =
      isMax ? ", dilation = " + numberText(rng, slides, &Slide::dilation) : "";
  if (roundsUp)
    more += ", ceil_mode = true";
  if (!isMax && rng.chance(0.4))
    more += ", count_include_pad = false";
  std::string dims = std::to_string(slides.size()) + "d(";
  std::string windows = windowText(rng, slides) + more + ")";
  result.isExact &= isMax;
  result.isPositive = false;
  if (rng.chance(0.5))
    bind(member((isMax ? "MaxPool" : "AvgPool") + dims + windows) + "(" +
             x->text + ")",
         result);
  else
    bind((isMax ? "max_pool" : "avg_pool") + dims + x->text + ", " + windows,
         result);
  return true;
}

bool Body::tryPad() {
  const Value *x = pick(
      [](const Value &v) { return v.rank() > 0 && v.element == Element::F32; });
  if (!x)
    return false;
  Value result = *x;
  size_t axis = rng.below(x->rank());
  int64_t extent = x->shape[axis];
  Slide slide;
  slide.border = drawBorder(rng);
  slide.low = rng.between(0, 4);
  slide.high = rng.between(0, 4);
  result.shape[axis] += slide.low + slide.high;
  if (!slide.fits(extent) || result.elements() > kMaxElements)
    return false;
  bool hasValue = slide.border == "zero" && rng.chance(0.3);
  result.isPositive &= slide.border != "zero";
  bind("pad(" + x->text + ", axis = " + std::to_string(axis) +
           ", before = " + std::to_string(slide.low) +
           ", after = " + std::to_string(slide.high) +
           (hasValue ? ", value = -1.5" : ", border = " + slide.border) + ")",
       result);
  return true;
}

bool Body::tryCrop() {
  const Value *x = pick([](const Value &v) {
    return v.rank() > 0 &&
           *std::max_element(v.shape.begin(), v.shape.end()) > 2;
  });
  if (!x)
    return false;
  size_t axis =
      std::max_element(x->shape.begin(), x->shape.end()) - x->shape.begin();
  Value result = *x;
  int64_t most = (x->shape[axis] - 1) / 2;
  int64_t before = rng.between(0, most), after = rng.between(0, most);
  result.shape[axis] -= before + after;
  bind("crop(" + x->text + ", axis = " + std::to_string(axis) + ", before = " +
           std::to_string(before) + ", after = " + std::to_string(after) + ")",
       result);
  return true;
}

/// A value joined with one that is as large or larger, cut to its size.
bool Body::tryCropEnd() {
  const Value *like = pickGrid();
  if (!like)
    return false;
  const Value *x = pick([&](const Value &v) {
    bool fits = v.element == Element::F32 && v.rank() == like->rank() &&
                v.text != like->text;
    for (size_t dim = 0; fits && dim < v.rank(); ++dim)
      fits = v.shape[dim] >= like->shape[dim];
    return fits;
  });
  if (!x)
    return false;
  Value result = *like;
  result.isExact = result.isPositive = false;
  result.magnitude += x->magnitude;
  bind(like->text + " + crop_end(" + x->text + ", like = " + like->text + ")",
       result);
  return true;
}
