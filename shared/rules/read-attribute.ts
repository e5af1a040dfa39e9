import type { TextAttribute } from './attributes.js';
import type { Visitor } from './visitor.js';

/** Reads one text of a visitor; undefined when it is not known. */
export type TextReader = (visitor: Visitor) => string | undefined;

/** How each text attribute is read. */
export const READERS: Readonly<Record<TextAttribute, TextReader>> = {
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
  referrer_domain: (visitor) => visitor.referrerDomain(),
  language: (visitor) => visitor.language(),
  url_path: (visitor) => visitor.urlPath(),
  user_agent: (visitor) => visitor.userAgent(),
};

/** Whether a visitor has one text of `attribute`, or none. */
export function isTextAttribute(attribute: string): attribute is TextAttribute {
  return Object.hasOwn(READERS, attribute);
}
