import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';

const TIMEOUT_MS = 2_000;
const TRIES = 2;
const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** Returns all addresses of the host of a URL. Rejects when the host has no address. */
export type FindAddresses = (host: string, signal: AbortSignal) => Promise<readonly LookupAddress[]>;

/**
 * Queries name servers. Does not use `dns.lookup`: it cannot be cancelled, and it waits for slow name servers on one of
 * the four threads that hashing and files need.
 *
 * @param dnsServers `IP:port`; default: those of the system
 */
export function createFindAddresses(dnsServers?: readonly string[]): FindAddresses {
  return async (urlHost, signal) => {
    const host = bareHost(urlHost);
    const family = isIP(host);
    if (family !== 0) return [{ address: host, family }];
    if (isLocalHost(host)) return LOOPBACK;
    return resolve(host, signal);
  };

  async function resolve(name: string, signal: AbortSignal): Promise<readonly LookupAddress[]> {
    // Each name has its own resolver: a resolver caches answers, and cancelling ends all its queries.
    const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
    if (dnsServers !== undefined) resolver.setServers(dnsServers);
    const cancel = () => resolver.cancel();
    signal.throwIfAborted();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
      if (ipv4.status === 'rejected' && ipv6.status === 'rejected') throw ipv4.reason;
      return [
        ...(ipv4.status === 'fulfilled' ? ipv4.value.map((address) => ({ address, family: 4 })) : []),
        ...(ipv6.status === 'fulfilled' ? ipv6.value.map((address) => ({ address, family: 6 })) : []),
      ];
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }
}

/** Matches names of the machine itself (RFC 6761). They are not sent to name servers. */
export function isLocalHost(host: string): boolean {
  return /(?:^|\.)localhost$/i.test(host);
}

/** Returns the host of a URL without IPv6 brackets and without a trailing dot. */
export function bareHost(urlHost: string): string {
  return urlHost.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

/** Reasons why no address can be connected to. */
type LookupError = 'address_refused' | 'name_not_resolved' | 'timed_out';

/** Finds the addresses of the host of a URL. Connections to all of them are allowed. */
export type GuardedLookup = (
  url: URL,
  signal: AbortSignal,
) => Promise<readonly LookupAddress[] | LookupError>;

/**
 * Creates a lookup for requests to hosts that users chose. The connection must use the addresses that it found,
 * through `answering`. A second look-up could give another address (DNS rebinding).
 *
 * @param mayConnectTo whether to connect to this address, in any notation
 */
export function createGuardedLookup(
  findAddresses: FindAddresses,
  mayConnectTo: (address: string) => boolean,
): GuardedLookup {
  return async (url, signal) => {
    try {
      const addresses = await findAddresses(url.hostname, signal);
      // All addresses must be allowed: a name with both public and private addresses may be an attack.
      return addresses.every(({ address }) => mayConnectTo(address)) ? addresses : 'address_refused';
    } catch {
      return signal.aborted ? 'timed_out' : 'name_not_resolved';
    }
  };
}

/**
 * Returns a lookup that answers with these addresses and queries no name server. Node calls it only for names;
 * addresses in the URL were checked the same way.
 */
export function answering(addresses: readonly LookupAddress[]): LookupFunction {
  return (_host, options, callback) => {
    const [first] = addresses;
    if (options.all === true) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };
}
