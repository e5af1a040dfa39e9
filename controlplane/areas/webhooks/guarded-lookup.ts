import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { FindAddresses } from './host-addresses.js';

/** Reasons for which there is no address to connect to. */
export type LookupError = 'address_refused' | 'name_not_resolved' | 'timed_out';

/** Finds the addresses of the host of a URL, all of which may be connected to. */
export type GuardedLookup = (
  url: URL,
  signal: AbortSignal,
) => Promise<readonly LookupAddress[] | LookupError>;

/**
 * Creates a lookup for requests to hosts that users chose. The connection must be made to the addresses that it found, with
 * `answering`: a name that leads elsewhere a moment later (DNS rebinding) is not asked again.
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
      // All of them must be allowed: a name with an address of ours among others is not there by accident.
      return addresses.every(({ address }) => mayConnectTo(address)) ? addresses : 'address_refused';
    } catch {
      return signal.aborted ? 'timed_out' : 'name_not_resolved';
    }
  };
}

/** A lookup that asks nobody. Node calls it for names only; addresses in the URL were checked the same way. */
export function answering(addresses: readonly LookupAddress[]): LookupFunction {
  return (_host, options, callback) => {
    const [first] = addresses;
    if (options.all === true) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };
}
