#include "CFeedBaseline.h"
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/tree.h>
#include <string.h>

static void ignore_error(void *data, xmlErrorPtr error) {
  (void)data;
  (void)error;
}

int matinee_baseline_parse(const void *bytes, int count) {
  xmlParserCtxtPtr context = xmlCreateMemoryParserCtxt(bytes, count);
  if (context == NULL) return 0;
  memset(context->sax, 0, sizeof(xmlSAXHandler));
  context->sax->initialized = XML_SAX2_MAGIC;
  context->sax->serror = ignore_error;
  xmlCtxtUseOptions(context, XML_PARSE_NONET);
  xmlParseDocument(context);
  int is_well_formed = context->wellFormed;
  xmlFreeParserCtxt(context);
  return is_well_formed;
}

int matinee_baseline_tree(const void *bytes, int count) {
  xmlDocPtr document = xmlReadMemory(bytes, count, NULL, NULL, XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
  if (document == NULL) return 0;
  xmlFreeDoc(document);
  return 1;
}
