import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { DataplaneState } from '../../shared/ruleset/dataplane-report.js';
import { type ListenAddress, type ListenTarget, listenError } from './listen-address.js';

/** Body of `/readyz`. */
export interface Readiness {
  /** Whether visitors can be answered, be it from an old ruleset. */
  readonly ready: boolean;
  /** `epoch.seq`, or null while there is no ruleset. */
  readonly version: string | null;
  readonly ageMs: number | null;
  readonly state: DataplaneState;
  readonly hosts: number;
  readonly lastError: string | null;
  /** How far the delivery of a ruleset has come, in words. Absent while none is under way. */
  readonly progress?: string;
}

/** Health, readiness and metrics, on a port that visitors do not reach. */
export interface AdminListener {
  /** @throws {ListenError} */
  listen(target: ListenTarget): Promise<ListenAddress>;
  close(): Promise<void>;
}

export interface AdminListenerDeps {
  /** Becomes the body of `/readyz`; its status is 200 when `ready`, else 503. */
  readonly readiness: () => { readonly ready: boolean } | Promise<{ readonly ready: boolean }>;
  /** Decides whether `/healthz` answers 200 or 503. Default: always healthy. */
  readonly isHealthy?: () => Promise<boolean>;
  readonly metrics: Pick<Registry, 'contentType' | 'metrics'>;
  readonly logger: Logger;
}

export function createAdminListener({
  readiness,
  isHealthy = async () => true,
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
    switch (req.url?.split('?', 1)[0]) {
      case '/healthz':
        void checkHealth(res);
        return;
      case '/readyz':
        void report(res);
        return;
      case '/metrics':
        void measure(res);
        return;
      default:
        sendJson(res, 404, { error: 'try /healthz, /readyz or /metrics' });
    }
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
