import type { Visitor } from '../../shared/rules/attributes.js';
import { LocalTimes } from '../../shared/rules/local-times.js';
import type { ClickIds } from '../../shared/visitor/click-id.js';
import { comparablePath } from '../../shared/visitor/comparable-path.js';
import { cookieValue } from '../../shared/visitor/cookie-value.js';
import type { Device, DeviceDetection } from '../../shared/visitor/device.js';
import type { Place, Places } from '../../shared/visitor/place.js';
import { preferredLanguage } from '../../shared/visitor/preferred-language.js';
import { QueryParams } from '../../shared/visitor/query-params.js';
import { createReferrerDomains } from '../../shared/visitor/referrer-domain.js';
import { cachedByText } from '../../shared/visitor/text-cache.js';
import type { VisitorIdentification } from '../../shared/visitor/visitor-identity.js';
import type { RequestTexts } from './request-texts.js';

/** Sources of visitor attributes that the request does not contain. */
export interface VisitorSources {
  readonly detectDevice: DeviceDetection;
  readonly places: Places;
  readonly identify: VisitorIdentification;
  /** Ids of visits for redirects that append them to destinations. */
  readonly clickIds: ClickIds;
  /** Unix time in milliseconds. */
  readonly nowMs?: () => number;
  /** Uniform in [0, 1). */
  readonly random?: () => number;
}

const MAX_CACHED_LANGUAGES = 2_000;

/**
 * The visitor of the current request, as rules see it: one object for all requests. A class, so that objects share its
 * many methods and cached values are plain fields.
 */
export class RequestVisitor implements Visitor {
  private knownDevice: Device | undefined;
  private knownPlace: Place | undefined;
  private knownPath: string | undefined;
  private knownReferrerDomains: readonly string[] | undefined;
  private knownLanguage: string | undefined;
  private knownNowMs: number | undefined;
  private readonly params = new QueryParams();
  private readonly localTimes = new LocalTimes();
  private readonly domainsOf = createReferrerDomains();
  private readonly languageOf = cachedByText(preferredLanguage, MAX_CACHED_LANGUAGES);
  private readonly readClock: () => number;
  private readonly random: () => number;

  constructor(
    private readonly request: RequestTexts,
    private readonly sources: VisitorSources,
  ) {
    this.readClock = sources.nowMs ?? Date.now;
    // V8's xorshift128+, seeded by the system. It is uniform enough to split visitors, and the fastest source.
    this.random = sources.random ?? Math.random;
  }

  /** Prepares for the next request. Computed values are valid until then. */
  forget(): void {
    this.knownDevice = undefined;
    this.knownPlace = undefined;
    this.knownPath = undefined;
    this.knownReferrerDomains = undefined;
    this.knownLanguage = undefined;
    this.knownNowMs = undefined;
    this.params.forget();
  }

  country(): string | undefined {
    return this.place().country;
  }

  region(): string | undefined {
    return this.place().region;
  }

  city(): string | undefined {
    return this.place().city;
  }

  deviceType(): string | undefined {
    return this.device().type;
  }

  deviceBrand(): string | undefined {
    return this.device().brand;
  }

  deviceModel(): string | undefined {
    return this.device().model;
  }

  browserName(): string | undefined {
    return this.device().browserName;
  }

  browserVersion(): string | undefined {
    return this.device().browserVersion;
  }

  osName(): string | undefined {
    return this.device().osName;
  }

  osVersion(): string | undefined {
    return this.device().osVersion;
  }

  referrer(): string | undefined {
    return orUnknown(this.request.referrer());
  }

  referrerDomains(): readonly string[] {
    this.knownReferrerDomains ??= this.domainsOf(this.request.referrer());
    return this.knownReferrerDomains;
  }

  language(): string | undefined {
    this.knownLanguage ??= this.languageOf(this.request.acceptLanguage());
    return orUnknown(this.knownLanguage);
  }

  urlPath(): string | undefined {
    this.knownPath ??= comparablePath(this.request.path());
    return orUnknown(this.knownPath);
  }

  userAgent(): string | undefined {
    return orUnknown(this.request.userAgent());
  }

  address(): string | undefined {
    return orUnknown(this.request.address());
  }

  queryValues(param: string): readonly string[] {
    return this.params.values(this.request.query(), param);
  }

  hourOfDay(timeZone?: string): number {
    return this.localTimes.hourOfDay(this.nowMs(), timeZone);
  }

  dayOfWeek(timeZone?: string): number {
    return this.localTimes.dayOfWeek(this.nowMs(), timeZone);
  }

  nowMs(): number {
    this.knownNowMs ??= this.readClock();
    return this.knownNowMs;
  }

  cookie(name: string): string | undefined {
    return cookieValue(this.request.cookies(), name);
  }

  visitorId(): string {
    return this.sources.identify(this.request.address(), this.request.userAgent());
  }

  draw(): number {
    return this.random();
  }

  private device(): Device {
    this.knownDevice ??= this.sources.detectDevice(this.request.userAgent());
    return this.knownDevice;
  }

  private place(): Place {
    this.knownPlace ??= this.sources.places.placeOf(this.request.address());
    return this.knownPlace;
  }
}

function orUnknown(text: string): string | undefined {
  return text === '' ? undefined : text;
}
