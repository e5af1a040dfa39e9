import type { Attribute, Visitor } from '../../../shared/rules/attributes.js';
import { LocalTimes } from '../../../shared/rules/local-times.js';
import type { QueryRecording } from '../../../shared/ruleset/redirect-definition.js';
import { comparablePath } from '../../../shared/visitor/comparable-path.js';
import { createDeviceDetection, type Device } from '../../../shared/visitor/device.js';
import { MASK } from '../../../shared/visitor/query-masking.js';
import { QueryParams } from '../../../shared/visitor/query-params.js';
import { createReferrerDomains } from '../../../shared/visitor/referrer-domain.js';
import type { Gap } from './gap.js';
import type { GroupColumn, VisitGroup } from './visit-group.js';

/** Length from which a stored path, query, referrer or user agent may have been cut. */
const CUT_LENGTH = 2_048;
/** Length from which a stored language may have been cut. */
const CUT_LANGUAGE_LENGTH = 128;

const NO_TEXTS: readonly string[] = [];

const NEITHER_DRAWN: Gap = { attribute: 'draw', reason: 'not_drawn' };
const NO_COOKIE: Gap = { attribute: 'cookie', reason: 'not_recorded' };
const NO_IDENTITY: Gap = { attribute: 'visitor', reason: 'not_recorded' };
const CUT_PATH: Gap = { attribute: 'url_path', reason: 'shortened', isPresent: true };
const CUT_AGENT: Gap = { attribute: 'user_agent', reason: 'shortened', isPresent: true };
const CUT_LANGUAGE: Gap = { attribute: 'language', reason: 'shortened', isPresent: true };
const CUT_ADDRESS: Gap = { attribute: 'ip_address', reason: 'shortened', isPresent: true };
const CUT_QUERY: Gap = { attribute: 'query_param', reason: 'shortened' };
const NO_QUERY: Gap = { attribute: 'query_param', reason: 'not_recorded' };
const MASKED_PARAM: Gap = { attribute: 'query_param', reason: 'masked', isPresent: true };
const CUT_REFERRER: Gap = { attribute: 'referrer', reason: 'shortened', isPresent: true };
const MASKED_REFERRER: Gap = { attribute: 'referrer', reason: 'masked', isPresent: true };

/** Columns that {@link StoredVisitor} reads for an attribute. Those of the clock need the time. */
export const COLUMNS_OF_ATTRIBUTE: Readonly<Record<Attribute, readonly GroupColumn[]>> = {
  country: ['country'],
  region: ['region'],
  city: ['city'],
  device_type: ['device_type', 'unparsed_agent'],
  device_brand: ['device_brand', 'unparsed_agent'],
  device_model: ['device_model', 'unparsed_agent'],
  browser_name: ['browser_name', 'unparsed_agent'],
  browser_version: ['browser_version', 'unparsed_agent'],
  os_name: ['os_name', 'unparsed_agent'],
  os_version: ['os_version', 'unparsed_agent'],
  referrer: ['referrer'],
  referrer_domain: ['referrer'],
  hour_of_day: [],
  day_of_week: [],
  language: ['language'],
  url_path: ['path'],
  query_param: ['query'],
  user_agent: ['user_agent'],
  ip_address: ['ip_address'],
};

/**
 * The visitor behind recorded visits, as rules see it. One object serves all groups. It records in `missed` when a rule
 * reads a fact that is not stored. The result is then invalid, because it treats the fact as absent.
 */
export class StoredVisitor implements Visitor {
  /** First fact that was read but is not stored; undefined if all read facts are stored. */
  missed: Gap | undefined;
  /** Whether the draws of the rule that asks are computed from stored facts: a rule without an id yet has others. */
  knowsDraws = true;
  private group!: VisitGroup;
  private recording: QueryRecording = 'full';
  private readonly params = new QueryParams();
  private readonly times = new LocalTimes();
  private readonly domainsOf = createReferrerDomains();
  private readonly detectDevice = createDeviceDetection();

  /**
   * @param cookieToken returns the value of the cookie that a rule gave for a variant
   * @param currentRecording `queryRecording` of the redirect, for hits that do not record it
   */
  constructor(
    private readonly cookieToken: (ruleId: number, variant: string) => string,
    private readonly currentRecording: QueryRecording,
  ) {}

  /** Selects the next group. */
  take(group: VisitGroup): void {
    this.group = group;
    this.recording = group.query_recording || this.currentRecording;
    this.missed = undefined;
    this.params.forget();
  }

  /** Recording of the query of the visits. */
  get queryRecording(): QueryRecording {
    return this.recording;
  }

  country(): string | undefined {
    return known(this.group.country);
  }

  region(): string | undefined {
    return known(this.group.region);
  }

  city(): string | undefined {
    return known(this.group.city);
  }

  deviceType(): string | undefined {
    return known(this.group.device_type) ?? this.unparsed()?.type;
  }

  deviceBrand(): string | undefined {
    return known(this.group.device_brand) ?? this.unparsed()?.brand;
  }

  deviceModel(): string | undefined {
    return known(this.group.device_model) ?? this.unparsed()?.model;
  }

