import type { AppOptions, TemplatedApp } from 'uWebSockets.js';
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
   * Returns what to load for a name that a handshake asks for and that is not loaded yet. Called during the handshake.
   * Must not throw. Returned certificates stay loaded until the process ends: removing one crashes the process at the
   * next request of a connection that has it.
   *
   * @param name as sent by the client
   */
  missing(name: string): readonly LoadableCertificate[];
  /** Gives the function that loads certificates that no handshake asks for. Called once, before the first handshake. */
  onLoader(load: (certificate: LoadableCertificate) => void): void;
  /** A certificate could not be loaded. */
  failed(name: string, error: unknown): void;
}

/** @param addRoutes adds the routes that each name needs */
export function createTlsApp(
  uws: UwsModule,
  certificates: ServerCertificates,
  addRoutes: (app: TemplatedApp) => void,
): TemplatedApp {
  let app: TemplatedApp | undefined;
  certificates.fallback.withFile((file) => {
    app = uws.SSLApp(optionsOf(file));
  });
  if (app === undefined) throw new Error('the certificate for unknown names was not loaded');
  const tlsApp = app;
  addRoutes(tlsApp);
  certificates.onLoader((certificate) => add(tlsApp, certificate));
  return tlsApp.missingServerName((serverName) => {
    for (const certificate of certificates.missing(serverName)) add(tlsApp, certificate);
  });

  function add(to: TemplatedApp, { name, withFile }: LoadableCertificate): void {
    try {
      withFile((file) => {
        to.addServerName(name, optionsOf(file));
      });
      // Without routes of its own, the handshake succeeds and requests get no answer.
      addRoutes(to.domain(name));
    } catch (error) {
      // An exception would end the process. The client gets the fallback.
      certificates.failed(name, error);
    }
  }
}

function optionsOf(file: string): AppOptions {
  return { cert_file_name: file, key_file_name: file, ssl_ciphers: CIPHERS };
}
