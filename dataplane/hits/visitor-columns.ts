import { createFloatColumn, createIndexColumn } from '../../shared/native/columns.js';
import { addressPrefix } from '../../shared/visitor/address-prefix.js';
import { copyOf, cut } from '../../shared/visitor/cut.js';
import type { Places } from '../../shared/visitor/place.js';
import { preferredLanguage } from '../../shared/visitor/preferred-language.js';
import type { VisitorIdentification } from '../../shared/visitor/visitor-identity.js';
import type { Agent } from './agent-columns.js';
import { type ColumnWriters, DerivedColumns } from './batch-columns.js';
import { BatchSubjects, type Subject } from './batch-subjects.js';
import type { HitSlot } from './hit-slot.js';
import { MAX_AGENT_LENGTH, wholeRanges } from './hit-texts.js';
import { known } from './storable-text.js';

export interface VisitorColumnsDeps {
  readonly identify: VisitorIdentification;
  readonly places: Places;
}

interface AddressTexts {
  readonly ip_address: string;
  readonly country: string;
  readonly region: string;
  readonly city: string;
}

interface AddressFacts extends AddressTexts {
  readonly latitude: number;
  readonly longitude: number;
  /** Most addresses have one visitor, so this needs no look-up. */
  latest: Visitor | undefined;
  /** Earlier visitors. Offices and mobile networks have many behind one address. */
  earlier: Visitor[] | undefined;
  latestLanguage: Subject<string> | undefined;
}

interface Visitor {
  readonly agent: Agent;
  /** The halves of the visitor's hash. */
  readonly upper: number;
  readonly lower: number;
}

const ADDRESS_COLUMNS = ['ip_address', 'country', 'region', 'city'] as const;
const MAX_LANGUAGE_LENGTH = 128;
const HEX_DIGITS_OF_HALF = 8;
/** Maximum number of known visitors, per address and in all. Others are computed for each hit. */
const MAX_EARLIER_OF_ADDRESS = 16;
const MAX_EARLIER_VISITORS = 20_000;
/** Visitors with a longer user agent are not cached. Otherwise hostile headers could fill the memory. */
const MAX_REMEMBERED_AGENT_LENGTH = 512;
/** Maximum length of the cached user agents, in UTF-16 units. 40,000 of browsers have about 5 million. */
const MAX_REMEMBERED_AGENTS_LENGTH = 8 * 1024 * 1024;
/** A longer `Accept-Language` is parsed for each hit. Browsers send less. */
const MAX_REMEMBERED_LANGUAGE_LENGTH = 128;

/**
 * The visitor's identity and place. The full address is not stored.
 *
 * @param agentOf returns the known user agent of a text
 */
export function createVisitorColumns(
  { identify, places }: VisitorColumnsDeps,
  agentOf: (userAgent: string) => Agent,
) {
  const addressTexts = new DerivedColumns(ADDRESS_COLUMNS);
  const addressRows = createIndexColumn();
  const [latitudes, longitudes] = [createFloatColumn(), createFloatColumn()];
  const hashes = createIndexColumn();
  const languageTexts = new DerivedColumns(['language']);
  const languageRows = createIndexColumn();

  const learnAddress = (address: string): AddressFacts => {
    const { country, region, city, latitude = 0, longitude = 0 } = places.placeOf(address);
    return {
      ip_address: addressPrefix(address),
      country: known(country),
      region: known(region),
      city: known(city),
      latitude,
      longitude,
      latest: undefined,
      earlier: undefined,
      latestLanguage: undefined,
    };
  };
  const addresses = new BatchSubjects(learnAddress, ({ facts }) => addressTexts.add(facts));
  const languages = new BatchSubjects(
    (accepted) => cut(preferredLanguage(accepted), MAX_LANGUAGE_LENGTH),
    ({ facts }) => languageTexts.add({ language: facts }),
  );

  let earlierVisitors = 0;
  let agentsLength = 0;

  const learnVisitor = (address: string, agent: Agent): Visitor => {
    const visitorId = identify(address, agent.text);
    return {
      agent,
      upper: Number.parseInt(visitorId.slice(0, HEX_DIGITS_OF_HALF), 16),
      lower: Number.parseInt(visitorId.slice(HEX_DIGITS_OF_HALF), 16),
    };
  };

  /** Returns whether the visitor is cached now. */
  const keepEarlier = (facts: AddressFacts, visitor: Visitor): boolean => {
    facts.earlier ??= [];
    if (facts.earlier.includes(visitor)) return true;
    if (earlierVisitors === MAX_EARLIER_VISITORS || facts.earlier.length === MAX_EARLIER_OF_ADDRESS)
      return false;
    facts.earlier.push(visitor);
    earlierVisitors += 1;
    return true;
  };

  const visitorOf = ({ text: address, facts }: Subject<AddressFacts>, userAgent: string): Visitor => {
    const { latest, earlier } = facts;
    const kept = cut(userAgent, MAX_AGENT_LENGTH);
    if (latest?.agent.text === kept) return latest;
    const seen = earlier?.find(({ agent }) => agent.text === kept);
    const visitor = seen ?? learnVisitor(address, agentOf(kept));
    if (kept.length > MAX_REMEMBERED_AGENT_LENGTH) return visitor;
    if (seen === undefined) agentsLength += kept.length;
    if (latest !== undefined && !keepEarlier(facts, latest)) agentsLength -= latest.agent.text.length;
    facts.latest = visitor;
    return visitor;
  };

  const languageOf = ({ facts }: Subject<AddressFacts>, accepted: string): Subject<string> => {
    if (accepted.length > MAX_REMEMBERED_LANGUAGE_LENGTH)
      return languages.of(copyOf(preferredLanguage(accepted)));
    if (facts.latestLanguage?.text !== accepted) facts.latestLanguage = languages.of(accepted);
    return facts.latestLanguage;
  };

  return {
    /** Adds a row. Returns the visitor's user agent. */
    add(slot: HitSlot): Agent {
      const address = addresses.of(slot.address);
      addressRows.push(addresses.numberOf(address));
      const { facts } = address;
      latitudes.push(facts.latitude);
      longitudes.push(facts.longitude);
      const { agent, upper, lower } = visitorOf(address, slot.userAgent);
      hashes.push(lower);
      hashes.push(upper);
      languageRows.push(languages.numberOf(languageOf(address, wholeRanges(slot.acceptLanguage))));
      return agent;
    },
    writers: {
      visitor: (writer) => writer.numbers(hashes.numbers()),
      latitude: (writer) => writer.numbers(new Float32Array(latitudes.numbers())),
      longitude: (writer) => writer.numbers(new Float32Array(longitudes.numbers())),
      ...addressTexts.writers(() => addressRows.numbers()),
      ...languageTexts.writers(() => languageRows.numbers()),
    } satisfies ColumnWriters,
    textBytes: () => languageTexts.byteLength,
    clear() {
      const parts = [addresses, addressTexts, addressRows, latitudes, longitudes, hashes];
      for (const part of [...parts, languages, languageTexts, languageRows]) part.clear();
      if (earlierVisitors === MAX_EARLIER_VISITORS || agentsLength > MAX_REMEMBERED_AGENTS_LENGTH)
        addresses.forget();
      if (addresses.known > 0) return;
      earlierVisitors = 0;
      agentsLength = 0;
    },
  };
}
