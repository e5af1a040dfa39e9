import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Area } from '../../area.js';
import type { IsOperator } from '../../http/current-user.js';
import type { RoundWork } from '../../jobs/background-work.js';
import type { Database } from '../../storage/postgres/database.js';
import type { RedirectService } from '../redirects/public.js';
import { createFindAddresses, createGuardedLookup, isPublicAddress } from '../webhooks/public.js';
import { type CheckDispatcher, createCheckDispatcher } from './check-dispatcher.js';
import { createDestinationCheck, createSitePauses } from './destination-check.js';
import { createDestinationRequest } from './destination-request.js';
import { createDestinationRoutes } from './destination-routes.js';
import { createDestinationSync } from './destination-sync.js';
import { createStateNews } from './state-news.js';

/** Minimum time between two requests of this process to one site, those of redirects included. */
const REQUEST_INTERVAL_MS = 2_000;

export interface DestinationsDeps {
  readonly database: Database;
  readonly redirects: Pick<RedirectService, 'requireOwned'>;
  readonly isOperator: IsOperator;
  /** `off` sends no requests; `private` sends them to private networks too. */
  readonly checks: 'on' | 'off' | 'private';
  /** `IP:port` of name servers to ask instead of the system's. */
  readonly dnsServers?: readonly string[] | undefined;
  /** Address of the API, sent in requests. */
  readonly publicApiUrl: string | undefined;
  readonly metrics: Registry;
  readonly logger: Logger;
  /** Certificate authorities (PEM) of servers. Default: those that Node trusts. */
  readonly authorities?: readonly string[] | undefined;
  readonly requestTimeoutMs?: number | undefined;
  readonly requestIntervalMs?: number | undefined;
  readonly siteIntervalSeconds?: number | undefined;
}

/** Destinations of redirects, and whether they work. */
export interface Destinations extends Area {
  readonly sync: RoundWork;
  readonly dispatcher: CheckDispatcher;
  readonly news: RoundWork;
}

/** Composes the area. */
export function createDestinations(deps: DestinationsDeps): Destinations {
  const { database, redirects, checks, publicApiUrl, metrics, logger, siteIntervalSeconds } = deps;
  const mayConnectTo = checks === 'private' ? () => true : isPublicAddress;
  const request = createDestinationRequest({
    lookup: createGuardedLookup(createFindAddresses(deps.dnsServers), mayConnectTo),
    userAgent: userAgentOf(publicApiUrl),
    authorities: deps.authorities,
  });
  const check = createDestinationCheck({
    request,
    takeTurn: createSitePauses(deps.requestIntervalMs ?? REQUEST_INTERVAL_MS),
    requestTimeoutMs: deps.requestTimeoutMs,
  });
  const sync = createDestinationSync({ database, logger });
  const dispatcher = createCheckDispatcher({ database, check, metrics, logger, siteIntervalSeconds });
  const news = createStateNews({ database, logger });
  return {
    routes: [createDestinationRoutes({ database, redirects, isOperator: deps.isOperator })],
    jobs: checks === 'off' ? [] : [sync, dispatcher, news],
    sync,
    dispatcher,
    news,
  };
}

/** Names the product and, where it is known, the page that documents the requests. */
function userAgentOf(publicApiUrl: string | undefined): string {
  const page = publicApiUrl === undefined ? '' : ` (+${publicApiUrl.replace(/\/$/, '')}/docs)`;
  return `Waymark-Destination-Check/1${page}`;
}
