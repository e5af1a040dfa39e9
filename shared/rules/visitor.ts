/**
 * The visitor as rules see it. A method is called only when a rule needs its result. It may be called more than once and
 * returns the same result within one decision. Unknown values are undefined, never empty.
 */
export interface Visitor {
  /** ISO 3166-1 alpha-2, upper-case. */
  country(): string | undefined;
  region(): string | undefined;
  city(): string | undefined;
  /** `mobile`, `tablet`, `desktop`, or another type of the user agent parser. */
  deviceType(): string | undefined;
  deviceBrand(): string | undefined;
  deviceModel(): string | undefined;
  browserName(): string | undefined;
  browserVersion(): string | undefined;
  osName(): string | undefined;
  osVersion(): string | undefined;
  /** Returns the whole `Referer`. */
  referrer(): string | undefined;
  /**
   * Returns the referrer's host without `www.`, and its parent domains up to the registrable domain, lower-case. Empty
   * if there are none.
   */
  referrerDomains(): readonly string[];
  /** Returns the tag of highest quality in `Accept-Language`, as sent. */
  language(): string | undefined;
  /** Returns the path as received, with bytes beyond ASCII percent-encoded. */
  urlPath(): string | undefined;
  userAgent(): string | undefined;
  /** Canonical text: IPv4 dotted, IPv6 compressed and lower-case. */
  address(): string | undefined;
  /** Returns the decoded values of a query parameter in their order; empty if the query does not have it. */
  queryValues(param: string): readonly string[];
  /**
   * 0 to 23.
   *
   * @param timeZone key of the time zone, from `timeZoneKey`; UTC if absent
   */
  hourOfDay(timeZone?: string): number;
  /** 0 (Sunday) to 6. The parameter is that of `hourOfDay`. */
  dayOfWeek(timeZone?: string): number;
  /** Unix time in milliseconds. */
  nowMs(): number;
  /** The value of a cookie. */
  cookie(name: string): string | undefined;
  /** Keyed hash of address and user agent, as in stored hits: 16 hexadecimal digits. */
  visitorId(): string;
  /**
   * Returns a number drawn uniformly from [0, 1).
   *
   * @param seed of the draw; used only if the visitor's draws are repeatable
   */
  draw(seed: number): number;
}
