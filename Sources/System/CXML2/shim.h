#pragma once
// What may be NULL is in CXML2.apinotes.
// Debian's libxml2 is built with ICU and its headers include ICU's own, which differ from those inside Swift's Foundation: one program
// cannot import both. Only the private fields of xmlCharEncodingHandler depend on it, and nothing here touches those.
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED
#include <libxml/HTMLparser.h>
#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>

// The version of the library that runs, such as "20914"; a macro in some versions.
static inline const char *_Nonnull cxml2_version(void) { return xmlParserVersion; }
