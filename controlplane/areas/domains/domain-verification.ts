import { Resolver } from 'node:dns/promises';
import { LRUCache } from 'lru-cache';
import { proofDomainOf, zoneRecordName } from './domain-name.js';
import { lookUpTxt, type TxtLookup } from './txt-lookup.js';
import {
  type FoundRecord,
  meantValue,
  showRecords,
  type VerificationResult,
} from './verification-outcome.js';

export interface DomainVerifierOptions {
  /** `IP:port` of resolvers to ask instead of the system's. */
  readonly dnsServers?: readonly string[] | undefined;
  /** Wait for the first answer of one server; it doubles with each round through the servers. */
  readonly timeoutMs?: number;
  /** Rounds through all servers. */
  readonly tries?: number;
  /** Maximum duration of a whole check. */
  readonly checkTimeoutMs?: number;
  /** Whether names under `.localhost` need no proof. Default: they do not. */
  readonly allowLocalhost?: boolean;
}

/** The proof of a whole zone. */
export interface ExpectedZone {
  readonly value: string;
  /** Accepts a lookup that began at this time of `performance.now()` or later. */
  readonly sinceMs: number;
}

export interface DomainVerifier {
  /**
   * Looks for `expectedValue` in the TXT records of `_waymark.<domain>` and of the domain itself, fresh from the
   * resolver. Names under `.localhost` verify without a lookup if that is allowed: they reach only the machine itself
   * (RFC 6761). Every answer of DNS is a result; nothing is thrown.
   *
   * @param domain as `parseFromDomain` returns it
   * @param zone also proves the domain, at `_waymark.<registrable domain>`, which is then looked up first
   */
  check(domain: string, expectedValue: string, zone?: ExpectedZone): Promise<VerificationResult>;
  /** Whether a domain is verified without a lookup. */
  readonly isLocal: (domain: string) => boolean;
}

/** Maximum number of cached lookups of zones. */
const MAX_ZONE_LOOKUPS = 1_000;

interface ZoneLookup {
  readonly begunMs: number;
  readonly outcome: Promise<TxtLookup>;
}

/** Prefix of our values among a domain's TXT records. Other values are ignored. */
const VALUE_PREFIX = 'waymark-verify=';

/**
 * Results from the most to the least informative. A failed lookup precedes an absence, because it may hide the record.
 */
const PRECEDENCE: readonly VerificationResult['kind'][] = [
  'verified',
  'wrongValue',
  'serverFailure',
  'refused',
  'malformedAnswer',
  'timedOut',
  'unreachable',
  'recordMissing',
  'domainMissing',
];

/** Answers that show that a name does not have the proof. */
const ABSENCES: readonly VerificationResult['kind'][] = ['wrongValue', 'recordMissing', 'domainMissing'];

/**
 * Returns the names at which a domain's record may be, the recommended one first. A domain near the limit of 253
 * characters leaves no room for a name below it. The proof of a wildcard is that of its zone.
 */
export function recordNames(domain: string): readonly string[] {
  const zone = proofDomainOf(domain);
  return [`_waymark.${zone}`, zone].filter((name) => name.length <= 253);
}

/** Returns whether a name reaches only the machine itself (RFC 6761, section 6.3), and therefore needs no proof. */
export function isLocalName(domain: string): boolean {
  return domain.endsWith('.localhost');
}

