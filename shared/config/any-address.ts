import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';

type Interfaces = Readonly<Record<string, readonly Pick<NetworkInterfaceInfo, 'address'>[] | undefined>>;

const IPV6_LOOPBACK = '::1';

/**
 * Returns the address to listen on for all clients: `::`, which also accepts IPv4, or `0.0.0.0` if IPv6 is disabled.
 * Other processes of this installation reach `::` through the IPv6 loopback address, so that address must exist.
 */
export function anyAddress(interfaces: () => Interfaces = networkInterfaces): '::' | '0.0.0.0' {
  try {
    const addresses = Object.values(interfaces()).flat();
    return addresses.some((entry) => entry?.address === IPV6_LOOPBACK) ? '::' : '0.0.0.0';
  } catch {
    // Some sandboxes do not permit listing the interfaces.
    return '0.0.0.0';
  }
}
