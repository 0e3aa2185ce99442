//===- Svg.cpp - an attention as an image ---------------------------------===//
//
// Queries down, keys across. A strip at each side says which ranks have the
// queries of a row and the keys of a column; in a ring the colour of a square
// is the hop in which it is computed, else the ranks that compute it.
//
//===----------------------------------------------------------------------===//

#include "hocket/Drawing/Picture.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>

using namespace hocket;
using namespace hocket::drawing;

namespace {

struct Colour {
  double red, green, blue;

  std::string text() const {
    char text[8];
    std::snprintf(text, sizeof text, "#%02x%02x%02x", int(red), int(green),
                  int(blue));
    return text;
  }
  Colour towards(Colour other, double part) const {
    auto between = [&](double a, double b) { return a + (b - a) * part; };
    return {between(red, other.red), between(green, other.green),
            between(blue, other.blue)};
  }
};

constexpr Colour kWhite{255, 255, 255}, kGrey{150, 150, 150};

/// Ten that are told apart easily; beyond, paler ones.
Colour ownerColour(int owner) {
  static constexpr std::array<Colour, 10> list = {{{78, 121, 167},
                                                   {242, 142, 43},
                                                   {89, 161, 79},
                                                   {225, 87, 89},
                                                   {118, 183, 178},
                                                   {176, 122, 161},
                                                   {237, 201, 72},
                                                   {156, 117, 95},
                                                   {255, 157, 167},
                                                   {108, 112, 196}}};
  if (owner < 0)
    return kGrey;
  Colour colour = list[owner % list.size()];
  return colour.towards(kWhite,
                        std::min(0.2 * double(owner / list.size()), 0.6));
}

/// Dark to light, as hops go: blue, green, yellow.
Colour hopColour(int hop, size_t hops) {
  static constexpr std::array<Colour, 4> stops = {
      {{59, 60, 140}, {38, 130, 142}, {90, 190, 100}, {245, 210, 50}}};
  if (hop < 0)
    return kGrey;
  double at = hops > 1 ? double(hop) / double(hops - 1) * 3 : 0;
  size_t stop = std::min<size_t>(size_t(at), 2);
  return stops[stop].towards(stops[stop + 1], at - double(stop));
}

std::string escaped(const std::string &text) {
  std::string result;
  for (char c : text)
    result += c == '&'   ? "&amp;"
              : c == '<' ? "&lt;"
              : c == '>' ? "&gt;"
              : c == '"' ? "&quot;"
                         : std::string(1, c);
  return result;
}

/// "12.5", without zeros at the end.
std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  std::string result = text;
  while (result.back() == '0')
    result.pop_back();
  if (result.back() == '.')
    result.pop_back();
  return result;
}

class Image {
public:
  Image(const Attention &attention, int64_t head, int64_t width)
      : attention(attention), picture(pictureOf(attention, head, width)) {
    int64_t longest =
        std::max<int64_t>({picture.rows, picture.columns, int64_t(1)});
    side = kPlot / double(longest);
  }
  std::string text();

private:
  static constexpr double kPlot = 512, kLeft = 92, kStrip = 10, kGap = 4;
  static constexpr double kLine = 18, kMargin = 24;

  void rect(double x, double y, double width, double height, Colour colour);
  void label(double x, double y, const std::string &words,
             const char *kind = "", const char *anchor = "start");
  void heading();
  void squares();
  void strips();
  void ticks();
  void legend();
  void legendRow(Colour colour, const std::string &words);
  Colour colourOf(int64_t row, const Square &square) const;
  double right() const { return kLeft + side * double(picture.columns); }
  double bottom() const { return top + side * double(picture.rows); }

  const Attention &attention;
  const Picture picture;
  double side;           // of a square
  double top = 0;        // of the squares
  double legendLine = 0; // where the next one goes
  double reached = 0;    // by texts, to the right, as wide as fonts may be
  std::string body;
};

} // namespace

