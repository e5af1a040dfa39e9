import { BlockList, isIP } from 'node:net';
import { parseAddress, parseForwardedAddress } from '../../shared/visitor/address-text.js';

/** Tells which address a request came from, as far as it can be believed. */
export interface VisitorAddress {
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

/**
 * @param trustedProxies CIDR ranges or single addresses; anything a peer outside of them says is ignored
 * @throws {RangeError} naming the entry that is neither
 */
export function createVisitorAddress(trustedProxies: readonly string[]): VisitorAddress {
  const trusted = blockListOf(trustedProxies);
  const trustsNobody = trustedProxies.length === 0;

  function isTrusted(address: string): boolean {
    return !trustsNobody && trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  }

  return {
    trusts(peer) {
      if (trustsNobody) return false;
      const address = parseAddress(peer);
      return address !== undefined && isTrusted(address);
    },
    resolve(peer, forwardedFor) {
      // Each proxy appends the address it saw, so entries are believable from the right up to the first one that
      // no trusted proxy wrote; everything left of it may be made up by the visitor.
      let address = parseAddress(peer) ?? '';
      let end = forwardedFor.length;
      while (end > 0 && address !== '' && isTrusted(address)) {
        const comma = forwardedFor.lastIndexOf(',', end - 1);
        const entry = forwardedFor.slice(comma + 1, end).trim();
        end = comma;
        if (entry === '') continue;
        const forwarded = parseForwardedAddress(entry);
        if (forwarded === undefined) break;
        address = forwarded;
      }
      return address;
    },
  };
}

function blockListOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', prefix] = range.split('/');
    const version = isIP(network);
    if (version === 0) throw new RangeError(`"${range}" is neither an address nor a CIDR range`);
    const family = version === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(network, family);
    else list.addSubnet(network, Number(prefix), family);
  }
  return list;
}
