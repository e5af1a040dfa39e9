import { isIP } from 'node:net';
import type { PublicTarget } from '../../../shared/config/acme-config.js';
import type { DnsRecord, DnsRecords } from './certificate.js';
import { type DnsLookup, DnsUnavailable } from './dns-lookup.js';
import { AttemptFailure } from './failures.js';

/** Result of a DNS check. */
export interface DnsCheck {
  readonly records: DnsRecords;
  /** Reason why no authority can validate the host; undefined if one can. */
  readonly failure: AttemptFailure | undefined;
}

/** Returns the records that make a host point here. Empty when the operator configured no target. */
export function requiredRecords(host: string, { addresses, cname }: PublicTarget): readonly DnsRecord[] {
  if (cname !== undefined) return [{ type: 'CNAME', name: host, value: cname }];
  return addresses.map((value) => ({ type: isIP(value) === 6 ? 'AAAA' : 'A', name: host, value }));
}

/**
 * Checks that a host points here. Every address of the host must be a configured one, because the authority may connect
 * to any of them. If no target is configured, any address passes.
 */
export async function checkDns(lookup: DnsLookup, host: string, target: PublicTarget): Promise<DnsCheck> {
  const required = requiredRecords(host, target);
  try {
    const [a, aaaa, cname] = await Promise.all([lookup.a(host), lookup.aaaa(host), lookup.cname(host)]);
    const found: readonly DnsRecord[] = [
      ...cname.map((value) => ({ type: 'CNAME', name: host, value }) as const),
      ...a.map((value) => ({ type: 'A', name: host, value }) as const),
      ...aaaa.map((value) => ({ type: 'AAAA', name: host, value }) as const),
    ];
    const problem = await problemWith([...a, ...aaaa], lookup, host, target);
    const failure = problem === undefined ? undefined : new AttemptFailure('DNS_NOT_POINTED', problem);
    return { records: { required, found }, failure };
  } catch (error) {
    if (!(error instanceof DnsUnavailable)) throw error;
    return { records: { required, found: [] }, failure: unavailable(error) };
  }
}

async function problemWith(
  addresses: readonly string[],
  lookup: DnsLookup,
  host: string,
  target: PublicTarget,
): Promise<string | undefined> {
  const action = instruction(host, target);
  if (addresses.length === 0) return `DNS has no A or AAAA record for ${host}: ${action}.`;
  const { addresses: own, cname } = target;
  if (own.length === 0 && cname === undefined) return undefined;
  const named = cname === undefined ? [] : (await Promise.all([lookup.a(cname), lookup.aaaa(cname)])).flat();
  const expected = [...new Set([...own, ...named])];
  if (expected.length === 0) {
    return `PUBLIC_CNAME ${cname} has no addresses. The operator of this service must act.`;
  }
  const foreign = addresses.filter((address) => !expected.includes(address));
  if (foreign.length === 0) return undefined;
  return `DNS points to ${foreign.join(', ')}, expected ${expected.join(', ')}: ${action}, and remove other A and AAAA records.`;
}

function instruction(host: string, target: PublicTarget): string {
  const records = requiredRecords(host, target);
  if (records.length === 0) return `add a record for ${host} that points to this service`;
  return `add ${records.map(({ type, value }) => `${type} ${value}`).join(' and ')}`;
}

/**
 * Checks that CAA records (RFC 8659) permit an authority. The nearest records apply: those of the host, otherwise those
 * of its parent, and so on.
 *
 * @param identities names of the authority. Without names, no check is possible
 */
export async function checkCaa(
  lookup: DnsLookup,
  host: string,
  identities: readonly string[],
): Promise<AttemptFailure | undefined> {
  const [identity] = identities;
  if (identity === undefined) return undefined;
  try {
    const isWildcard = host.startsWith('*.');
    for (
      let name = isWildcard ? host.slice(2) : host;
      name.includes('.');
      name = name.slice(name.indexOf('.') + 1)
    ) {
      const records = await lookup.caa(name);
      if (records.length === 0) continue;
      const wild = records.flatMap(({ issuewild }) => issuewild ?? []);
      const plain = records.flatMap(({ issue }) => issue ?? []);
      // For wildcards, `issuewild` replaces `issue`.
      const issuers = (isWildcard && wild.length > 0 ? wild : plain).map(issuerOf);
      if (issuers.length === 0 || issuers.some((issuer) => identities.includes(issuer))) return undefined;
      return new AttemptFailure(
        'CAA_FORBIDS',
        `CAA of ${name} forbids ${identity}: add a CAA record for ${name} with the value 0 ${isWildcard && wild.length > 0 ? 'issuewild' : 'issue'} "${identity}".`,
      );
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof DnsUnavailable)) throw error;
    return unavailable(error);
  }
}

/** Returns the name in the value of `issue`, without parameters. */
function issuerOf(value: string): string {
  return (value.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/** Returns the failure that is stored when name servers fail. */
export function unavailable({ message, cause }: DnsUnavailable): AttemptFailure {
  const text = `DNS fails: ${message}. Check the name servers of the domain.`;
  return new AttemptFailure('DNS_UNAVAILABLE', text, undefined, { cause });
}