void Image::rect(double x, double y, double width, double height,
                 Colour colour) {
  body += "<rect x=\"" + number(x) + "\" y=\"" + number(y) + "\" width=\"" +
          number(width) + "\" height=\"" + number(height) + "\" fill=\"" +
          colour.text() + "\"/>\n";
}

void Image::label(double x, double y, const std::string &words,
                  const char *kind, const char *anchor) {
  body += "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\"";
  if (*kind)
    body += std::string(" class=\"") + kind + "\"";
  if (std::string(anchor) != "start")
    body += std::string(" text-anchor=\"") + anchor + "\"";
  body += ">" + escaped(words) + "</text>\n";
  double letter = std::string(kind) == "title"   ? 10.5
                  : std::string(kind) == "small" ? 6.8
                                                 : 8;
  if (std::string(anchor) == "start")
    reached = std::max(reached, x + letter * double(words.size()));
}

void Image::heading() {
  std::string title = titleOf(attention);
  size_t colon = title.find(": ", attention.name().size());
  double y = 28;
  label(kGap * 4, y, title.substr(0, colon), "title");
  std::vector<std::string> lines = {title.substr(colon + 2) + "; head " +
                                        std::to_string(picture.head),
                                    "queries " + attention.queryPlacement +
                                        "; keys " + attention.keyPlacement};
  for (const std::string &note : attention.notes)
    lines.push_back(note);
  for (const std::string &line : lines)
    label(kGap * 4, y += kLine, line);
  top = y + 62;
}

Colour Image::colourOf(int64_t row, const Square &square) const {
  Colour colour =
      attention.ring
          ? hopColour(square.hop, attention.ring->distances.size() + 1)
          : ownerColour(picture.rowOwners[row]);
  return square.seen == Seen::Some ? colour.towards(kWhite, 0.55) : colour;
}

/// Squares of one colour that are side by side are one rectangle.
void Image::squares() {
  body += "<g shape-rendering=\"crispEdges\">\n";
  rect(kLeft, top, right() - kLeft, bottom() - top, {246, 246, 246});
  for (int64_t row = 0; row < picture.rows; ++row)
    for (int64_t column = 0, end; column < picture.columns; column = end) {
      const Square &first = picture.at(row, column);
      for (end = column + 1; end < picture.columns; ++end) {
        const Square &next = picture.at(row, end);
        if (next.seen != first.seen || next.hop != first.hop)
          break;
      }
      if (first.seen != Seen::Nothing)
        rect(kLeft + side * double(column), top + side * double(row),
             side * double(end - column), side, colourOf(row, first));
    }
  body += "</g>\n";
}

/// Of owners, by rows and by columns; lines where they change.
void Image::strips() {
  auto draw = [&](const std::vector<int> &owners, auto place) {
    for (size_t begin = 0, end; begin < owners.size(); begin = end) {
      for (end = begin + 1;
           end < owners.size() && owners[end] == owners[begin];)
        ++end;
      if (owners[begin] != kNone)
        place(side * double(begin), side * double(end - begin),
              ownerColour(owners[begin]));
    }
  };
  body += "<g shape-rendering=\"crispEdges\">\n";
  draw(picture.rowOwners, [&](double at, double length, Colour colour) {
    rect(kLeft - kStrip - kGap, top + at, kStrip, length, colour);
  });
  draw(picture.columnOwners, [&](double at, double length, Colour colour) {
    rect(kLeft + at, top - kStrip - kGap, length, kStrip, colour);
  });
  body += "</g>\n<rect x=\"" + number(kLeft) + "\" y=\"" + number(top) +
          "\" width=\"" + number(right() - kLeft) + "\" height=\"" +
          number(bottom() - top) +
          "\" fill=\"none\" stroke=\"#555\" stroke-width=\"1\"/>\n";
}

