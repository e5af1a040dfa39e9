import type { Visitor } from '../../../shared/rules/attributes.js';
import { drawOf } from '../../../shared/rules/choice/draw.js';
import { hostIn } from '../../../shared/rules/conditions/domain-operands.js';
import { LocalTimes } from '../../../shared/rules/local-times.js';
import { parseAddress } from '../../../shared/visitor/address-text.js';
import { comparablePath } from '../../../shared/visitor/comparable-path.js';
import { createDeviceDetection, type DeviceDetection } from '../../../shared/visitor/device.js';
import type { Places } from '../../../shared/visitor/place.js';
import { preferredLanguage } from '../../../shared/visitor/preferred-language.js';
import { queryValues } from '../../../shared/visitor/query-values.js';
import { createReferrerDomains, domainsOfHost } from '../../../shared/visitor/referrer-domain.js';
import {
  createVisitorIdentification,
  type VisitorIdentification,
} from '../../../shared/visitor/visitor-identity.js';
import { AppError } from '../../errors/app-error.js';
import type { RuleTestRequest, UserAttributes } from './rule-test-schema.js';

/** Lookups that derive facts about a visitor, as for real traffic. */
export interface VisitorInsight {
  readonly places: Places;
  readonly detectDevice: DeviceDetection;
  readonly referrerDomains: (referrer: string) => readonly string[];
  readonly identify: VisitorIdentification;
  readonly localTimes: LocalTimes;
}

/** @param secret the secret of the data planes, so choices by visitor are equal */
export function createVisitorInsight(places: Places, secret: Buffer): VisitorInsight {
  return {
    places,
    detectDevice: createDeviceDetection(),
    referrerDomains: createReferrerDomains(),
    identify: createVisitorIdentification(secret),
    localTimes: new LocalTimes(),
  };
}

/**
 * Returns the described visitor in the form that rules read. Missing facts are derived as for real traffic. The
 * visitor has no cookies. Random choices repeat if it has an id.
 *
 * @param now current time for the rules
 */
export function createTestedVisitor(
  { attributes: given, address, query, visitorId }: DescribedVisitor,
  { places, detectDevice, referrerDomains, identify, localTimes }: VisitorInsight,
  now: Date,
): Visitor {
  const place = places.placeOf(address ?? '');
  const device = detectDevice(given.user_agent ?? '');
  const domains =
    given.referrer_domain === undefined
      ? referrerDomains(given.referrer ?? '')
      : (domainsOfGiven(given.referrer_domain) ?? referrerDomains(given.referrer_domain));
  const language = preferredLanguage(given.language ?? '');
  return {
    country: () => told(given.country, place.country),
    region: () => told(given.region, place.region),
    city: () => told(given.city, place.city),
    deviceType: () => told(given.device_type, device.type),
    deviceBrand: () => told(given.device_brand, device.brand),
    deviceModel: () => told(given.device_model, device.model),
    browserName: () => told(given.browser_name, device.browserName),
    browserVersion: () => told(given.browser_version, device.browserVersion),
    osName: () => told(given.os_name, device.osName),
    osVersion: () => told(given.os_version, device.osVersion),
    referrer: () => told(given.referrer),
    referrerDomains: () => domains,
    language: () => told(language),
    urlPath: () => comparablePath(given.url_path ?? '/'),
    userAgent: () => told(given.user_agent),
    address: () => address,
    queryValues: (param) => queryValues(query, param),
    // A given hour or day applies to the clock of each condition, in any time zone.
    hourOfDay: (timeZone) => given.hour_of_day ?? localTimes.hourOfDay(now.getTime(), timeZone),
    dayOfWeek: (timeZone) => given.day_of_week ?? localTimes.dayOfWeek(now.getTime(), timeZone),
    nowMs: () => now.getTime(),
    cookie: () => undefined,
    visitorId: () => visitorId ?? identify(address ?? '', given.user_agent ?? ''),
    draw: (seed) => (visitorId === undefined ? Math.random() : drawOf(visitorId, seed)),
  };
}

/** Returns the domains of a referrer with the given host; undefined if it is not just a host. */
function domainsOfGiven(given: string): readonly string[] | undefined {
  const host = hostIn(given.trim());
  return host === undefined ? undefined : domainsOfHost(host);
}

/** Returns the given text, which is unknown when it is empty; without one, the derived text. */
function told(given: string | undefined, derived?: string): string | undefined {
  return given === undefined ? derived : given || undefined;
}

/** The visitor of a test, checked. */
export interface DescribedVisitor {
  readonly attributes: UserAttributes;
  /** Address in canonical form. */
  readonly address: string | undefined;
  /** Query string as a browser sends it; empty without parameters. */
  readonly query: string;
  /** Visitor whose random choices repeat; undefined for choices that do not repeat. */
  readonly visitorId: string | undefined;
}

/** @throws {AppError} VALIDATION_ERROR for an invalid address */
export function describedVisitor({ userAttributes, visitorId }: RuleTestRequest): DescribedVisitor {
  return {
    attributes: userAttributes,
    address: readAddress(userAttributes.ip_address, 'userAttributes.ip_address'),
    query: queryOf(userAttributes.query_params ?? {}),
    visitorId: userAttributes.visitorId ?? visitorId,
  };
}

/** @throws {AppError} VALIDATION_ERROR naming `field` */
export function readAddress(text: string | undefined, field: string): string | undefined {
  const address = text === undefined ? undefined : parseAddress(text);
  if (address !== undefined || text === undefined) return address;
  throw new AppError('VALIDATION_ERROR', {
    field,
    message: `${field} must be an IPv4 or IPv6 address without port or prefix length.`,
  });
}

function queryOf(params: NonNullable<UserAttributes['query_params']>): string {
  const query = new URLSearchParams();
  for (const [name, values] of Object.entries(params)) {
    for (const value of [values].flat()) query.append(name, value);
  }
  return query.toString();
}
