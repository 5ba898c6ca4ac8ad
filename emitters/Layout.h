// Text patterns and line breaking, apart from any language.
//
// While text is put together it carries marks: places where a line may be broken, each with the
// depth of nesting at which it stands. A line that fits loses its marks; one that does not is
// broken at the marks of least depth, so that `a*b + c*d` breaks before the `+` and a call's
// arguments stay together when they can.
#ifndef MOAC_EMITTERS_LAYOUT_H
#define MOAC_EMITTERS_LAYOUT_H

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace moac::emit {

/// One hole's name and what fills it.
using Fill = std::pair<std::string_view, std::string>;

/// `pattern` with every {hole} replaced; a tab is a place for a break. A brace that opens no known
/// hole stands for itself. With a tab in the pattern, marks in the values sink one level.

std::string fill(std::string_view pattern, std::initializer_list<Fill> values);
/// The same for an operation's row: marks in the values sink one level, and the blanks before
/// operators and after commas of the pattern become marks.
std::string fillRow(std::string_view pattern, const std::vector<Fill> &values);
/// The items with `separator` and a break between each two; marks inside the items sink.
std::string join(const std::vector<std::string> &items, std::string_view separator);
/// A place for a break, of depth 0; prints as a blank.
std::string breakMark();
/// `text` with marks that are used when there are no others.
std::string lastBreaks(std::string_view text);
/// `text` with its marks printed as blanks.
std::string withoutMarks(std::string_view text);

/// Marked text as lines of at most `limit` columns where the marks allow it. `first` begins the
/// first line, `rest` the others (indentation included); `tail` ends every line but the last.
std::vector<std::string> breakLines(std::string_view text, std::string_view first,
                                    std::string_view rest, std::string_view tail, size_t limit);
/// Text without what a comment cannot hold safely: delimiters, trigraphs, line splices, control and
/// non-ASCII bytes.
std::string safeForComment(std::string_view text);
/// Plain prose, made safe, as lines broken at blanks, each beginning with `prefix`, later ones
/// `hang` columns further in.
std::vector<std::string> commentLines(std::string_view text, std::string_view prefix, size_t limit,
                                      size_t hang = 0);

} // namespace moac::emit

#endif
