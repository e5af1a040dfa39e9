import http from 'node:http';
import { ask, requireRedirect } from '../traffic/ask.js';
import type { Product } from './product.js';

export const VISITOR_TARGET = '/item?id=1';
/** Time limit for an answer that never comes, on the busiest machine. */
const VISIBLE_WITHIN_MS = 60_000;
const NOT_SERVED_YET: readonly (number | undefined)[] = [404, 503];

/** A visitor who requests one host continuously. */
export interface Visitor {
  /** Resolves once a new host is answered. @throws when that takes over a minute, or the answer is wrong */
  untilServed(destination: string): Promise<void>;
  /**
   * Resolves once the answer redirects to `after`. Until then only `before` is accepted.
   *
   * @returns the Unix time in milliseconds, with fractions
   */
  untilChanged(before: string, after: string): Promise<number>;
  leave(): void;
}

/** A visitor of a product, over one connection. */
export function createVisitor({ redirectPort }: Pick<Product, 'redirectPort'>, host: string): Visitor {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const request = { host, target: VISITOR_TARGET };

  async function until(after: string, before: string | undefined): Promise<number> {
    const right = [before, after].flatMap((start) => (start === undefined ? [] : [start + VISITOR_TARGET]));
    const endsAtMs = performance.now() + VISIBLE_WITHIN_MS;
    while (performance.now() < endsAtMs) {
      const answer = await ask(agent, redirectPort, request);
      const atMs = performance.timeOrigin + performance.now();
      if (before === undefined && NOT_SERVED_YET.includes(answer.status)) continue;
      requireRedirect('waymark', request, answer, right);
      if (answer.location === after + VISITOR_TARGET) return atMs;
    }
    throw new Error(`a change was not visible within ${VISIBLE_WITHIN_MS / 1000} s`);
  }

  return {
    async untilServed(destination) {
      await until(destination, undefined);
    },
    untilChanged: (before, after) => until(after, before),
    leave: () => agent.destroy(),
  };
}
