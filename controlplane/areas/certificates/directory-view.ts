import type { Logger } from 'pino';
import {
  createDirectoryCertificates,
  type DirectoryCertificates,
} from '../../../shared/certificates/directory-certificates.js';
import { type BackgroundWork, createBackgroundWork } from '../../jobs/background-work.js';
import { type Certificate, servedFrom } from './certificate.js';

const INTERVAL_MS = 60_000;

/** The certificates of TLS_CERTIFICATES_DIR, which visitors get instead of those of the control plane. */
export interface DirectoryView {
  /** Returns the certificate that visitors of a host get from the directory. */
  find(host: string, userId: string): Certificate | undefined;
  /** Returns all names, also wildcards. */
  names(): readonly string[];
  /** Returns the certificates that end before a time, each once, under the first name that finds it. */
  endingBefore(time: Date): Certificate[];
  /** Returns when the first of its certificates expires, in Unix ms; undefined without certificates. */
  nearestExpiry(): number | undefined;
  /** Reads the directory now and then. */
  readonly jobs: readonly BackgroundWork[];
}

/** @param directory TLS_CERTIFICATES_DIR; undefined if it is not set */
export async function createDirectoryView(
  directory: string | undefined,
  logger: Logger,
  intervalMs = INTERVAL_MS,
): Promise<DirectoryView> {
  if (directory === undefined) {
    const none = { find: () => undefined, nearestExpiry: () => undefined };
    return { ...none, names: () => [], endingBefore: () => [], jobs: [] };
  }
  const certificates = createDirectoryCertificates(directory, logger);
  const failure = 'TLS_CERTIFICATES_DIR cannot be read; its certificates are shown as they were';
  await certificates.refresh().catch((error: unknown) => logger.warn({ err: error }, failure));
  const runRound = () => certificates.refresh();
  return {
    find: (host, userId) => certificateIn(certificates, host, userId),
    names: () => [...certificates.names()],
    endingBefore(time) {
      const byFingerprint = new Map<string, Certificate>();
      for (const name of certificates.names()) {
        const found = certificateIn(certificates, name, '');
        const { fingerprint, notAfter } = found?.served ?? {};
        if (found === undefined || fingerprint === undefined || notAfter === undefined) continue;
        if (notAfter < time && !byFingerprint.has(fingerprint)) byFingerprint.set(fingerprint, found);
      }
      return [...byFingerprint.values()];
    },
    nearestExpiry() {
      let nearest: number | undefined;
      for (const name of certificates.names()) {
        const { notAfter = Number.POSITIVE_INFINITY } = certificates.find(name)?.facts ?? {};
        nearest = Math.min(nearest ?? notAfter, notAfter);
      }
      return nearest;
    },
    jobs: [createBackgroundWork({ intervalMs, runRound, logger, failure })],
  };
}

function certificateIn(
  certificates: DirectoryCertificates,
  host: string,
  userId: string,
): Certificate | undefined {
  const facts = certificates.find(host)?.facts;
  if (facts === undefined) return undefined;
  return {
    ...{ host, userId, source: 'directory', state: 'issued', served: servedFrom(facts) },
    ...{ keyId: null, renewAt: null, lastError: null, dns: null, failures: 0 },
    ...{ nextAttemptAt: null, wildcard: null },
  };
}
