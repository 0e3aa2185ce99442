//===- Messages.h - what a compilation says, in order ----------*- C++ -*-===//

#ifndef HOCKET_LIB_PIPELINE_MESSAGES_H
#define HOCKET_LIB_PIPELINE_MESSAGES_H

#include "hocket/Frontend/Diagnostic.h"
#include "hocket/Frontend/Edit.h"
#include "hocket/Pipeline/Message.h"

namespace hocket {

/// Those of the front end, with the ranges that it knows.
void addMessages(const syntax::DiagnosticEngine &diagnostics,
                 std::vector<Message> &messages);

/// What an error offers, with the places of its edits.
std::vector<Change> waysOut(const std::vector<syntax::Proposal> &proposals,
                            const syntax::Texts &texts);

/// Gives a place of which only the beginning is known its end in `text`: of the
/// word there, and where that is the first of its line, of the line without
/// blanks and a comment behind it.
void findEnd(std::string_view text, Place &place);

} // namespace hocket

#endif // HOCKET_LIB_PIPELINE_MESSAGES_H
