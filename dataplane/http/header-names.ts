/**
 * Names of the headers that are read, as bytes. The addon copies a name that is a string before each look-up. That
 * takes 83 ns for an absent header and 80 ns for `Host`, instead of 34 ns and 55 ns. A `Buffer` takes 4 ns longer than
 * an `ArrayBuffer`, because the addon looks for the memory behind it.
 */
export const HEADER = {
  acceptLanguage: bytesOf('accept-language'),
  contentLength: bytesOf('content-length'),
  cookie: bytesOf('cookie'),
  host: bytesOf('host'),
  purpose: bytesOf('purpose'),
  referer: bytesOf('referer'),
  secPurpose: bytesOf('sec-purpose'),
  transferEncoding: bytesOf('transfer-encoding'),
  userAgent: bytesOf('user-agent'),
  via: bytesOf('via'),
  xForwardedFor: bytesOf('x-forwarded-for'),
  xMoz: bytesOf('x-moz'),
} as const;

function bytesOf(name: string): ArrayBuffer {
  return Uint8Array.from(Buffer.from(name)).buffer;
}
