import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';

type Interfaces = Readonly<Record<string, readonly Pick<NetworkInterfaceInfo, 'address'>[] | undefined>>;

const IPV6_LOOPBACK = '::1';

/**
 * The address on which a server listens for everybody: `::`, which takes IPv4 as well, or `0.0.0.0` where IPv6 is
 * switched off. Own processes reach `::` by the loopback address of IPv6, so that address must exist.
 */
export function anyAddress(interfaces: () => Interfaces = networkInterfaces): '::' | '0.0.0.0' {
  try {
    const addresses = Object.values(interfaces()).flat();
    return addresses.some((entry) => entry?.address === IPV6_LOOPBACK) ? '::' : '0.0.0.0';
  } catch {
    // Some sandboxes forbid the list.
    return '0.0.0.0';
  }
}
