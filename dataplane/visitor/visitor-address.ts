import { parseAddress, parseForwardedAddress } from '../../shared/visitor/address-text.js';
import { copyOf } from '../../shared/visitor/cut.js';
import { createTrustedNetworks } from './trusted-networks.js';

/** Tells which address a request came from, as far as it can be believed. */
export interface VisitorAddress {
  /** Whether nothing that any peer says is believed. */
  readonly trustsNobody: boolean;
  /** Whether what this peer says about the visitor behind it is believed. */
  trusts(peer: string): boolean;
  /**
   * The visitor's address: the peer, or what a chain of trusted proxies says of it. Never throws.
   *
   * @param peer the other end of the connection, in any textual form
   * @param forwardedFor all `X-Forwarded-For` lines of the request, joined by commas; empty when there is none
   * @returns IPv4 dotted, IPv6 compressed and lower-case; empty only when the peer itself is no address
   */
  resolve(peer: string, forwardedFor: string): string;
}

const MAX_KNOWN_PEERS = 1_000;
/** UTF-16 units. Chains of real proxies are shorter. */
const MAX_KEPT_CHAIN_LENGTH = 256;
/** Between the addresses of a chain, as in the header. */
const SEPARATOR = ',';

/** What is known of a peer: its address in canonical form, empty when it is none, and whether it is trusted. */
interface Peer {
  readonly address: string;
  readonly isTrusted: boolean;
}

/**
 * Remembers peers, since proxies are few. What a proxy says of a visitor is read each time: most visitors are new.
 *
 * @param trustedProxies CIDR ranges or single addresses; anything a peer outside of them says is ignored
 * @throws {RangeError} naming the entry that is neither
 */
export function createVisitorAddress(trustedProxies: readonly string[]): VisitorAddress {
  const trusted = createTrustedNetworks(trustedProxies);
  const known = new Map<string, Peer>();

  function judge(text: string): Peer {
    const address = parseAddress(text) ?? '';
    const peer = { address, isTrusted: address !== '' && trusted.includes(address) };
    if (known.size === MAX_KNOWN_PEERS) known.clear();
    known.set(text, peer);
    return peer;
  }

  /** @param chain from the visitor, or whoever pretends to be, to the proxy next to `peer` */
  function firstUntrusted(chain: string, peer: string): string {
    // Each proxy appends the address it saw, so entries are believable from the right up to the first one that
    // no trusted proxy wrote; everything left of it may be made up by the visitor.
    let address = peer;
    for (let end = chain.length; end > 0; ) {
      const comma = chain.lastIndexOf(SEPARATOR, end - 1);
      const entry = chain.slice(comma + 1, end).trim();
      end = comma;
      if (entry === '') continue;
      const forwarded = parseForwardedAddress(entry);
      if (forwarded === undefined) break;
      address = forwarded;
      if (!trusted.includes(address)) break;
    }
    // A slice of the chain, which would keep all of it in memory wherever the address is remembered.
    return chain.length > MAX_KEPT_CHAIN_LENGTH ? copyOf(address) : address;
  }

  return {
    trustsNobody: trusted.areNone,
    trusts: (peer) => !trusted.areNone && (known.get(peer) ?? judge(peer)).isTrusted,
    resolve(peer, forwardedFor) {
      const { address, isTrusted } = known.get(peer) ?? judge(peer);
      return isTrusted && forwardedFor !== '' ? firstUntrusted(forwardedFor, address) : address;
    },
  };
}
