import type { HttpRequest, HttpResponse, TemplatedApp, us_listen_socket } from 'uWebSockets.js';
import { freeAddress, type ListenAddress, type ListenTarget, listenError } from './listen-address.js';
import { loadUws, type UwsModule, type UwsOptions } from './load-uws.js';
import { createTlsApp, type ServerCertificates } from './tls-app.js';

/** Validation of a host by a certificate authority (RFC 8555, section 8.3). */
const CHALLENGES = '/.well-known/acme-challenge/*';

/**
 * Answers a request before it returns.
 *
 * @param closing whether the connection is to end with this answer
 */
export type RequestHandler = (res: HttpResponse, req: HttpRequest, closing: boolean) => void;

export interface ListenerDeps {
  /** Called for every well-formed request whose method is allowed. */
  readonly onRequest: RequestHandler;
  /** Called for TRACE and CONNECT. The addon routes by method anyway, so other requests do not pay for this. */
  readonly onForbiddenMethod: RequestHandler;
  /** Called for every connection, before its first request. */
  readonly onOpen?: (connection: HttpResponse) => void;
  /** Called for challenges of certificate authorities. The addon finds this route, so other requests do not pay for it. */
  readonly onChallenge?: RequestHandler;
  /** Serves TLS with these. Default: no TLS. */
  readonly certificates?: ServerCertificates;
  readonly uws: UwsOptions;
}

/** A port for visitors. */
export interface Listener {
  /**
   * @throws {ListenError} when the address cannot be had
   * @throws {UwsUnavailableError} when the HTTP server does not run on this platform
   */
  listen(target: ListenTarget): Promise<ListenAddress>;
  /** Number of open connections. */
  connections(): number;
  /**
   * Stops accepting; answers end their connections from now on. Resolves when all connections are gone; those
   * still open after `graceMs`, idle ones as a rule, are closed.
   */
  drain(graceMs: number): Promise<void>;
}

export function createListener({
  onRequest,
  onForbiddenMethod,
  onOpen,
  onChallenge,
  certificates,
  uws: options,
}: ListenerDeps): Listener {
  let open: { uws: UwsModule; app: TemplatedApp; socket: us_listen_socket } | undefined;
  let connections = 0;
  let draining = false;
  let onAllGone: (() => void) | undefined;

  function createApp(uws: UwsModule): TemplatedApp {
    if (certificates !== undefined) return createTlsApp(uws, certificates, addRoutes).filter(countConnection);
    const app = uws.App().filter(countConnection);
    addRoutes(app);
    return app;
  }

  function addRoutes(app: TemplatedApp): void {
    app
      .any('/*', (res, req) => onRequest(res, req, draining))
      .trace('/*', (res, req) => onForbiddenMethod(res, req, draining))
      .connect('/*', (res, req) => onForbiddenMethod(res, req, draining));
    if (onChallenge === undefined) return;
    app.get(CHALLENGES, (res, req) => onChallenge(res, req, draining));
  }

  /** @param change 1 for a connection that opens, -1 for one that closes */
  function countConnection(connection: HttpResponse, change: unknown): void {
    connections += Number(change);
    if (change === 1) onOpen?.(connection);
    if (connections === 0) onAllGone?.();
  }

  function allGoneWithin(graceMs: number): Promise<void> {
    if (connections === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      onAllGone = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  return {
    async listen(target) {
      const uws = loadUws(options);
      // The addon shares ports: a second process would silently take half of the visitors. Its exclusive mode is
      // no way out, for it also forbids what a restart needs, to listen while old connections are in TIME_WAIT.
      const { host, port } = target.isShared === true ? target : await freeAddress(target);
      const app = createApp(uws);
      const socket = await listenOn(app, host, port);
      if (socket === false) {
        app.close();
        throw listenError(target, 'the system refuses it');
      }
      open = { uws, app, socket };
      return { host, port: uws.us_socket_local_port(socket) };
    },
    connections: () => connections,
    async drain(graceMs) {
      draining = true;
      if (open === undefined) return;
      const { uws, app, socket } = open;
      open = undefined;
      uws.us_listen_socket_close(socket);
      await allGoneWithin(graceMs);
      app.close();
    },
  };
}

function listenOn(app: TemplatedApp, host: string, port: number): Promise<us_listen_socket | false> {
  return new Promise((resolve) => {
    app.listen(host, port, resolve);
  });
}
