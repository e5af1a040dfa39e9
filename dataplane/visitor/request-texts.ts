/** The texts of the current request, each read on first use. Empty if the request does not have it. */
export interface RequestTexts {
  /** Returns the path as received. */
  path(): string;
  /** Returns the query as received, without its `?`. */
  query(): string;
  userAgent(): string;
  referrer(): string;
  /** `Accept-Language`. */
  acceptLanguage(): string;
  /** All lines of `Cookie`, joined by `; `. */
  cookies(): string;
  /** The visitor's address in canonical form, as far as it can be trusted. */
  address(): string;
}
