import { parseAddress, parseForwardedAddress } from './address-text.js';
import { createTrustedNetworks, type TrustedNetworks } from './trusted-networks.js';

/** Tells which address a request came from, as far as it can be believed. For visitors and for callers of the API. */
export interface VisitorAddress {
  /** Whether nothing that any peer says is believed. */
  readonly trustsNobody: boolean;
  /** Lower-case name of the header in which trusted proxies name the visitor's address. */
  readonly header: string;
  /** Requests so far whose header named no address where one was needed. */
  readonly unreadable: number;
  /** Whether what this peer says about the visitor behind it is believed. */
  trusts(peer: string): boolean;
  /**
   * The visitor's address: the peer, or what trusted proxies say of it. Never throws.
   *
   * @param peer the other end of the connection, in any textual form
   * @param said all lines of `header` in the request, joined by commas; empty when there is none
   * @returns IPv4 dotted, IPv6 compressed and lower-case; empty when it is not known, since a trusted proxy has named
   *   what is no address, or the peer itself is none
   */
  resolve(peer: string, said: string): string;
}

/** The header that names a chain: each proxy appends the address that it saw. All others name one address. */
export const X_FORWARDED_FOR = 'x-forwarded-for';

const MAX_KNOWN_PEERS = 1_000;
/** Between the addresses of a chain, as in the header. */
const SEPARATOR = ',';
const UNKNOWN = '';

/** What is known of a peer: its address in canonical form, empty when it is none, and whether it is trusted. */
interface Peer {
  readonly address: string;
  readonly isTrusted: boolean;
}

/**
 * @param trustedProxies CIDR ranges or single addresses; anything a peer outside of them says is ignored
 * @param header that the proxies set, in any case
 * @throws {RangeError} naming the entry that is neither
 */
export function createVisitorAddress(
  trustedProxies: readonly string[],
  header: string = X_FORWARDED_FOR,
): VisitorAddress {
  return new BelievedAddress(trustedProxies, header.toLowerCase());
}

/** Remembers peers, since proxies are few. What a proxy says of a visitor is read each time: most visitors are new. */
class BelievedAddress implements VisitorAddress {
  unreadable = 0;
  readonly trustsNobody: boolean;
  private readonly trusted: TrustedNetworks;
  private readonly known = new Map<string, Peer>();

  constructor(
    trustedProxies: readonly string[],
    readonly header: string,
  ) {
    this.trusted = createTrustedNetworks(trustedProxies);
    this.trustsNobody = this.trusted.areNone;
  }

  trusts(peer: string): boolean {
    return !this.trustsNobody && this.peerOf(peer).isTrusted;
  }

  resolve(peer: string, said: string): string {
    const { address, isTrusted } = this.peerOf(peer);
    if (!isTrusted || said === '') return address;
    const told = this.header === X_FORWARDED_FOR ? this.firstUntrusted(said, address) : lastOf(said, address);
    if (told === UNKNOWN) this.unreadable += 1;
    return told;
  }

  private peerOf(text: string): Peer {
    const known = this.known.get(text);
    if (known !== undefined) return known;
    const address = parseAddress(text) ?? UNKNOWN;
    const peer = { address, isTrusted: address !== UNKNOWN && this.trusted.includes(address) };
    if (this.known.size === MAX_KNOWN_PEERS) this.known.clear();
    this.known.set(text, peer);
    return peer;
  }

  /**
   * The visitor at the beginning of a chain of trusted proxies.
   *
   * @param chain from the visitor, or whoever pretends to be, to the proxy next to `peer`
   */
  private firstUntrusted(chain: string, peer: string): string {
    // Entries are believable from the right up to the first one that no trusted proxy wrote. Everything left of it may
    // be made up by the visitor.
    let address = peer;
    for (let end = chain.length; end > 0; ) {
      const comma = chain.lastIndexOf(SEPARATOR, end - 1);
      const entry = chain.slice(comma + 1, end).trim();
      end = comma;
      if (entry === '') continue;
      const forwarded = parseForwardedAddress(entry);
      // `unknown`, `_hidden` or garbage. The proxy that wrote it is not the visitor.
      if (forwarded === undefined) return UNKNOWN;
      address = forwarded;
      if (!this.trusted.includes(address)) break;
    }
    return address;
  }
}

/** The last entry, which is the proxy's own where it appends to what the visitor has sent; `peer` without any. */
function lastOf(said: string, peer: string): string {
  for (let end = said.length; end > 0; ) {
    const comma = said.lastIndexOf(SEPARATOR, end - 1);
    const entry = said.slice(comma + 1, end).trim();
    if (entry !== '') return parseForwardedAddress(entry) ?? UNKNOWN;
    end = comma;
  }
  return peer;
}
