import type { Attribute, Visitor } from './attributes.js';

/** Reads all texts of a visitor for an attribute; none if it is unknown. */
export type TextsReader = (visitor: Visitor) => readonly string[];

export const readReferrerDomains: TextsReader = (visitor) => visitor.referrerDomains();

/** Returns the reader of an attribute that can have several texts per visitor; undefined for other attributes. */
export function textsReader(attribute: Attribute, param: string): TextsReader | undefined {
  if (attribute === 'referrer_domain') return readReferrerDomains;
  return attribute === 'query_param' ? (visitor) => visitor.queryValues(param) : undefined;
}
