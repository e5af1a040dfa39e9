import { cut } from '../../shared/visitor/cut.js';

const SURROGATE = /[\ud800-\udfff]/;
const LONE_SURROGATES = /\p{Surrogate}/gu;
/** Maximum length of texts derived from the visitor (places, devices, versions, domains), in UTF-16 units. */
const MAX_DERIVED_LENGTH = 255;

/** Cuts `text` to `maxLength` UTF-16 units. Lone surrogates, which have no UTF-8 form, become U+FFFD. */
export function storable(text: string, maxLength: number): string {
  const bounded = cut(text, maxLength);
  return SURROGATE.test(bounded) ? bounded.replace(LONE_SURROGATES, '\ufffd') : bounded;
}

/** Returns a derived text within its limit; empty if there is none. Blocks turn lone surrogates into U+FFFD anyway. */
export function known(derived: string | undefined): string {
  return derived === undefined ? '' : cut(derived, MAX_DERIVED_LENGTH);
}
