import { BlockList, isIP } from 'node:net';
import { parseAddress, parseForwardedAddress } from '../../shared/visitor/address-text.js';
import { cachedByText } from '../../shared/visitor/text-cache.js';

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

const MAX_KNOWN_PROXIES = 1_000;
const MAX_KNOWN_CHAINS = 20_000;
/** Stands between the addresses of a chain, as in the header. */
const SEPARATOR = ',';

/**
 * Remembers which proxies it trusts and what it made of a chain of addresses: visitors come again, and `BlockList`
 * makes an object outside of V8's heap for each address that it is asked for.
 *
 * @param trustedProxies CIDR ranges or single addresses; anything a peer outside of them says is ignored
 * @throws {RangeError} naming the entry that is neither
 */
export function createVisitorAddress(trustedProxies: readonly string[]): VisitorAddress {
  const trusted = blockListOf(trustedProxies);
  const trustsNobody = trustedProxies.length === 0;
  const judged = new Map<string, boolean>();

  function isTrusted(address: string): boolean {
    return !trustsNobody && trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  }

  function judge(peer: string): boolean {
    const address = parseAddress(peer);
    const isOurs = address !== undefined && isTrusted(address);
    if (judged.size === MAX_KNOWN_PROXIES) judged.clear();
    judged.set(peer, isOurs);
    return isOurs;
  }

  /** @param chain from the visitor, or whoever pretends to be, to the peer */
  function firstUntrusted(chain: string): string {
    // Each proxy appends the address it saw, so entries are believable from the right up to the first one that
    // no trusted proxy wrote; everything left of it may be made up by the visitor.
    let end = chain.lastIndexOf(SEPARATOR);
    let address = parseAddress(chain.slice(end + 1)) ?? '';
    while (end > 0 && address !== '' && isTrusted(address)) {
      const comma = chain.lastIndexOf(SEPARATOR, end - 1);
      const entry = chain.slice(comma + 1, end).trim();
      end = comma;
      if (entry === '') continue;
      const forwarded = parseForwardedAddress(entry);
      if (forwarded === undefined) break;
      address = forwarded;
    }
    return address;
  }

  const resolveChain = cachedByText(firstUntrusted, MAX_KNOWN_CHAINS);

  return {
    trustsNobody,
    trusts: (peer) => !trustsNobody && (judged.get(peer) ?? judge(peer)),
    resolve: (peer, forwardedFor) => resolveChain(forwardedFor + SEPARATOR + peer),
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
