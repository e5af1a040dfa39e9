import { createHash } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import { onTestFinished } from 'vitest';
import { encodeDocument, formatDigest } from '../../shared/ruleset/ruleset-document.js';
import type { RulesetSnapshot } from '../../shared/ruleset/ruleset-feed.js';

export interface RulesetServer {
  readonly url: string;
  readonly requests: readonly http.IncomingMessage[];
  /** Ends it before the test does. */
  stop(): void;
}

/** A server that answers as the test says, until the test ends. */
export async function startRulesetServer(answer: http.RequestListener): Promise<RulesetServer> {
  const requests: http.IncomingMessage[] = [];
  const server = http.createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(stop);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return { url: `http://127.0.0.1:${address.port}`, requests, stop };
}

/** A ruleset as a control plane sends it. */
export function documentOf(snapshot: RulesetSnapshot): { body: Buffer; headers: http.OutgoingHttpHeaders } {
  const body = Buffer.concat([...encodeDocument(snapshot)]);
  const digest = formatDigest(createHash('sha256').update(body).digest());
  return { body, headers: { 'Unencoded-Digest': digest, 'Content-Type': 'application/x-ndjson' } };
}
