import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { AttemptFailure } from '../failures.js';

const TIMEOUT_MS = 2_000;
/** Maximum number of name servers that are asked. Zones have 2 to 8. */
const MAX_SERVERS = 16;

/**
 * Returns a function that finds the name servers of a zone, as `IP:port`.
 *
 * @param configured servers to use instead
 * @param dnsServers `IP:port` of resolvers; default: those of the system
 */
export function createZoneServers(
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
