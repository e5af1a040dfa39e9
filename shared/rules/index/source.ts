import { type Attribute, type ClockAttribute, isClockAttribute } from '../attributes.js';
import { canonicalVersion } from '../conditions/version.js';
import { READERS, readReferrerDomains } from '../read-attribute.js';
import type { RuleCondition } from '../rule-definition.js';
import { timeZoneKey } from '../time-zone.js';
import type { Visitor } from '../visitor.js';
import type { Key } from './requirement.js';

/** What is looked up of a visitor. */
export type Source = SingleSource | SeveralSource;

interface Named {
  readonly attribute: Attribute;
  /** Tells it from other sources. */
  readonly name: string;
  /** Characters of the texts that it needs for reading; absent where it needs none. */
  readonly keptLength?: number;
}

/** Something of which a visitor has one, or none. */
interface SingleSource extends Named {
  readonly kind: 'one';
  readonly read: (visitor: Visitor) => Key | undefined;
}

/** Something of which a visitor can have several: `any` of them has to satisfy, or `all` of them. */
interface SeveralSource extends Named {
  readonly kind: 'any' | 'all';
  readonly read: (visitor: Visitor) => readonly Key[];
}

/**
 * Gives what a condition looks up.
 *
 * @param isNegative whether it is of an operator that needs all of several values
 */
type SourceOf = (condition: RuleCondition, isNegative: boolean) => Source;

/** All conditions on the same query parameter have one source then: to make it takes longer than all else of a lookup. */
export function rememberSources(): SourceOf {
  const positive = new Map<string, Source>();
  const negative = new Map<string, Source>();
  return ({ attribute, param = '', timezone }, isNegative) => {
    if (attribute === 'language') return isNegative ? ALL_LANGUAGES : ANY_LANGUAGE;
    if (attribute === 'referrer_domain') return isNegative ? ALL_DOMAINS : ANY_DOMAIN;
    if (isClockAttribute(attribute)) return clockSource(attribute, timeZoneKey(timezone));
    if (attribute !== 'query_param') return SINGLE_SOURCES[attribute];
    const made = isNegative ? negative : positive;
    const known = made.get(param);
    if (known !== undefined) return known;
    const source = paramSource(isNegative ? 'all' : 'any', param);
    made.set(param, source);
    return source;
  };
}

function paramSource(kind: SeveralSource['kind'], param: string): Source {
  return {
    kind,
    attribute: 'query_param',
    name: `${kind} query_param ${param}`,
    read: (visitor) => visitor.queryValues(param),
  };
}

/** Sources of one name are the same to an index, so that they need not be the same object. */
function clockSource(attribute: ClockAttribute, timeZone: string | undefined): Source {
  if (timeZone === undefined) return SINGLE_SOURCES[attribute];
  const read: SingleSource['read'] =
    attribute === 'hour_of_day'
      ? (visitor) => visitor.hourOfDay(timeZone)
      : (visitor) => visitor.dayOfWeek(timeZone);
  return { kind: 'one', attribute, name: `${attribute} ${timeZone}`, keptLength: timeZone.length, read };
}

function languageSource(kind: SeveralSource['kind']): Source {
  return { kind, attribute: 'language', name: `${kind} language`, read: languageForms };
}

const ANY_LANGUAGE = languageSource('any');
const ALL_LANGUAGES = languageSource('all');

function domainSource(kind: SeveralSource['kind']): Source {
  return { kind, attribute: 'referrer_domain', name: `${kind} referrer_domain`, read: readReferrerDomains };
}

const ANY_DOMAIN = domainSource('any');
const ALL_DOMAINS = domainSource('all');

type SingleAttribute = Exclude<Attribute, 'query_param' | 'language' | 'referrer_domain'>;

const SINGLE_READERS: Readonly<Record<SingleAttribute, SingleSource['read']>> = {
  ...READERS,
  hour_of_day: (visitor) => visitor.hourOfDay(),
  day_of_week: (visitor) => visitor.dayOfWeek(),
  ip_address: (visitor) => visitor.address(),
  browser_version: (visitor) => canonicalOrNone(visitor.browserVersion()),
  os_version: (visitor) => canonicalOrNone(visitor.osVersion()),
};

const SINGLE_SOURCES = Object.fromEntries(
  Object.entries(SINGLE_READERS).map(([name, read]) => [name, { kind: 'one', attribute: name, name, read }]),
) as Readonly<Record<SingleAttribute, SingleSource>>;

function canonicalOrNone(version: string | undefined): string | undefined {
  return version === undefined ? undefined : canonicalVersion(version);
}

/** The texts by which a language can be named: the whole tag, and its primary subtag. */
function languageForms(visitor: Visitor): readonly string[] {
  const tag = visitor.language()?.toLowerCase();
  if (tag === undefined) return [];
  const end = tag.indexOf('-');
  return end === -1 ? [tag] : [tag, tag.slice(0, end)];
}

/**
 * Attributes from those that cost least to read: the clock and what lies in the request as it is, then what has to
 * be searched in it, then what it takes a database or a parser to know.
 */
const READING_ORDER: Readonly<Record<Attribute, number>> = {
  hour_of_day: 0,
  day_of_week: 1,
  url_path: 2,
  user_agent: 3,
  referrer: 4,
  ip_address: 5,
  language: 6,
  query_param: 7,
  referrer_domain: 8,
  country: 9,
  region: 10,
  city: 11,
  device_type: 12,
  device_brand: 13,
  device_model: 14,
  browser_name: 15,
  browser_version: 16,
  os_name: 17,
  os_version: 18,
};

/** For sorting: those that cost less to read come first. */
export function byReadingCost(one: Source, other: Source): number {
  return READING_ORDER[one.attribute] - READING_ORDER[other.attribute];
}
