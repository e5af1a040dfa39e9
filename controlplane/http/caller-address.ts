import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createVisitorAddress } from '../../shared/visitor/visitor-address.js';
import { callerKey } from './address-key.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Key of the caller by its address, see {@link callerKey}. */
    readonly callerKey: string;
  }
}

/** Returns the key of a request's caller by its address. */
export type CallerKeyOf = (request: Pick<FastifyRequest, 'headers' | 'socket'>) => string;

export interface CallerAddressOptions {
  /** CIDR ranges of proxies whose `clientIpHeader` is believed. */
  readonly trustedProxies: readonly string[];
  /** Header in which they name the client's address. Default: `X-Forwarded-For`. */
  readonly clientIpHeader?: string;
}

/** Resolves callers' addresses with the code that data planes use for visitors. */
export function createCallerKeys({ trustedProxies, clientIpHeader }: CallerAddressOptions): CallerKeyOf {
  const addresses = createVisitorAddress(trustedProxies, clientIpHeader);
  return ({ headers, socket: { remoteAddress: peer = '' } }) => {
    const said = [headers[addresses.header] ?? ''].flat().join(',');
    return callerKey(addresses.resolve(peer, said), peer);
  };
}

/** Adds `callerKey` to requests. */
export function useCallerKeys(app: FastifyInstance, keyOf: CallerKeyOf): void {
  app.decorateRequest('callerKey', {
    getter() {
      return keyOf(this);
    },
  });
}
