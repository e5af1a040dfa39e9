import { isIP } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseForwardedAddress } from '../../shared/visitor/address-text.js';
import { VisitorAddress } from '../../shared/visitor/visitor-address.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Key of the caller by its address, see {@link callerKey}. */
    readonly callerKey: string;
    /** Address of the caller, in one spelling; empty if it is not known. */
    readonly callerAddress: string;
  }
}

type Head = Pick<FastifyRequest, 'headers' | 'socket'>;

/** Returns the key of a request's caller by its address. */
export type CallerKeyOf = (request: Head) => string;

export interface Callers {
  readonly keyOf: CallerKeyOf;
  readonly addressOf: (request: Head) => string;
}

export interface CallerAddressOptions {
  /** CIDR ranges of proxies whose `clientIpHeader` is believed. */
  readonly trustedProxies: readonly string[];
  /** Header in which they name the client's address. Default: `X-Forwarded-For`. */
  readonly clientIpHeader?: string;
}

/** Resolves callers' addresses with the code that data planes use for visitors. */
export function createCallers({ trustedProxies, clientIpHeader }: CallerAddressOptions): Callers {
  const addresses = new VisitorAddress(trustedProxies, clientIpHeader);
  const addressOf = ({ headers, socket: { remoteAddress: peer = '' } }: Head) =>
    addresses.resolve(peer, [headers[addresses.header] ?? ''].flat().join(','));
  return { addressOf, keyOf: (request) => callerKey(addressOf(request), request.socket.remoteAddress ?? '') };
}

/** Adds `callerKey` and `callerAddress` to requests. */
export function useCallers(app: FastifyInstance, { keyOf, addressOf }: Callers): void {
  app.decorateRequest('callerKey', {
    getter() {
      return keyOf(this);
    },
  });
  app.decorateRequest('callerAddress', {
    getter() {
      return addressOf(this);
    },
  });
}

/** Groups of an IPv6 /64. One customer gets at least a /64 (RFC 6177) and can use every address in it. */
const NETWORK_GROUPS = 4;
const GROUPS = 8;

/**
 * Returns the IPv4 address or the IPv6 /64 prefix of `text` in its canonical form; undefined for other text.
 *
 * @param text address of a socket, or an entry of `X-Forwarded-For`
 */
export function addressKey(text: string): string | undefined {
  const address = parseForwardedAddress(text);
  if (address === undefined || isIP(address) === 4) return address;
  const [head = '', tail] = address.split('::');
  const first = groupsOf(head);
  const last = tail === undefined ? [] : groupsOf(tail);
  const zeros = Array.from({ length: GROUPS - first.length - last.length }, () => '0');
  return `${[...first, ...zeros, ...last].slice(0, NETWORK_GROUPS).join(':')}::/64`;
}

/**
 * Returns the rate-limit key of a caller without a user.
 *
 * @param address address of the caller, perhaps as a trusted proxy reported it
 * @param peer address of the proxy, used when `address` is not valid
 */
export function callerKey(address: string, peer: string | undefined): string {
  return `address:${addressKey(address) ?? addressKey(peer ?? '') ?? 'unknown'}`;
}

function groupsOf(part: string): string[] {
  return part === '' ? [] : part.split(':');
}
