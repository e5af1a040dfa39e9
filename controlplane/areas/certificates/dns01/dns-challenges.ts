import { createHash } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { AcmeDnsConfig } from '../../../../shared/config/acme-config.js';
import type { DnsRecord } from '../certificate.js';
import { type DnsCheck, unavailable } from '../dns-check.js';
import { type DnsLookup, DnsUnavailable } from '../dns-lookup.js';
import { AttemptFailure } from '../failures.js';
import { createDnsUpdates, UpdateRefused } from './dns-updates.js';

const LABEL = '_acme-challenge';
/** Time for all name servers of a zone to take over a record. */
const PROPAGATION_MS = 60_000;
const POLL_MS = 1_000;
/** Hexadecimal digits of the label that a domain delegates its challenges to. */
const DELEGATION_LENGTH = 32;
const QUERY_TIMEOUT_MS = 2_000;

/** A TXT record of a challenge. */
export interface ChallengeRecord {
  readonly zone: string;
  readonly name: string;
  readonly value: string;
}

/**
 * Answers dns-01 challenges (RFC 8555, section 8.4) in zones of the operator. Each domain in another zone delegates its
 * challenges by a CNAME record to its own name in the first zone.
 */
export interface DnsChallenges {
  /** Returns the record that delegates the challenges of a wildcard; undefined where its domain is in one of the zones. */
  delegationOf(wildcard: string): DnsRecord | undefined;
  /** Checks that the challenges of a wildcard lead to one of the zones. */
  check(
    lookup: DnsLookup,
    wildcard: string,
  ): Promise<DnsCheck & { readonly place: ChallengePlace | undefined }>;
  /**
   * Adds the record, and waits until all name servers of its zone have it.
   *
   * @throws {AttemptFailure} DNS_UNAVAILABLE
   */
  publish(record: ChallengeRecord, signal: AbortSignal): Promise<void>;
  /** Removes the record. A failure is logged. */
  remove(record: ChallengeRecord): Promise<void>;
}

export type ChallengePlace = Pick<ChallengeRecord, 'zone' | 'name'>;

export interface DnsChallengesDeps {
  readonly config: AcmeDnsConfig;
  /** `IP:port` of name servers to ask instead of the system's. */
  readonly dnsServers: readonly string[] | undefined;
  readonly logger: Logger;
  /** Maximum time until all name servers have a record. Default: a minute. */
  readonly propagationMs?: number;
}

export function createDnsChallenges(deps: DnsChallengesDeps): DnsChallenges {
  const { config, dnsServers, logger, propagationMs = PROPAGATION_MS } = deps;
  const { zones, delegationZone } = config;
  const updates = createDnsUpdates(config.server, config.key);
  const serversOf = createZoneServers(config.checkServers, dnsServers);

  const zoneOf = (name: string) =>
    zones.filter((zone) => name.endsWith(`.${zone}`)).sort((a, b) => b.length - a.length)[0];

  function delegationOf(wildcard: string): DnsRecord | undefined {
    const domain = domainOf(wildcard);
    const name = `${LABEL}.${domain}`;
    if (zoneOf(name) !== undefined) return undefined;
    const digest = createHash('sha256').update(domain).digest('hex').slice(0, DELEGATION_LENGTH);
    return { type: 'CNAME', name, value: `${digest}.${delegationZone}` };
  }

  async function hasRecord(server: string, { name, value }: ChallengeRecord): Promise<boolean> {
    // Resolvers of node:dns cache answers.
    const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: 1 });
    resolver.setServers([server]);
    const texts = await resolver.resolveTxt(name).catch(() => []);
    return texts.some((parts) => parts.join('') === value);
  }

  return {
    delegationOf,
    async check(lookup, wildcard) {
      const name = `${LABEL}.${domainOf(wildcard)}`;
      const delegation = delegationOf(wildcard);
      const required = delegation === undefined ? [] : [delegation];
      if (delegation === undefined) {
        const zone = zoneOf(name) ?? delegationZone;
        return { records: { required, found: [] }, failure: undefined, place: { zone, name } };
      }
      try {
        const targets = await lookup.cname(name);
        const found = targets.map((value) => ({ type: 'CNAME', name, value }) as const);
        const records = { required, found };
        const place = { zone: delegationZone, name: delegation.value };
        if (targets.includes(delegation.value)) return { records, failure: undefined, place };
        // Users choose their records freely. Only this name may be changed for them.
        const message = `A certificate for ${wildcard} needs the record ${name} CNAME ${delegation.value}: add it, and remove other records of ${name}.`;
        return { records, failure: new AttemptFailure('DNS_NOT_POINTED', message), place: undefined };
      } catch (error) {
        if (!(error instanceof DnsUnavailable)) throw error;
        return { records: { required, found: [] }, failure: unavailable(error), place: undefined };
      }
    },

    async publish(record, signal) {
      try {
        await updates.send({ action: 'add', ...record });
      } catch (error) {
        if (!(error instanceof UpdateRefused)) throw error;
        logger.error({ problem: error.message }, 'ACME_DNS_SERVER does not take the record of a challenge');
        const message = `The name server of this service cannot be changed. Its operator must act: ${error.message}.`;
        throw new AttemptFailure('DNS_UNAVAILABLE', message, undefined, { cause: error });
      }
      let missing = await serversOf(record.zone);
      for (const endMs = performance.now() + propagationMs; performance.now() < endMs; ) {
        const has = await Promise.all(missing.map((server) => hasRecord(server, record)));
        missing = missing.filter((_, index) => !has[index]);
        if (missing.length === 0) return;
        await sleep(POLL_MS, undefined, { signal });
      }
      const message = `The name servers ${missing.join(', ')} of ${record.zone} do not have the record of ${record.name} after ${propagationMs / 1_000} s. The operator of this service must act.`;
      throw new AttemptFailure('DNS_UNAVAILABLE', message);
    },

    async remove(record) {
      await updates.send({ action: 'remove', ...record }).catch((error: unknown) => {
        logger.warn({ err: error, name: record.name }, 'the record of a challenge was not removed');
      });
    },
  };
}

function domainOf(wildcard: string): string {
  return wildcard.slice(2);
}

const TIMEOUT_MS = 2_000;
/** Maximum number of name servers that are asked. Zones have 2 to 8. */
const MAX_SERVERS = 16;

/**
 * Returns a function that finds the name servers of a zone, as `IP:port`.
 *
 * @param configured servers to use instead
 * @param dnsServers `IP:port` of resolvers; default: those of the system
 */
function createZoneServers(
  configured: readonly string[] | undefined,
  dnsServers: readonly string[] | undefined,
): (zone: string) => Promise<readonly string[]> {
  if (configured !== undefined) return async () => configured;
  return async (zone) => {
    const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 2 });
    if (dnsServers !== undefined) resolver.setServers(dnsServers);
    const names = await resolver.resolveNs(zone).catch(() => []);
    const addresses = await Promise.all(
      names.slice(0, MAX_SERVERS).map(async (name) => {
        // This machine may have no IPv6.
        const found = await resolver.resolve4(name).catch(() => []);
        return found.length > 0 ? found : resolver.resolve6(name).catch(() => []);
      }),
    );
    const servers = addresses
      .flat()
      .map((address) => (isIP(address) === 6 ? `[${address}]:53` : `${address}:53`));
    if (servers.length > 0) return servers.slice(0, MAX_SERVERS);
    const message = `The name servers of ${zone} cannot be found. The operator of this service must act: ACME_DNS_ZONES must name zones.`;
    throw new AttemptFailure('DNS_UNAVAILABLE', message);
  };
}
