import { escapeForwarded } from '../ruleset/header-bytes.js';
import type { Attribute } from './attributes.js';

/**
 * A rule's text in the form in which visitors' texts of `attribute` come: domains in lower case, paths with bytes
 * beyond ASCII percent-encoded, all else as it is. Not for patterns of `regex`.
 */
export function comparableText(attribute: Attribute, text: string): string {
  switch (attribute) {
    case 'referrer_domain':
    case 'language':
      return text.toLowerCase();
    case 'url_path':
      return escapeForwarded(text);
    default:
      return text;
  }
}
