import { parseAddress, parseForwardedAddress } from './address-text.js';
import { copyOf } from './cut.js';
import { createTrustedNetworks, type TrustedNetworks } from './trusted-networks.js';

/** The header that holds a chain: each proxy appends the address that it saw. Other headers hold one address. */
export const X_FORWARDED_FOR = 'x-forwarded-for';

const MAX_KNOWN_PEERS = 1_000;
/** Maximum UTF-16 units of a chain that may stay in memory. Chains of real proxies are shorter. */
const MAX_KEPT_CHAIN_LENGTH = 256;
const SEPARATOR = ',';
const UNKNOWN = '';

/** A peer: its address in canonical form, empty if it has none, and whether it is trusted. */
interface Peer {
  readonly address: string;
  readonly isTrusted: boolean;
}

/**
 * Resolves the client address of a request. Both planes use it, for visitors and for callers of the API. It caches
 * peers, because there are few proxies. It does not cache their headers, because most visitors are new.
 */
export class VisitorAddress {
  /** Number of resolved requests so far whose header held no valid address. */
  unreadable = 0;
  /** Whether no peer is trusted. */
  readonly trustsNobody: boolean;
  /** Lower-case name of the header in which trusted proxies name the visitor's address. */
  readonly header: string;
  private readonly trusted: TrustedNetworks;
  private readonly known = new Map<string, Peer>();

  /**
   * @param trustedProxies CIDR ranges or single addresses; headers of all other peers are ignored
   * @param header name of the header that the proxies set, in any case
   * @throws {RangeError} naming the invalid entry
   */
  constructor(trustedProxies: readonly string[], header: string = X_FORWARDED_FOR) {
    this.header = header.toLowerCase();
    this.trusted = createTrustedNetworks(trustedProxies);
    this.trustsNobody = this.trusted.areNone;
  }

  /** Returns whether the headers of this peer are trusted. */
  trusts(peer: string): boolean {
    return !this.trustsNobody && this.peerOf(peer).isTrusted;
  }

  /**
   * Returns the visitor's address: the peer's, or the one that trusted proxies name. Never throws.
   *
   * @param peer the other end of the connection, in any textual form
   * @param said all lines of `header` in the request, joined by commas; empty without the header
   * @returns IPv4 dotted, IPv6 compressed and lower-case. Empty if the address is unknown: a trusted proxy named no
   * valid address, or the peer is not an IP address.
   */
  resolve(peer: string, said: string): string {
    const { address, isTrusted } = this.peerOf(peer);
    if (!isTrusted || said === '') return address;
    const told = this.header === X_FORWARDED_FOR ? this.firstUntrusted(said, address) : lastOf(said, address);
    if (told === UNKNOWN) this.unreadable += 1;
    // A slice would keep the whole chain in memory as long as the address is kept.
    return said.length > MAX_KEPT_CHAIN_LENGTH ? copyOf(told) : told;
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
   * Returns the visitor at the start of a chain of trusted proxies.
   *
   * @param chain from the visitor, as the headers claim, to the proxy next to `peer`
   */
  private firstUntrusted(chain: string, peer: string): string {
    // The proxy to the right of an entry has written it. The visitor may have forged everything left of the first
    // untrusted entry.
    let address = peer;
    for (let end = chain.length; end > 0; ) {
      const comma = chain.lastIndexOf(SEPARATOR, end - 1);
      const entry = chain.slice(comma + 1, end).trim();
      end = comma;
      if (entry === '') continue;
      const forwarded = parseForwardedAddress(entry);
      // `unknown`, `_hidden` or garbage: the visitor is unknown. The proxy that wrote the entry is not the visitor.
      if (forwarded === undefined) return UNKNOWN;
      address = forwarded;
      if (!this.trusted.includes(address)) break;
    }
    return address;
  }
}

/**
 * Returns the last entry, because proxies append to the header that visitors have sent. Returns `peer` if there is no
 * entry.
 */
function lastOf(said: string, peer: string): string {
  for (let end = said.length; end > 0; ) {
    const comma = said.lastIndexOf(SEPARATOR, end - 1);
    const entry = said.slice(comma + 1, end).trim();
    if (entry !== '') return parseForwardedAddress(entry) ?? UNKNOWN;
    end = comma;
  }
  return peer;
}
