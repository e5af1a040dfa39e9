/**
 * A batch that a data plane of format 5 has written: producer `old1`, sequence 1, no hits; redirect `r1` with 5 requests;
 * its rules 12, of variant `a` with 4 hits, and 13 with one.
 */
export const FORMAT_5_BATCH: Uint8Array = Buffer.from(
  'V01IQgUABG9sZDE/8AAAAAAAAD/wAAAAAAAAAAAAAAAAAABCejGFxQAAAAAAABAAAnIxBQAAAgwBYQQCDQABZXm4fQ==',
  'base64',
);
