/** Longer ids of producers and redirects make a batch malformed. UTF-16 units, as below. */
export const MAX_ID_LENGTH = 128;
/** Longer names of variants make a batch malformed: enough for the 100 characters a name may have. */
export const MAX_VARIANT_LENGTH = 200;
/** Maximum counters of a batch, of redirects and rules together. More make it malformed. */
export const MAX_BATCH_COUNTERS = 16_384;

/** Whether a text may name a producer or a redirect. */
export function isId(text: string): boolean {
  return text.length > 0 && text.length <= MAX_ID_LENGTH;
}
