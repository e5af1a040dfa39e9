import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { within } from '../../../shared/async/deadline.js';
import { ConfigError } from '../../../shared/config/environment.js';
import { codeOf, messageOf } from '../../../shared/process/error-facts.js';

const TIMEOUT_MS = 5_000;

/** Returns all addresses of a host, the best first. Rejects without any. */
export type LookUpHost = (host: string) => Promise<readonly { readonly address: string }[]>;

// Many resolvers have only IPv4, and `localhost` often names IPv6 first.
const askSystem: LookUpHost = (host) => lookup(host, { all: true, order: 'ipv4first' });

/**
 * Returns the servers of DNS_SERVERS in the form of node:dns. Names are looked up by the system, once.
 *
 * @param servers `host:port`, IPv6 in brackets
 * @param timeoutMs for each name. Default: 5 s.
 * @returns `IP:port`; all addresses of a name, in its place
 * @throws {ConfigError} naming each host that is not found
 */
export async function findDnsServers(
  servers: readonly string[],
  { lookUp = askSystem, timeoutMs = TIMEOUT_MS }: { lookUp?: LookUpHost; timeoutMs?: number } = {},
): Promise<readonly string[]> {
  const found = await Promise.allSettled(servers.map((server) => addressesOf(server, lookUp, timeoutMs)));
  const problems = found.flatMap((one) => (one.status === 'rejected' ? [messageOf(one.reason)] : []));
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return [...new Set(found.flatMap((one) => (one.status === 'fulfilled' ? one.value : [])))];
}

async function addressesOf(server: string, lookUp: LookUpHost, timeoutMs: number): Promise<string[]> {
  const colon = server.lastIndexOf(':');
  const host = server.slice(0, colon);
  if (host.startsWith('[') || isIP(host) !== 0) return [server];
  try {
    const addresses = await within(timeoutMs, 'the system', lookUp(host));
    return addresses.map(({ address }) => withPort(address, server.slice(colon)));
  } catch (error) {
    throw new Error(
      `DNS_SERVERS names ${host}, which is not found (${codeOf(error) ?? messageOf(error)}): give its IP address, or a name that the system knows`,
      { cause: error },
    );
  }
}

function withPort(address: string, port: string): string {
  return (isIP(address) === 6 ? `[${address}]` : address) + port;
}
