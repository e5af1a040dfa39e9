import { parseAddress } from '../visitor/address-text.js';
import { comparablePath } from '../visitor/comparable-path.js';
import { ATTRIBUTES, type Attribute } from './attributes.js';
import { canonicalVersion } from './conditions/version.js';

/**
 * Returns a rule's text in the form of visitors' texts of `attribute`: domains in lower case, paths as
 * {@link comparablePath} returns them, others unchanged. Not for patterns of `regex`.
 */
export function comparableText(attribute: Attribute, text: string): string {
  switch (attribute) {
    case 'referrer_domain':
    case 'language':
      return text.toLowerCase();
    case 'url_path':
      return comparablePath(text);
    default:
      return text;
  }
}

/** Returns a rule's text in the form that `equals` and `in` compare with visitors' texts. */
export function equalityText(attribute: Attribute, text: string): string {
  switch (ATTRIBUTES[attribute].type) {
    case 'ip':
      return parseAddress(text) ?? text;
    case 'version':
      return canonicalVersion(text);
    default:
      return comparableText(attribute, text);
  }
}
