import type { FastifyInstance, FastifyRequest } from 'fastify';
import { VisitorAddress } from '../../shared/visitor/visitor-address.js';
import { callerKey } from './address-key.js';

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
