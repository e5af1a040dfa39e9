/** Maximum length of a producer or redirect id in UTF-16 units. A longer one makes a batch malformed. */
export const MAX_ID_LENGTH = 128;
/**
 * Maximum length of a variant's name in UTF-16 units. A longer one makes a batch malformed. A name has at most 100
 * characters.
 */
export const MAX_VARIANT_LENGTH = 200;
/** Maximum counters of a batch, for redirects and rules together. More counters make it malformed. */
export const MAX_BATCH_COUNTERS = 16_384;

/** Returns whether a text can be the id of a producer or a redirect. */
export function isId(text: string): boolean {
  return text.length > 0 && text.length <= MAX_ID_LENGTH;
}
