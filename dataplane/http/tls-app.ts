import type { AppOptions, TemplatedApp } from 'uWebSockets.js';
import type { OverflowPart } from './connection-overflow.js';
import type { UwsModule } from './load-uws.js';

/** Forward secrecy only, for TLS 1.2. Those of TLS 1.3 are not configurable, and the addon refuses older versions. */
const CIPHERS = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

/** Makes a certificate usable for the addon, which reads certificates from files only. */
export interface LoadableCertificate {
  /** Name as in Server Name Indication: a host, or `*.` and a domain for all hosts one label below it. */
  readonly name: string;
  /** Calls `load` with a file of certificates and private key, PEM, which exists during the call. */
  withFile(load: (file: string) => void): void;
}

/** Certificates by name. */
export interface ServerCertificates {
  /** Served to clients that name no host, or an unknown one. */
  readonly fallback: LoadableCertificate;
  /**
   * Returns the certificates to load for a name that a handshake requests and that is not loaded yet. Called during the
   * handshake. Must not throw. Returned certificates stay loaded until the process ends: removing one crashes the
   * process at the next request of a connection that has it.
   *
   * @param name as sent by the client
   */
  missing(name: string): readonly LoadableCertificate[];
  /**
   * Returns the certificate of a host under this name alone, for a server that forgets it again. Called during a
   * handshake. Must not throw.
   *
   * @param host as sent by the client
   */
  ofHost(host: string): LoadableCertificate | undefined;
  /** Receives the function that loads certificates without a handshake. Called once, before the first handshake. */
  onLoader(load: (certificate: LoadableCertificate) => void): void;
  /** Called if a certificate from `missing`, or one given to the loader, could not be loaded. */
  failed(name: string, error: unknown): void;
  /** Called if a certificate from `ofHost` could not be loaded. */
  failedOfHost(host: string, error: unknown): void;
}

/** Maximum number of names that a part of an overflow loads. */
const MAX_NAMES_PER_PART = 256;

type AddRoutes = (app: TemplatedApp) => void;

/** @param addRoutes adds the routes that each name needs */
export function createTlsApp(
  uws: UwsModule,
  certificates: ServerCertificates,
  addRoutes: AddRoutes,
): TemplatedApp {
  const app = createFallbackApp(uws, certificates, addRoutes);
  const add = (certificate: LoadableCertificate) => {
    const problem = addName(app, certificate, addRoutes);
    if (problem !== undefined) certificates.failed(certificate.name, problem.error);
  };
  certificates.onLoader(add);
  return app.missingServerName((serverName) => {
    for (const certificate of certificates.missing(serverName)) add(certificate);
  });
}

/**
 * Creates a server that loads the certificates of its own connections under their exact names, so that it can forget
 * them: a wildcard would hide the certificates of hosts below it.
 *
 * @param addRoutes adds the routes that each name needs
 */
export function createTlsPart(
  uws: UwsModule,
  certificates: ServerCertificates,
  addRoutes: AddRoutes,
): OverflowPart {
  const app = createFallbackApp(uws, certificates, addRoutes);
  const names = new Set<string>();
  app.missingServerName((serverName) => {
    const certificate = names.has(serverName) ? undefined : certificates.ofHost(serverName);
    if (certificate === undefined) return;
    const problem = addName(app, certificate, addRoutes);
    if (problem === undefined) names.add(serverName);
    else certificates.failedOfHost(serverName, problem.error);
  });
  return {
    app,
    isFull: () => names.size >= MAX_NAMES_PER_PART,
    forget() {
      // Removing a name crashes the process at the next request of a connection that has it. No such connection is
      // left.
      for (const name of names) app.removeServerName(name);
      names.clear();
    },
  };
}

/** Creates a server that has only the certificate for unknown names. */
function createFallbackApp(
  uws: UwsModule,
  certificates: ServerCertificates,
  addRoutes: AddRoutes,
): TemplatedApp {
  let app: TemplatedApp | undefined;
  certificates.fallback.withFile((file) => {
    app = uws.SSLApp(optionsOf(file));
  });
  if (app === undefined) throw new Error('the certificate for unknown names was not loaded');
  addRoutes(app);
  return app;
}

/**
 * Adds a name, and returns the thrown error, because an exception would end the process. The client then gets the
 * certificate for unknown names.
 */
function addName(
  app: TemplatedApp,
  { name, withFile }: LoadableCertificate,
  addRoutes: AddRoutes,
): { readonly error: unknown } | undefined {
  try {
    withFile((file) => {
      app.addServerName(name, optionsOf(file));
    });
    // Each name needs its own routes. Without them, the handshake succeeds and requests get no answer.
    addRoutes(app.domain(name));
    return undefined;
  } catch (error) {
    return { error };
  }
}

function optionsOf(file: string): AppOptions {
  return { cert_file_name: file, key_file_name: file, ssl_ciphers: CIPHERS };
}
