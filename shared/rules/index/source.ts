import {
  ATTRIBUTES,
  type Attribute,
  type ClockAttribute,
  isClockAttribute,
  SINGLE_TEXTS,
  type SingleTextAttribute,
  type TextReader,
  type Visitor,
} from '../attributes.js';
import { canonicalVersion } from '../conditions/version.js';
import { readReferrerDomains } from '../read-attribute.js';
import type { RuleCondition } from '../rule-definition.js';
import { timeZoneKey } from '../time-zone.js';
import type { Key } from './requirement.js';

/** A value of the visitor that is looked up in an index. */
export type Source = SingleSource | SeveralSource;

interface Named {
  readonly attribute: Attribute;
  /** Unique among sources. */
  readonly name: string;
  /** Length of the texts that `read` keeps in memory; absent if it keeps none. */
  readonly keptLength?: number;
}

/** A source with at most one value per visitor. */
interface SingleSource extends Named {
  readonly kind: 'one';
  readonly read: (visitor: Visitor) => Key | undefined;
}

/** A source that can have several values. `any` or `all` of them must satisfy. */
interface SeveralSource extends Named {
  readonly kind: 'any' | 'all';
  readonly read: (visitor: Visitor) => readonly Key[];
}

/**
 * Returns the source of a condition.
 *
 * @param isNegative whether the operator is negative, which needs all of several values
 */
type SourceOf = (condition: RuleCondition, isNegative: boolean) => Source;

/** Caches the sources of query parameters, because creating one takes longer than the rest of a lookup. */
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

/** Makes a new object each time: an index compares sources by name. */
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

const TEXT_READERS = Object.fromEntries(
  SINGLE_TEXTS.map((name) => [name, ATTRIBUTES[name].read]),
) as Readonly<Record<SingleTextAttribute, TextReader>>;

const SINGLE_READERS: Readonly<Record<SingleAttribute, SingleSource['read']>> = {
  ...TEXT_READERS,
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

/** Returns the texts that match a language: the whole tag and its primary subtag. */
function languageForms(visitor: Visitor): readonly string[] {
  const tag = visitor.language()?.toLowerCase();
  if (tag === undefined) return [];
  const end = tag.indexOf('-');
  return end === -1 ? [tag] : [tag, tag.slice(0, end)];
}

/** Compares two sources for sorting, the cheaper one first. */
export function byReadingCost(one: Source, other: Source): number {
  return ATTRIBUTES[one.attribute].cost - ATTRIBUTES[other.attribute].cost;
}
