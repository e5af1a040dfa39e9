import type { Attribute, SingleTextAttribute, TextAttribute } from './attributes.js';
import type { Visitor } from './visitor.js';

/** Reads one text of a visitor; undefined when it is not known. */
export type TextReader = (visitor: Visitor) => string | undefined;

/** Reads all texts that a visitor has of an attribute; none when it is not known. */
export type TextsReader = (visitor: Visitor) => readonly string[];

/** How each attribute is read that is one text. */
export const READERS: Readonly<Record<SingleTextAttribute, TextReader>> = {
  country: (visitor) => visitor.country(),
  region: (visitor) => visitor.region(),
  city: (visitor) => visitor.city(),
  device_type: (visitor) => visitor.deviceType(),
  device_brand: (visitor) => visitor.deviceBrand(),
  device_model: (visitor) => visitor.deviceModel(),
  browser_name: (visitor) => visitor.browserName(),
  browser_version: (visitor) => visitor.browserVersion(),
  os_name: (visitor) => visitor.osName(),
  os_version: (visitor) => visitor.osVersion(),
  referrer: (visitor) => visitor.referrer(),
  language: (visitor) => visitor.language(),
  url_path: (visitor) => visitor.urlPath(),
  user_agent: (visitor) => visitor.userAgent(),
};

export const readReferrerDomains: TextsReader = (visitor) => visitor.referrerDomains();

/** How an attribute is read of which a visitor can have several texts; undefined for others. */
export function textsReader(attribute: Attribute, param: string): TextsReader | undefined {
  if (attribute === 'referrer_domain') return readReferrerDomains;
  return attribute === 'query_param' ? (visitor) => visitor.queryValues(param) : undefined;
}

/** Whether a visitor has one text of `attribute`, or none. */
export function isSingleText(attribute: string): attribute is SingleTextAttribute {
  return Object.hasOwn(READERS, attribute);
}

/** Whether a hit has one text of `attribute`, or none. */
export function isTextAttribute(attribute: string): attribute is TextAttribute {
  return isSingleText(attribute) || attribute === 'referrer_domain';
}
