const SURROGATE = /[\ud800-\udfff]/;
const LONE_SURROGATES = /\p{Surrogate}/gu;

/** `text` cut to `maxLength` UTF-16 units; lone surrogates, which have no UTF-8 form, become U+FFFD. */
export function storable(text: string, maxLength: number): string {
  const bounded = text.length > maxLength ? text.slice(0, maxLength) : text;
  return SURROGATE.test(bounded) ? bounded.replace(LONE_SURROGATES, '\ufffd') : bounded;
}
