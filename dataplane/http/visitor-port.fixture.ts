import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import type { RedirectDefinition } from '../../shared/ruleset/redirect-definition.js';
import { createRulesetTable } from '../sync/ruleset-table.js';
import { createVisitorAddress } from '../visitor/visitor-address.js';
import { createKeptHits } from './hit-recorder.fixture.js';
import type { ListenTarget } from './listen-address.js';
import { createListener } from './listener.js';
import { createRedirectHandler } from './redirect-handler.js';
import { createRequestCounts } from './request-counts.js';

export const VERSION = { epoch: 1_700_000_000, seq: 1 };

export function visitorTarget(port = 0, host = '127.0.0.1'): ListenTarget {
  return { host, port, hostVariable: 'REDIRECT_HOST', portVariable: 'REDIRECT_PORT' };
}

/** Answers visitors on a free port until the test ends. Without definitions there is no ruleset. */
export async function openVisitorPort(
  definitions: readonly RedirectDefinition[] | undefined,
  { trustedProxies = [] as string[], host = '127.0.0.1' } = {},
) {
  const recorder = createKeptHits();
  const table = createRulesetTable({ tallyOf: recorder.tallyOf });
  if (definitions !== undefined) table.replaceAll({ version: VERSION, redirects: definitions });
  const counts = createRequestCounts();
  const handler = createRedirectHandler({
    table,
    recorder,
    visitorAddress: createVisitorAddress(trustedProxies),
    counts,
    logger: pino({ level: 'silent' }),
  });
  const listener = createListener(handler);
  const { port } = await listener.listen(visitorTarget(0, host));
  onTestFinished(() => listener.drain(0));
  return { port, listener, table, counts, recorder };
}
