import { servesHost } from '../../../shared/paths/publish-table.js';
import { readUrl } from '../../../shared/process/read-url.js';
import type { Visitor } from '../../../shared/rules/attributes.js';
import { normalizeHost } from '../../../shared/ruleset/host-name.js';
import { createHttpsUpgrade, type HttpsUpgrade } from '../../../shared/ruleset/https-upgrade.js';
import { cookieValue } from '../../../shared/visitor/cookie-value.js';
import { AppError } from '../../errors/app-error.js';
import { parseDateField } from '../redirects/public.js';
import { createTestedVisitor, readAddress, type VisitorInsight } from '../rules/public.js';
import type { ExampleRequest } from './example-schema.js';

/** The visit that an example describes. */
export interface Visit {
  readonly method: string;
  readonly isSecure: boolean;
  /** Value of the header `Host`. */
  readonly hostHeader: string;
  /** Normalised. */
  readonly host: string;
  /** Path and query as a browser sends them. */
  readonly path: string;
  readonly query: string;
  readonly nowMs: number;
  readonly visitor: Visitor;
  /** Leads from HTTP to HTTPS as data planes do. */
  readonly upgrade: HttpsUpgrade;
  /** Returns whether a choice that the example leaves open was read since the last call. */
  takeDraw(): boolean;
}

/** The parts of a URL that a request has. */
export type RequestTarget = Pick<Visit, 'isSecure' | 'hostHeader' | 'host' | 'path' | 'query'>;

/**
 * Reads the URL of an example.
 *
 * @param redirectHost `fromDomain` of the redirect
 * @throws {AppError} VALIDATION_ERROR naming `field`
 */
export function readTarget(text: string, redirectHost: string, field: string): RequestTarget {
  const url = readUrl(text);
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  const host = normalizeHost(url?.hostname ?? '');
  if (url === undefined || !isHttp || url.username !== '' || !servesHost(redirectHost, host)) {
    throw new AppError('VALIDATION_ERROR', {
      field,
      message: `${field} must be an http or https URL with the host ${redirectHost}, without user information.`,
    });
  }
  return {
    isSecure: url.protocol === 'https:',
    hostHeader: url.host,
    host,
    path: url.pathname,
    query: url.search.slice(1),
  };
}

/**
 * Makes the visit of a request that was checked when its example was stored.
 *
 * @param now time of requests without one
 * @param upgrade default: to port 443
 */
export function createVisit(
  request: ExampleRequest,
  redirectHost: string,
  insight: VisitorInsight,
  now: Date,
  upgrade: HttpsUpgrade = createHttpsUpgrade(),
): Visit {
  const { headers = {}, userAttributes = {}, method = 'GET', visitorId } = request;
  const target = readTarget(request.url, redirectHost, 'url');
  const at = parseDateField(request.at ?? null, 'at', 'start') ?? now;
  const attributes = {
    ...userAttributes,
    ...textOf('user_agent', headers['user-agent']),
    ...textOf('language', headers['accept-language']),
    ...textOf('referrer', headers.referer),
    url_path: target.path,
  };
  const address = readAddress(userAttributes.ip_address, 'ip_address');
  const described = { attributes, address, query: target.query, visitorId };
  const visitor = createTestedVisitor(described, insight, at);
  let isDrawn = false;
  const open = <Choice>(choice: Choice): Choice => {
    isDrawn = true;
    return choice;
  };
  const undecided = { visitorId: () => open(''), draw: () => open(0) };
  return {
    ...target,
    method,
    nowMs: at.getTime(),
    upgrade,
    visitor: {
      ...visitor,
      ...(visitorId === undefined && undecided),
      cookie: (name) => cookieValue(headers.cookie ?? '', name),
    },
    takeDraw() {
      const wasDrawn = isDrawn;
      isDrawn = false;
      return wasDrawn;
    },
  };
}

function textOf(name: string, text: string | undefined) {
  return text === undefined ? {} : { [name]: text };
}
