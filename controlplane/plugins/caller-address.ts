import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createVisitorAddress } from '../../shared/visitor/visitor-address.js';
import { callerKey } from './address-key.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Names who makes the request by its address, as {@link callerKey} does. */
    readonly callerKey: string;
  }
}

/** Names who makes a request, as far as its address says. */
export type CallerKeyOf = (request: Pick<FastifyRequest, 'headers' | 'socket'>) => string;

export interface CallerAddressOptions {
  /** CIDR ranges of proxies that are believed about the address behind them. */
  readonly trustedProxies: readonly string[];
  /** The header in which they name it. Default: `X-Forwarded-For`. */
  readonly clientIpHeader?: string;
}

/** Finds out who calls as data planes find out who visits: by the peer, and by what trusted proxies say. */
export function createCallerKeys({ trustedProxies, clientIpHeader }: CallerAddressOptions): CallerKeyOf {
  const addresses = createVisitorAddress(trustedProxies, clientIpHeader);
  return ({ headers, socket: { remoteAddress: peer = '' } }) => {
    const said = [headers[addresses.header] ?? ''].flat().join(',');
    return callerKey(addresses.resolve(peer, said), peer);
  };
}

/** Gives routes the name of their caller. */
export function useCallerKeys(app: FastifyInstance, keyOf: CallerKeyOf): void {
  app.decorateRequest('callerKey', {
    getter() {
      return keyOf(this);
    },
  });
}
