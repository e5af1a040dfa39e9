import http from 'node:http';
import { type BenchRequest, BROWSER_HEADERS } from './bench-request.js';

const ANSWER_LIMIT_MS = 30_000;

/** The parts of a request that are sent. */
export type SentRequest = Pick<BenchRequest, 'host' | 'target' | 'headers'>;

export interface RedirectAnswer {
  readonly status: number | undefined;
  readonly location: string | undefined;
}

/** Sends one request over a connection of `agent`. Rejects without an answer in time. */
export function ask(agent: http.Agent, port: number, request: SentRequest): Promise<RedirectAnswer> {
  return new Promise((resolve, reject) => {
    const sent = http.get(
      {
        agent,
        host: '127.0.0.1',
        port,
        path: request.target,
        headers: { ...BROWSER_HEADERS, ...request.headers, Host: request.host },
        timeout: ANSWER_LIMIT_MS,
      },
      (response) => {
        response.resume();
        response.once('error', reject);
        response.once('end', () => {
          resolve({ status: response.statusCode, location: response.headers.location });
        });
      },
    );
    sent.once('timeout', () => sent.destroy(new Error(`no answer within ${ANSWER_LIMIT_MS / 1000} s`)));
    sent.once('error', reject);
  });
}

/** A server has answered something that it must not. */
export class WrongAnswerError extends Error {}

/** @throws {WrongAnswerError} unless it is a 301 to one of `expected` */
export function requireRedirect(
  server: string,
  { host, target }: SentRequest,
  { status, location }: RedirectAnswer,
  expected: readonly string[],
): void {
  if (status === 301 && location !== undefined && expected.includes(location)) return;
  throw new WrongAnswerError(
    `${server} answered ${host}${target} with ${status} ${location}; right is 301 ${expected.join(' or ')}`,
  );
}
