// The tables of glyphs and look-alikes. Both are short; a linear search happens only at non-ASCII
// characters.
#include "frontend/Glyphs.h"

#include <algorithm>
#include <span>

namespace moac {
namespace {

constexpr Glyph glyphs[] = {
    {"ψ", "psi"},   {"ρ", "shape"},      {"ι", "iota"}, {"δ", "dim"},     {"τ", "total"},
    {"Ω", "omega"}, {"△", "take"},       {"▽", "drop"}, {"⌽", "reverse"}, {"⍉", "transpose"},
    {"•", "outer"}, {"×", "*"},          {"÷", "/"},    {"≤", "<="},      {"≥", ">="},
    {"≠", "!="},    {"\u2126", "omega"}, // the ohm sign, which some keyboards give for Ω
};

constexpr Glyph lookAlikes[] = {
    {"\u2212", "-"},  {"\u2013", "-"},   {"\u2014", "-"},  {"\u2217", "*"},   {"\u22C5", "*"},
    {"\u00B7", "*"},  {"\u2215", "/"},   {"\u2192", "->"}, {"\u2190", "="},   {"\u27E8", "<"},
    {"\u27E9", ">"},  {"\u2227", "and"}, {"\u2228", "or"}, {"\u00AC", "not"}, {"\u2206", "△"},
    {"\u0394", "△"},  {"\u2207", "▽"},   {"\u03C0", "pi"}, {"\u221E", "inf"}, {"\u03C9", "omega"},
    {"\u2374", "ρ"},  {"\u2373", "ι"},   {"\u2191", "△"},  {"\u2193", "▽"},  {"\u2218", "•"},
    {"\u2296", "⌽"},  {"\u29B8", "⍉"},   {"\u2308", "max"}, {"\u230A", "min"}, {"\u2211", "sum"},
    {"\u220F", "prod"}, {"\u00AF", "-"},
    {"\u201C", "\""}, {"\u201D", "\""},  {"\u00A0", ""},   {"\u2003", ""},    {"\u202F", ""},
    {"\u3000", ""},
};

const Glyph *find(std::span<const Glyph> table, std::string_view text) {
  for (const Glyph &entry : table)
    if (text.starts_with(entry.glyph))
      return &entry;
  return nullptr;
}

} // namespace

const Glyph *findGlyph(std::string_view text) { return find(glyphs, text); }
std::string_view glyphFor(std::string_view word) {
  auto glyph = std::ranges::find(glyphs, word, &Glyph::word);
  return glyph == std::end(glyphs) ? word : glyph->glyph;
}

const Glyph *findLookAlike(std::string_view text) { return find(lookAlikes, text); }

} // namespace moac