  browserName(): string | undefined {
    return known(this.group.browser_name) ?? this.unparsed()?.browserName;
  }

  browserVersion(): string | undefined {
    return known(this.group.browser_version) ?? this.unparsed()?.browserVersion;
  }

  osName(): string | undefined {
    return known(this.group.os_name) ?? this.unparsed()?.osName;
  }

  osVersion(): string | undefined {
    return known(this.group.os_version) ?? this.unparsed()?.osVersion;
  }

  referrer(): string | undefined {
    return this.unless(this.referrerGap()) ? known(this.group.referrer) : undefined;
  }

  /** Masks and cuts leave the host of a referrer, unless the host itself is as long. */
  referrerDomains(): readonly string[] {
    return this.domainsOf(this.group.referrer ?? '');
  }

  language(): string | undefined {
    return this.unless(this.languageGap()) ? known(this.group.language) : undefined;
  }

  urlPath(): string | undefined {
    return this.unless(this.pathGap()) ? known(comparablePath(this.group.path ?? '')) : undefined;
  }

  userAgent(): string | undefined {
    return this.unless(this.agentGap()) ? known(this.group.user_agent) : undefined;
  }

  address(): string | undefined {
    this.unless(this.addressGap());
    return undefined;
  }

  queryValues(param: string): readonly string[] {
    return this.unless(this.paramGap(param)) ? this.params.values(this.group.query ?? '', param) : NO_TEXTS;
  }

  hourOfDay(timeZone?: string): number {
    return this.times.hourOfDay(this.group.timeMs, timeZone);
  }

  dayOfWeek(timeZone?: string): number {
    return this.times.dayOfWeek(this.group.timeMs, timeZone);
  }

  nowMs(): number {
    return this.group.timeMs;
  }

  /**
   * The deciding rule shows what its cookie was: no known cookie if it drew a variant, otherwise the cookie of the
   * variant. A rule that is not stored yet has given no cookie.
   */
  cookie(name: string): string | undefined {
    const ruleId = Number(name.slice('wm_'.length));
    if (ruleId < 0) return undefined;
    const { rule_id, variant, draw } = this.group;
    if (ruleId === rule_id && draw !== 0) return undefined;
    if (ruleId === rule_id && variant !== '') return this.cookieToken(ruleId, variant);
    this.missed ??= NO_COOKIE;
    return undefined;
  }

  visitorId(): string {
    if (!this.knowsDraws) this.missed ??= NO_IDENTITY;
    return this.group.visitor ?? '';
  }

  draw(): number {
    if (!this.group.draw) this.missed ??= NEITHER_DRAWN;
    return this.group.draw ?? 0;
  }

  /** Returns the missing part of an attribute; undefined if it is stored. */
  gapOf(attribute: Attribute, param = ''): Gap | undefined {
    switch (attribute) {
      case 'referrer':
        return this.referrerGap();
      case 'language':
        return this.languageGap();
      case 'url_path':
        return this.pathGap();
      case 'user_agent':
        return this.agentGap();
      case 'ip_address':
        return this.addressGap();
      case 'query_param':
        return this.paramGap(param);
      default:
        return undefined;
    }
  }

  /** The stored part of the address. */
  addressPrefix(): string {
    return this.group.ip_address ?? '';
  }

  /** Returns the missing part of the path and the whole query. */
  pathGap(): Gap | undefined {
    return isCut(this.group.path) ? CUT_PATH : undefined;
  }

  queryGap(): Gap | undefined {
    const { query = '' } = this.group;
    if (this.recording === 'none') return NO_QUERY;
    if (isCut(query)) return CUT_QUERY;
    return query.includes(MASK) ? MASKED_PARAM : undefined;
  }

  private unless(gap: Gap | undefined): boolean {
    if (gap !== undefined) this.missed ??= gap;
    return gap === undefined;
  }

  private referrerGap(): Gap | undefined {
    const { referrer = '' } = this.group;
    if (referrer === '') return undefined;
    if (isCut(referrer)) return CUT_REFERRER;
    return this.recording === 'none' || referrer.includes(MASK) ? MASKED_REFERRER : undefined;
  }

  private languageGap(): Gap | undefined {
    return (this.group.language ?? '').length >= CUT_LANGUAGE_LENGTH ? CUT_LANGUAGE : undefined;
  }

  private agentGap(): Gap | undefined {
    return isCut(this.group.user_agent) ? CUT_AGENT : undefined;
  }

  private addressGap(): Gap | undefined {
    return this.group.ip_address === '' ? undefined : CUT_ADDRESS;
  }

  private paramGap(param: string): Gap | undefined {
    const gap = this.queryGap();
    if (gap !== MASKED_PARAM) return gap;
    const values = this.params.values(this.group.query ?? '', param);
    return values.some((value) => value.includes(MASK)) ? MASKED_PARAM : undefined;
  }

  /** The data plane may have had no time to parse a user agent for statistics, though rules did. */
  private unparsed(): Device | undefined {
    const { unparsed_agent: agent = '' } = this.group;
    return agent === '' ? undefined : this.detectDevice(agent);
  }
}

function known(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

function isCut(text = ''): boolean {
  return text.length >= CUT_LENGTH;
}
