import type { HttpRequest, HttpResponse, TemplatedApp, us_listen_socket } from 'uWebSockets.js';
import {
  createKeptConnections,
  createOverflow,
  type KeptConnections,
  type Overflow,
  type OverflowPart,
} from './connection-overflow.js';
import { freeAddress, type ListenAddress, type ListenTarget, listenError } from './listen-address.js';
import { loadUws, type UwsModule, type UwsOptions } from './load-uws.js';
import { createTlsApp, createTlsPart, type ServerCertificates } from './tls-app.js';

/** Validation of a host by a certificate authority (RFC 8555, section 8.3). */
const CHALLENGES = '/.well-known/acme-challenge/*';

/**
 * Answers a request before it returns.
 *
 * @param closing whether the connection must end with this answer
 */
export type RequestHandler = (res: HttpResponse, req: HttpRequest, closing: boolean) => void;

export interface ListenerDeps {
  /** Called for every well-formed request whose method is allowed. */
  readonly onRequest: RequestHandler;
  /** Called for TRACE and CONNECT. The addon routes by method anyway, so other requests do not pay for this. */
  readonly onForbiddenMethod: RequestHandler;
  /** Called for every connection, before its first request. */
  readonly onOpen?: (connection: HttpResponse) => void;
  /** Called for every connection that will end with its first answer, because too many are kept. */
  readonly onNotKept?: () => void;
  /** Closes connections without an answer by calling `close`, because too many are open. Default: calls it. */
  readonly cut?: (close: () => void) => void;
  /** Called for challenges of certificate authorities. The addon finds this route, so other requests do not pay for it. */
  readonly onChallenge?: RequestHandler;
  /** Serves TLS with these. Default: no TLS. */
  readonly certificates?: ServerCertificates;
  /** Shared by all ports of a process. Default: for this port alone. */
  readonly kept?: KeptConnections;
  readonly uws: UwsOptions;
}

/** A port for visitors. */
export interface Listener {
  /**
   * @throws {ListenError} when the address cannot be opened
   * @throws {UwsUnavailableError} when the HTTP server does not run on this platform
   */
  listen(target: ListenTarget): Promise<ListenAddress>;
  /** Number of open connections. */
  connections(): number;
  /**
   * Stops accepting. From now on, answers end their connections. Resolves when all connections are gone. Closes the
   * rest, mostly idle ones, after `graceMs`.
   */
  drain(graceMs: number): Promise<void>;
}

export function createListener({
  onRequest,
  onForbiddenMethod,
  onOpen,
  onNotKept = () => {},
  cut = (close) => close(),
  onChallenge,
  certificates,
  kept = createKeptConnections(),
  uws: options,
}: ListenerDeps): Listener {
  let open: { uws: UwsModule; app: TemplatedApp; overflow: Overflow; socket: us_listen_socket } | undefined;
  let connections = 0;
  /** Whether answers end their connections, because the server drains. */
  const keptAnswers = { areLast: false };
  const addKeptRoutes = (app: TemplatedApp) => addRoutes(app, keptAnswers);
  const addOverflowRoutes = (app: TemplatedApp) => addRoutes(app, { areLast: true });
  let onAllGone: (() => void) | undefined;

  function createApps(uws: UwsModule): { app: TemplatedApp; overflow: Overflow } {
    const app = certificates === undefined ? uws.App() : createTlsApp(uws, certificates, addKeptRoutes);
    if (certificates === undefined) addKeptRoutes(app);
    const overflow = createOverflow({
      acceptor: app,
      createPart: (onChange) => createPart(uws, onChange),
      kept,
      cut,
    });
    const keptChanged = (connection: HttpResponse, change: unknown) => {
      kept.count += Number(change);
      countConnection(connection, Number(change));
      overflow.keptChanged();
    };
    app.filter(keptChanged);
    return { app, overflow };
  }

  function createPart(uws: UwsModule, onChange: (change: number) => void): OverflowPart {
    const part =
      certificates === undefined ? createPlainPart(uws) : createTlsPart(uws, certificates, addOverflowRoutes);
    const overflowChanged = (connection: HttpResponse, change: unknown) => {
      if (change === 1) onNotKept();
      countConnection(connection, Number(change));
      onChange(Number(change));
    };
    part.app.filter(overflowChanged);
    return part;
  }

  function createPlainPart(uws: UwsModule): OverflowPart {
    const app = uws.App();
    addOverflowRoutes(app);
    return { app, isFull: () => false, forget: () => {} };
  }

  function addRoutes(app: TemplatedApp, answers: { readonly areLast: boolean }): void {
    app
      .any('/*', (res, req) => onRequest(res, req, answers.areLast))
      .trace('/*', (res, req) => onForbiddenMethod(res, req, answers.areLast))
      .connect('/*', (res, req) => onForbiddenMethod(res, req, answers.areLast));
    if (onChallenge === undefined) return;
    app.get(CHALLENGES, (res, req) => onChallenge(res, req, answers.areLast));
  }

  /** @param change 1 for a connection that opens, -1 for one that closes */
  function countConnection(connection: HttpResponse, change: number): void {
    connections += change;
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
      // The addon shares ports: a second process would take half of the visitors unnoticed. Its exclusive mode cannot
      // be used, because it also forbids listening while old connections are in TIME_WAIT, which a restart needs.
      const { host, port } = target.isShared === true ? target : await freeAddress(target);
      const { app, overflow } = createApps(uws);
      const socket = await listenOn(app, host, port);
      if (socket === false) {
        app.close();
        throw listenError(target, 'the system refuses it');
      }
      open = { uws, app, overflow, socket };
      return { host, port: uws.us_socket_local_port(socket) };
    },
    connections: () => connections,
    async drain(graceMs) {
      keptAnswers.areLast = true;
      if (open === undefined) return;
      const { uws, app, overflow, socket } = open;
      open = undefined;
      uws.us_listen_socket_close(socket);
      await allGoneWithin(graceMs);
      app.close();
      overflow.close();
    },
  };
}

function listenOn(app: TemplatedApp, host: string, port: number): Promise<us_listen_socket | false> {
  return new Promise((resolve) => {
    app.listen(host, port, resolve);
  });
}
