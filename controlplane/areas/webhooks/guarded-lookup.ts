import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { FindAddresses } from './host-addresses.js';

/** Reasons for which there is no address to connect to. */
export type LookupError = 'address_refused' | 'name_not_resolved' | 'timed_out';

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
      // All addresses must be allowed: a name that has a private address among others may be an attack.
      return addresses.every(({ address }) => mayConnectTo(address)) ? addresses : 'address_refused';
    } catch {
      return signal.aborted ? 'timed_out' : 'name_not_resolved';
    }
  };
}

/**
 * Returns a lookup that asks no name server. Node calls it for names only; addresses in the URL were checked the same
 * way.
 */
export function answering(addresses: readonly LookupAddress[]): LookupFunction {
  return (_host, options, callback) => {
    const [first] = addresses;
    if (options.all === true) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };
}
