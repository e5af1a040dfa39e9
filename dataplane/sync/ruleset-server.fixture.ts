import { once } from 'node:events';
import http from 'node:http';
import { onTestFinished } from 'vitest';
import { encodeRuleset } from '../../shared/ruleset/encoded-ruleset.fixture.js';
import { RULESET_MEDIA_TYPE } from '../../shared/ruleset/ruleset-document.js';
import type { RulesetSnapshot } from '../../shared/ruleset/ruleset-feed.js';

export interface RulesetServer {
  readonly url: string;
  readonly requests: readonly http.IncomingMessage[];
  /** Ends the server before the end of the test. */
  stop(): void;
}

/** A server with the answers of the test, until the test ends. */
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

/** A ruleset as control planes send it. */
export async function documentOf(
  snapshot: RulesetSnapshot,
): Promise<{ body: Buffer; headers: http.OutgoingHttpHeaders }> {
  const { document } = await encodeRuleset(snapshot);
  return { body: document, headers: { 'Content-Type': RULESET_MEDIA_TYPE } };
}
