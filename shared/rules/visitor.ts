/**
 * Who asks, as rules see it. Each method is called only when some rule needs what it gives, and may be called
 * more than once; within one decision it always gives the same. What is not known is undefined, never empty.
 */
export interface Visitor {
  /** ISO 3166-1 alpha-2, upper-case. */
  country(): string | undefined;
  region(): string | undefined;
  city(): string | undefined;
  /** `mobile`, `tablet`, `desktop`, or another type as the parser of user agents names it. */
  deviceType(): string | undefined;
  deviceBrand(): string | undefined;
  deviceModel(): string | undefined;
  browserName(): string | undefined;
  browserVersion(): string | undefined;
  osName(): string | undefined;
  osVersion(): string | undefined;
  /** The whole `Referer`. */
  referrer(): string | undefined;
  /** Its host without `www.` and the domains above that down to the registrable one, lower-case; empty without any. */
  referrerDomains(): readonly string[];
  /** The tag of highest quality in `Accept-Language`, as sent. */
  language(): string | undefined;
  /** As on the wire, bytes beyond ASCII percent-encoded. */
  urlPath(): string | undefined;
  userAgent(): string | undefined;
  /** Canonical text: IPv4 dotted, IPv6 compressed and lower-case. */
  address(): string | undefined;
  /** The decoded values of a query parameter in their order; empty when it is not there. */
  queryValues(param: string): readonly string[];
  /**
   * 0 to 23.
   *
   * @param timeZone of the clock, as `timeZoneKey` gives it; UTC without
   */
  hourOfDay(timeZone?: string): number;
  /** 0 (Sunday) to 6; the parameter as above. */
  dayOfWeek(timeZone?: string): number;
  /** Unix time in milliseconds. */
  nowMs(): number;
  /** The value of a cookie. */
  cookie(name: string): string | undefined;
  /** Keyed hash of address and user agent, as in stored hits: 16 hexadecimal digits. */
  visitorId(): string;
  /**
   * A number drawn uniformly from [0, 1).
   *
   * @param seed of the draw; only visitors whose dice repeat look at it
   */
  draw(seed: number): number;
}
