/**
 * Written by the encoder of format 5: producer `old1`, sequence 1, no hits. Redirect `r1` has 5 requests. Its rule 12 has 4
 * hits of variant `a`, its rule 13 has one hit.
 */
export const FORMAT_5_BATCH: Uint8Array = Buffer.from(
  'V01IQgUABG9sZDE/8AAAAAAAAD/wAAAAAAAAAAAAAAAAAABCejGFxQAAAAAAABAAAnIxBQAAAgwBYQQCDQABZXm4fQ==',
  'base64',
);
