/**
 * The texts of the request that is being answered, each read when it is first asked for. Empty is what the
 * request does not say.
 */
export interface RequestTexts {
  /** Returns the path as received. */
  path(): string;
  /** Returns the query as received, without its `?`. */
  query(): string;
  userAgent(): string;
  referrer(): string;
  /** `Accept-Language`. */
  acceptLanguage(): string;
  /** `Cookie`, all lines of it joined by `; `. */
  cookies(): string;
  /** The visitor's address in canonical form, as far as it can be believed. */
  address(): string;
}