/// Positions, about eight to a side, each at the begin of a square.
void Image::ticks() {
  int64_t every = 1;
  while (std::max(picture.rows, picture.columns) / every > 8)
    every *= 2;
  double before = kStrip + 2 * kGap;
  for (int64_t row = 0; row < picture.rows; row += every)
    label(kLeft - before, top + side * double(row) + 4,
          std::to_string(row * picture.size), "tick", "end");
  for (int64_t column = 0; column < picture.columns; column += every)
    label(kLeft + side * double(column), top - before,
          std::to_string(column * picture.size), "tick", "middle");
  label((kLeft + right()) / 2, top - before - 18, "keys", "axis", "middle");
  std::string x = number(20), y = number((top + bottom()) / 2);
  body += "<text class=\"axis\" text-anchor=\"middle\" x=\"" + x + "\" y=\"" +
          y + "\" transform=\"rotate(-90 " + x + " " + y +
          ")\">queries</text>\n";
}

void Image::legendRow(Colour colour, const std::string &words) {
  double x = right() + 28;
  rect(x, legendLine - 11, 14, 14, colour);
  label(x + 22, legendLine, words);
  legendLine += kLine;
}

void Image::legend() {
  constexpr size_t most = 16;
  legendLine = top + 8;
  auto heading = [&](const std::string &words) {
    label(right() + 28, legendLine, words, "axis");
    legendLine += kLine + 2;
  };
  heading("strips: who has it");
  for (size_t i = 0; i < std::min(attention.owners.size(), most); ++i) {
    const Owner &owner = attention.owners[i];
    legendRow(ownerColour(int(i)), ranksText(owner.ranks));
    label(right() + 50, legendLine - 3, ownedText(attention, owner), "small");
    legendLine += kLine - 2;
  }
  if (attention.owners.size() > most)
    heading("and " + std::to_string(attention.owners.size() - most) + " more");
  legendLine += 8;
  std::string size = std::to_string(picture.size);
  heading("squares of " + size + " by " + size);
  size_t hops = attention.ring ? attention.ring->distances.size() + 1 : 0;
  for (size_t hop = 0; hop < std::min(hops, most); ++hop)
    legendRow(hopColour(int(hop), hops), "hop " + std::to_string(hop) + ": " +
                                             hopText(*attention.ring, hop));
  if (hops > most)
    heading("and " + std::to_string(hops - most) + " more hops");
  if (hops)
    legendRow(kGrey, "several hops");
  else
    legendRow(ownerColour(attention.owners.empty() ? kNone : 0),
              "computed by the ranks of this colour");
  auto isShared = [](int owner) { return owner == kSeveral; };
  if (std::any_of(picture.rowOwners.begin(), picture.rowOwners.end(),
                  isShared) ||
      std::any_of(picture.columnOwners.begin(), picture.columnOwners.end(),
                  isShared))
    legendRow(kGrey, "several have a part");
  legendRow(kGrey.towards(kWhite, 0.55), "paler: some of it is seen");
  legendRow({246, 246, 246}, "nothing is seen");
}

std::string Image::text() {
  heading();
  squares();
  strips();
  ticks();
  legend();
  std::string width = number(std::max(right(), reached) + kMargin);
  std::string height = number(std::max(bottom(), legendLine) + kMargin);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + width +
         "\" height=\"" + height + "\" viewBox=\"0 0 " + width + " " + height +
         "\" role=\"img\">\n<title>" + escaped(titleOf(attention)) +
         "</title>\n<style>\n"
         "text { font: 13px sans-serif; fill: #222 }\n"
         ".title { font-size: 16px; font-weight: bold }\n"
         ".axis { font-weight: bold }\n"
         ".tick, .small { font-size: 11px; fill: #555 }\n"
         "</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n" +
         body + "</svg>\n";
}

std::string drawing::svgOf(const Attention &attention, int64_t head,
                           int64_t width) {
  return Image(attention, head, width).text();
}
