import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { AcmeAuthority, AcmeConfig } from '../../../../shared/config/acme-config.js';
import { ConfigError } from '../../../../shared/config/environment.js';
import { codeOf, messageOf } from '../../../../shared/process/error-facts.js';
import { readDirectory } from './acme-client.js';
import { type AcmeHttp, AcmeUnreachable, createAcmeHttp } from './acme-http.js';
import { AcmeProblem } from './acme-problem.js';

/** A start does not wait longer for an authority. */
const CHECK_TIMEOUT_MS = 3_000;
/** Node's error codes for a certificate that no trusted authority signed. */
const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/**
 * Reads ACME_CA_FILE.
 *
 * @throws {ConfigError} when it does not hold certificates
 */
export async function readCaFile(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const pem = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new ConfigError(`ACME_CA_FILE cannot be read (${messageOf(cause)}): it takes a PEM file of roots`, {
      cause,
    });
  });
  try {
    new X509Certificate(pem);
  } catch (cause) {
    throw new ConfigError('ACME_CA_FILE does not hold a certificate: it takes a PEM file of roots', {
      cause,
    });
  }
  return pem;
}

/**
 * Fetches the directory of each authority. An authority that does not answer does not prevent the start.
 *
 * @throws {ConfigError} that names the variable, when a URL does not return a directory or the CA file does not match
 */
export async function checkAuthorities({ authorities, caFile }: AcmeConfig): Promise<void> {
  const http = createAcmeHttp(await readCaFile(caFile), CHECK_TIMEOUT_MS);
  try {
    await Promise.all(authorities.map((authority) => checkAuthority(http, authority)));
  } finally {
    http.close();
  }
}

async function checkAuthority(http: AcmeHttp, { directoryUrl, variable }: AcmeAuthority): Promise<void> {
  try {
    readDirectory(await http.send({ method: 'GET', url: directoryUrl }));
  } catch (error) {
    if (error instanceof AcmeUnreachable) {
      if (!UNTRUSTED.has(codeOf(error.cause) ?? '')) return;
      throw new ConfigError(
        `ACME_CA_FILE must hold the root of ${new URL(directoryUrl).host} (${variable}), whose certificate is not trusted: ${messageOf(error.cause)}`,
        { cause: error },
      );
    }
    if (!(error instanceof AcmeProblem)) throw error;
    if (error.status >= 500 || error.status === 429) return;
    throw new ConfigError(
      `${variable} must be the URL of an ACME directory (${directoryUrl} answers with status ${error.status} and no directory)`,
      { cause: error },
    );
  }
}
