import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { DataplaneState } from '../../shared/ruleset/dataplane-report.js';
import { normalizeHost } from '../../shared/ruleset/host-name.js';
import { type ListenAddress, type ListenTarget, listenError } from './listen-address.js';

/** Maximum length of a DNS name. */
const MAX_HOST_LENGTH = 253;

/** Body of `/readyz`. */
export interface Readiness {
  /**
   * Whether visitors can be answered. For up to 5 s after a start it is false until the feed confirms the ruleset on disk, which may
   * be old. It is true with an old ruleset while the feed has a problem.
   */
  readonly ready: boolean;
  /** `epoch.seq`, or null while there is no ruleset. */
  readonly version: string | null;
  readonly ageMs: number | null;
  readonly state: DataplaneState;
  readonly hosts: number;
  readonly lastError: string | null;
  /** Progress of a ruleset's delivery, in words. Absent while none is in progress. */
  readonly progress?: string;
}

/** Health, readiness and metrics, on a port that visitors do not reach. */
export interface AdminListener {
  /** @throws {ListenError} */
  listen(target: ListenTarget): Promise<ListenAddress>;
  close(): Promise<void>;
}

export interface AdminListenerDeps {
  /** Returns the body of `/readyz`. The status is 200 when `ready`, otherwise 503. */
  readonly readiness: () => { readonly ready: boolean } | Promise<{ readonly ready: boolean }>;
  /** Decides whether `/healthz` answers 200 or 503. Default: always healthy. */
  readonly isHealthy?: () => Promise<boolean>;
  /** Returns whether there is a redirect for a host; undefined while that is not known. Default: not answered. */
  readonly serves?: (host: string) => Promise<boolean | undefined>;
  readonly metrics: Pick<Registry, 'contentType' | 'metrics'>;
  readonly logger: Logger;
}

export function createAdminListener({
  readiness,
  isHealthy = async () => true,
  serves,
  metrics,
  logger,
}: AdminListenerDeps): AdminListener {
  async function checkHealth(res: ServerResponse): Promise<void> {
    const healthy = await isHealthy().catch((error: unknown) => {
      logger.error({ err: error }, 'the health check failed');
      return false;
    });
    sendJson(res, healthy ? 200 : 503, { status: healthy ? 'ok' : 'failing' });
  }

  async function report(res: ServerResponse): Promise<void> {
    try {
      const body = await readiness();
      sendJson(res, body.ready ? 200 : 503, body);
    } catch (error) {
      logger.error({ err: error }, 'finding out whether visitors can be answered failed');
      sendJson(res, 503, { ready: false });
    }
  }

  /** Tells proxies whether to obtain a certificate (https://caddyserver.com/docs/automatic-https#on-demand-tls). */
  async function answerAsk(res: ServerResponse, query: string): Promise<void> {
    const host = normalizeHost(new URLSearchParams(query).get('domain') ?? '');
    const isServed = host === '' || host.length > MAX_HOST_LENGTH ? false : await serves?.(host);
    if (isServed === undefined) sendJson(res, 503, { error: 'no process answers visitors' });
    else if (isServed) sendJson(res, 200, { domain: host });
    else sendJson(res, 404, { error: 'domain must be a host with a verified, enabled redirect' });
  }

  async function measure(res: ServerResponse): Promise<void> {
    try {
      send(res, 200, metrics.contentType, await metrics.metrics());
    } catch (error) {
      logger.error({ err: error }, 'collecting metrics failed');
      sendJson(res, 500, { error: 'collecting metrics failed' });
    }
  }

  const answer: RequestListener = (req, res) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.setHeader('Allow', 'GET, HEAD');
      sendJson(res, 405, { error: 'only GET and HEAD are answered here' });
      return;
    }
    const [path, query = ''] = splitTarget(req.url ?? '');
    switch (path) {
      case '/healthz':
        void checkHealth(res);
        return;
      case '/readyz':
        void report(res);
        return;
      case '/metrics':
        void measure(res);
        return;
      case '/tls/ask':
        if (serves === undefined) break;
        void answerAsk(res, query);
        return;
    }
    const asked = serves === undefined ? '' : ', /tls/ask';
    sendJson(res, 404, { error: `try /healthz, /readyz${asked} or /metrics` });
  };
  const server = createServer(answer);

  return {
    listen: (target) =>
      new Promise((resolve, reject) => {
        const fail = (error: NodeJS.ErrnoException): void =>
          reject(listenError(target, error.code ?? error.message));
        server.once('error', fail);
        server.listen({ host: target.host, port: target.port }, () => {
          server.off('error', fail);
          server.on('error', (error) => logger.error({ err: error }, 'the admin port has trouble'));
          const address = server.address();
          const port = typeof address === 'object' && address !== null ? address.port : target.port;
          resolve({ host: target.host, port });
        });
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function splitTarget(target: string): [path: string, query?: string] {
  const at = target.indexOf('?');
  return at === -1 ? [target] : [target.slice(0, at), target.slice(at + 1)];
}

function sendJson(res: ServerResponse, statusCode: number, body: object): void {
  send(res, statusCode, 'application/json; charset=utf-8', JSON.stringify(body));
}

function send(res: ServerResponse, statusCode: number, contentType: string, body: string): void {
  res.statusCode = statusCode;
  res.setHeader('Content-Type', contentType);
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Content-Length', Buffer.byteLength(body));
  res.end(body);
}
