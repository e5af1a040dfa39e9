import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { createRegexGuard } from '../../shared/rules/regex-guard.js';
import type { RedirectDefinition } from '../../shared/ruleset/redirect-definition.js';
import { VisitorAddress } from '../../shared/visitor/visitor-address.js';
import { RulesetTable } from '../sync/ruleset-table.js';
import type { VisitorSources } from '../visitor/request-visitor.js';
import { testVisitorSources } from '../visitor/visitor-sources.fixture.js';
import { createConnectionWatch } from './connection-watch.js';
import { createForbiddenMethodHandler } from './forbidden-method.js';
import { createKeptHits } from './kept-hits.fixture.js';
import type { ListenTarget } from './listen-address.js';
import { createListener, type Listener, type RequestHandler } from './listener.js';
import type { UwsOptions } from './load-uws.js';
import { createRedirectHandler } from './redirect-handler.js';
import { createRequestCounts, createRuleCounts } from './request-counts.js';
import type { TurnWatch } from './turn-watch.js';
import { createUnreadAnswers, type UnreadAnswers } from './unread-answers.js';

export const VERSION = { epoch: 1_700_000_000, seq: 1 };

export function visitorTarget(port = 0, host = '127.0.0.1'): ListenTarget {
  return { host, port, hostVariable: 'REDIRECT_HOST', portVariable: 'REDIRECT_PORT' };
}

/** A listener that closes idle connections as it does by default, and gives every request to one handler. */
export function createTestListener(onRequest: RequestHandler): Listener {
  return createListener({ onRequest, onForbiddenMethod: onRequest, uws: UWS_OPTIONS });
}

const UWS_OPTIONS: UwsOptions = { keepAliveSeconds: 75, warn: failTest };

function failTest(message: string): void {
  throw new Error(message);
}

export interface VisitorPortOptions {
  readonly trustedProxies?: readonly string[];
  readonly clientIpHeader?: string;
  readonly host?: string;
  readonly visitorSources?: VisitorSources;
  readonly publicHttpsPort?: number;
  readonly turnWatch?: TurnWatch;
  /** Returns whether an answer of that length is a probe. Default: as in the product. */
  readonly isProbe?: UnreadAnswers['isProbe'];
  /** Called instead of the handler, with it. Default: the handler itself. */
  readonly around?: (handler: RequestHandler) => RequestHandler;
}

/** Answers visitors on a free port until the test ends. Without definitions there is no ruleset. */
export async function openVisitorPort(
  definitions: readonly RedirectDefinition[] | undefined,
  {
    trustedProxies = [],
    clientIpHeader,
    host = '127.0.0.1',
    visitorSources = testVisitorSources(),
    publicHttpsPort,
    turnWatch,
    isProbe,
    around = (handler) => handler,
  }: VisitorPortOptions = {},
) {
  const recorder = createKeptHits();
  const table = new RulesetTable({ recorder, regexGuard: createRegexGuard() });
  if (definitions !== undefined) table.replaceAll({ version: VERSION, redirects: definitions });
  const logger = pino({ level: 'silent' });
  const counts = createRequestCounts();
  const ruleCounts = createRuleCounts();
  const connectionWatch = createConnectionWatch({ keepAliveSeconds: UWS_OPTIONS.keepAliveSeconds, logger });
  const { unread: closed } = connectionWatch;
  const unread = isProbe === undefined ? createUnreadAnswers({ onClosed: closed }) : { isProbe, closed };
  const handler = createRedirectHandler({
    table,
    recorder,
    visitorAddress: new VisitorAddress(trustedProxies, clientIpHeader),
    visitorSources,
    counts,
    ruleCounts,
    logger,
    unread,
    ...(publicHttpsPort !== undefined && { publicHttpsPort }),
    ...(turnWatch !== undefined && { turnWatch }),
  });
  const listener = createListener({
    onRequest: around(handler),
    onForbiddenMethod: createForbiddenMethodHandler(counts, unread),
    onOpen: connectionWatch.opened,
    uws: UWS_OPTIONS,
  });
  const { port } = await listener.listen(visitorTarget(0, host));
  onTestFinished(() => listener.drain(0));
  return { port, listener, table, counts, ruleCounts, recorder, connectionCounts: connectionWatch.counts };
}