/** @throws when a DNS server is not given as `IP:port` */
export function createDomainVerifier(options: DomainVerifierOptions = {}): DomainVerifier {
  const { dnsServers, timeoutMs = 2000, tries = 2, checkTimeoutMs = 6000, allowLocalhost = true } = options;
  const isLocal = (domain: string) => allowLocalhost && isLocalName(domain);
  if (dnsServers !== undefined) new Resolver().setServers(dnsServers);
  const lookupOptions = { timeoutMs, tries, ...(dnsServers && { dnsServers }) };

  const zoneLookups = new LRUCache<string, ZoneLookup>({ max: MAX_ZONE_LOOKUPS });

  /** Searches the proof of a zone. If it is absent, other records there do not matter. */
  async function checkZone(domain: string, { value, sinceMs }: ExpectedZone): Promise<Finding> {
    const name = zoneRecordName(domain);
    const lookup = await lookUpZone(name, sinceMs);
    const finding = judge(name, name, lookup, value);
    return finding.kind === 'wrongValue' ? { kind: 'recordMissing', name, values: [] } : finding;
  }

  /** Shares the lookup of a zone among callers that accept one from `sinceMs` on. */
  function lookUpZone(name: string, sinceMs: number): Promise<TxtLookup> {
    const known = zoneLookups.get(name);
    if (known !== undefined && known.begunMs >= sinceMs) return known.outcome;
    const begun = { begunMs: performance.now(), outcome: lookUpWithin(name) };
    zoneLookups.set(name, begun);
    return begun.outcome;
  }

  async function lookUpWithin(name: string): Promise<TxtLookup> {
    const handle = lookUpTxt(name, lookupOptions);
    const timer = setTimeout(handle.cancel, checkTimeoutMs);
    const outcome = await handle.outcome;
    clearTimeout(timer);
    return outcome;
  }

  async function check(
    domain: string,
    expectedValue: string,
    zone?: ExpectedZone,
  ): Promise<VerificationResult> {
    if (isLocal(domain)) return { kind: 'verifiedLocally', found: [] };
    const zoneFindings = zone === undefined ? [] : [await checkZone(domain, zone)];
    if (zoneFindings.some(({ kind }) => kind === 'verified')) {
      return mostTelling(proofDomainOf(domain), zoneFindings);
    }
    const lookups = recordNames(domain).map((name) => ({ name, handle: lookUpTxt(name, lookupOptions) }));
    const timer = setTimeout(() => {
      for (const { handle } of lookups) handle.cancel();
    }, checkTimeoutMs);
    const findings = await Promise.all(
      lookups.map(async ({ name, handle }) =>
        judge(proofDomainOf(domain), name, await handle.outcome, expectedValue),
      ),
    );
    clearTimeout(timer);
    return mostTelling(proofDomainOf(domain), [...findings, ...zoneFindings]);
  }

  return { check, isLocal };
}

/** Result of one lookup. */
interface Finding {
  readonly kind: Exclude<VerificationResult['kind'], 'verifiedLocally'>;
  readonly name: string;
  readonly values: readonly string[];
}

function judge(domain: string, name: string, lookup: TxtLookup, expectedValue: string): Finding {
  if (lookup.kind === 'noSuchName') return { kind: 'domainMissing', name, values: [] };
  if (lookup.kind !== 'answered') return { kind: lookup.kind, name, values: [] };
  const values = lookup.values.map(meantValue);
  if (values.includes(expectedValue)) return { kind: 'verified', name, values };
  const isMeantForUs = name !== domain ? values.length > 0 : values.some(hasOurPrefix);
  return { kind: isMeantForUs ? 'wrongValue' : 'recordMissing', name, values };
}

function hasOurPrefix(value: string): boolean {
  return value.toLowerCase().startsWith(VALUE_PREFIX);
}

function mostTelling(domain: string, findings: readonly Finding[]): VerificationResult {
  const rank = ({ kind }: Finding) => PRECEDENCE.indexOf(kind);
  const decisive = findings.reduce((best, finding) => (rank(finding) < rank(best) ? finding : best));
  const records = findings.flatMap(({ name, values }) => values.map((value) => ({ name, value })));
  // A domain may have dozens of other records. Our records must be among the shown ones.
  const isForeign = ({ name, value }: FoundRecord) => name === domain && !hasOurPrefix(value);
  const oursFirst = records.toSorted((a, b) => Number(isForeign(a)) - Number(isForeign(b)));
  const { kind, name } = decisive;
  const found = showRecords(oursFirst);
  if (kind === 'verified') return { kind, name, found };
  return { kind, name, found, isDefinite: findings.every((finding) => ABSENCES.includes(finding.kind)) };
}
