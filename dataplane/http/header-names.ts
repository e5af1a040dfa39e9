/**
 * Names of the headers that are read, as bytes. The addon copies a name that is a string before each look-up. That
 * takes 83 ns for an absent header and 80 ns for `Host`, instead of 34 ns and 55 ns.
 */
export const HEADER = {
  acceptLanguage: Buffer.from('accept-language'),
  contentLength: Buffer.from('content-length'),
  cookie: Buffer.from('cookie'),
  host: Buffer.from('host'),
  purpose: Buffer.from('purpose'),
  referer: Buffer.from('referer'),
  secPurpose: Buffer.from('sec-purpose'),
  transferEncoding: Buffer.from('transfer-encoding'),
  userAgent: Buffer.from('user-agent'),
  via: Buffer.from('via'),
  xForwardedFor: Buffer.from('x-forwarded-for'),
  xMoz: Buffer.from('x-moz'),
} as const;
