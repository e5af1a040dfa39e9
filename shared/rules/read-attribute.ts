import type { Attribute } from './attributes.js';
import type { Visitor } from './visitor.js';

/** Reads all texts that a visitor has of an attribute; none when it is not known. */
export type TextsReader = (visitor: Visitor) => readonly string[];

export const readReferrerDomains: TextsReader = (visitor) => visitor.referrerDomains();

/** Returns how to read an attribute of which a visitor can have several texts; undefined for other attributes. */
export function textsReader(attribute: Attribute, param: string): TextsReader | undefined {
  if (attribute === 'referrer_domain') return readReferrerDomains;
  return attribute === 'query_param' ? (visitor) => visitor.queryValues(param) : undefined;
}
