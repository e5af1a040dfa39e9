import { createFloatColumn, createIndexColumn } from '../../shared/native/columns.js';
import { addressPrefix } from '../../shared/visitor/address-prefix.js';
import { cut } from '../../shared/visitor/cut.js';
import type { Places } from '../../shared/visitor/place.js';
import { preferredLanguage } from '../../shared/visitor/preferred-language.js';
import type { VisitorIdentification } from '../../shared/visitor/visitor-identity.js';
import type { Agent, AgentColumns } from './agent-columns.js';
import { type ColumnGroup, DerivedColumns } from './batch-columns.js';
import { BatchSubjects, type Subject } from './batch-subjects.js';
import type { HitSlot } from './hit-slot.js';
import { known } from './storable-text.js';

export interface VisitorColumnsDeps {
  readonly identify: VisitorIdentification;
  readonly places: Places;
}

/** Who and where the visitor is. The full address ends here. */
export interface VisitorColumns
  extends ColumnGroup<'visitor' | 'language' | 'latitude' | 'longitude' | keyof AddressTexts> {
  /** Adds a row. Returns the visitor's user agent. */
  add(slot: HitSlot): Agent;
}

interface AddressTexts {
  readonly ip_address: string;
  readonly country: string;
  readonly region: string;
  readonly city: string;
}

interface AddressFacts {
  readonly texts: AddressTexts;
  readonly latitude: number;
  readonly longitude: number;
  /** Who came from there last: most addresses have one visitor, so that it takes no look-up to know who comes again. */
  readonly latest: Visitor;
}

interface Visitor {
  agent: Agent | undefined;
  language: Subject<string> | undefined;
  /** The halves of the visitor's hash. */
  upper: number;
  lower: number;
}

const ADDRESS_COLUMNS = ['ip_address', 'country', 'region', 'city'] as const;
const MAX_AGENT_LENGTH = 2048;
const MAX_LANGUAGE_LENGTH = 128;
/** No browser sends more; all of it would be remembered. */
const MAX_ACCEPTED_LENGTH = 1_024;
const HEX_DIGITS_OF_HALF = 8;

/** @param agents where user agents are known */
export function createVisitorColumns(
  { identify, places }: VisitorColumnsDeps,
  agents: Pick<AgentColumns, 'agentOf'>,
): VisitorColumns {
  const addressTexts = new DerivedColumns(ADDRESS_COLUMNS);
  const addressRows = createIndexColumn();
  const [latitudes, longitudes] = [createFloatColumn(), createFloatColumn()];
  const hashes = createIndexColumn();
  const languageTexts = new DerivedColumns(['language']);
  const languageRows = createIndexColumn();

  const learnAddress = (address: string): AddressFacts => {
    const { country, region, city, latitude = 0, longitude = 0 } = places.placeOf(address);
    const texts = {
      ip_address: addressPrefix(address),
      country: known(country),
      region: known(region),
      city: known(city),
    };
    const latest = { agent: undefined, language: undefined, upper: 0, lower: 0 };
    return { texts, latitude, longitude, latest };
  };
  const addresses = new BatchSubjects(learnAddress, ({ facts }) => addressTexts.add(facts.texts));
  const languages = new BatchSubjects(
    (accepted) => cut(preferredLanguage(accepted), MAX_LANGUAGE_LENGTH),
    ({ facts }) => languageTexts.add({ language: facts }),
  );

  const agentOf = (address: string, userAgent: string, latest: Visitor): Agent => {
    const kept = cut(userAgent, MAX_AGENT_LENGTH);
    if (latest.agent?.text === kept) return latest.agent;
    const visitorId = identify(address, kept);
    latest.upper = Number.parseInt(visitorId.slice(0, HEX_DIGITS_OF_HALF), 16);
    latest.lower = Number.parseInt(visitorId.slice(HEX_DIGITS_OF_HALF), 16);
    latest.agent = agents.agentOf(kept);
    return latest.agent;
  };

  const languageOf = (accepted: string, latest: Visitor) => {
    if (latest.language?.text !== accepted) latest.language = languages.of(accepted);
    return latest.language;
  };

  return {
    add(slot) {
      const address = addresses.of(slot.address);
      addressRows.push(addresses.numberOf(address));
      const { latest, latitude, longitude } = address.facts;
      latitudes.push(latitude);
      longitudes.push(longitude);
      const agent = agentOf(slot.address, slot.userAgent, latest);
      hashes.push(latest.lower);
      hashes.push(latest.upper);
      languageRows.push(languages.numberOf(languageOf(wholeRanges(slot.acceptLanguage), latest)));
      return agent;
    },
    writers: {
      visitor: (writer) => writer.numbers(hashes.numbers()),
      latitude: (writer) => writer.numbers(new Float32Array(latitudes.numbers())),
      longitude: (writer) => writer.numbers(new Float32Array(longitudes.numbers())),
      ...addressTexts.writers(() => addressRows.numbers()),
      ...languageTexts.writers(() => languageRows.numbers()),
    },
    textBytes: () => languageTexts.byteLength,
    clear() {
      const parts = [addresses, addressTexts, addressRows, latitudes, longitudes, hashes];
      for (const part of [...parts, languages, languageTexts, languageRows]) part.clear();
    },
  };
}

/** An `Accept-Language` within its bound: of a longer one the first ranges, none of them cut. */
function wholeRanges(acceptLanguage: string): string {
  if (acceptLanguage.length <= MAX_ACCEPTED_LENGTH) return acceptLanguage;
  const first = cut(acceptLanguage, MAX_ACCEPTED_LENGTH);
  return first.slice(0, Math.max(0, first.lastIndexOf(',')));
}
