import path from 'node:path';
import type { ConfiguredPort } from './distinct-ports.js';
import { absent, ConfigError, text, type ValuesOf, wholeNumber } from './environment.js';

/** Variables for HTTPS of a data plane. */
export const tlsVariables = {
  TLS_PORT: wholeNumber(0, 65_535)(absent),
  TLS_CERTIFICATES_DIR: text()(absent),
  TLS_RELOAD_SECONDS: wholeNumber(60, 86_400)({ default: 3_600 }),
  TLS_MAX_NAMES: wholeNumber(1, 1_000_000)({ default: 20_000 }),
  HTTPS_PUBLIC_PORT: wholeNumber(1, 65_535)({ default: 443 }),
};

/** HTTPS of a data plane. */
export interface TlsConfig {
  readonly port: number;
  readonly certificatesDir?: string;
  /** Minimum time between two worker restarts that load renewed certificates. */
  readonly reloadIntervalMs: number;
  /** Maximum number of names with a loaded certificate, per worker. */
  readonly maxNames: number;
}

/** @throws {ConfigError} if a directory is set that nothing would use */
export function tlsPart(values: ValuesOf<typeof tlsVariables>): {
  readonly tls: TlsConfig | undefined;
  readonly publicHttpsPort: number;
} {
  const publicHttpsPort = values.HTTPS_PUBLIC_PORT;
  if (values.TLS_PORT === undefined) {
    if (values.TLS_CERTIFICATES_DIR === undefined) return { tls: undefined, publicHttpsPort };
    throw new ConfigError(
      'TLS_CERTIFICATES_DIR needs TLS_PORT: set TLS_PORT to the port for HTTPS, such as 443',
    );
  }
  const tls: TlsConfig = {
    port: values.TLS_PORT,
    ...(values.TLS_CERTIFICATES_DIR && { certificatesDir: path.resolve(values.TLS_CERTIFICATES_DIR) }),
    reloadIntervalMs: values.TLS_RELOAD_SECONDS * 1_000,
    maxNames: values.TLS_MAX_NAMES,
  };
  return { tls, publicHttpsPort };
}

/** Returns the HTTPS port, if set, for the comparison with other ports. */
export function tlsPorts(host: string, port: number | undefined): ConfiguredPort[] {
  return port === undefined ? [] : [{ variable: 'TLS_PORT', host, port }];
}
