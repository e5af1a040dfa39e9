import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from 'pino';
import { messageOf } from '../process/error-facts.js';
import {
  type CertificateFacts,
  type CertificateMaterial,
  checkCertificate,
  wildcardFor,
} from './certificate-material.js';

/** A certificate of the operator's directory. */
export interface DirectoryCertificate {
  readonly fingerprint: string;
  /** The name that matched: the host, or `*.` and its parent domain. */
  readonly name: string;
  readonly facts: CertificateFacts;
}

/** Certificates that the operator put into a directory (`TLS_CERTIFICATES_DIR`). */
export interface DirectoryCertificates {
  /** Number of names. */
  readonly size: number;
  /** Returns the certificate for a host. An exact name has precedence over a wildcard. */
  find(host: string): DirectoryCertificate | undefined;
  /** Returns all names, including wildcards. */
  names(): Iterable<string>;
  /** Returns the certificates of hosts one label below `*.domain`. */
  below(wildcard: string): readonly DirectoryCertificate[];
  /**
   * Reads a certificate found before.
   *
   * @returns undefined if its files were changed or removed since the last `refresh`
   */
  read(certificate: DirectoryCertificate): CertificateMaterial | undefined;
  /**
   * Reads the directory again.
   *
   * @throws if the directory cannot be read; the certificates then stay unchanged
   */
  refresh(): Promise<void>;
}

/** A certificate chain and its private key on disk. */
interface CertificatePair {
  readonly certificateFile: string;
  readonly keyFile: string;
}

/** Maximum depth of folders. Common layouts are nested like `certificates/<authority>/<host>`. */
const MAX_DEPTH = 4;
const MAX_PAIRS = 20_000;

interface Entry extends CertificatePair {
  readonly facts: CertificateFacts;
}

/**
 * Creates the certificates of a directory. Reads nothing until `refresh`. Logs an unusable certificate once and omits
 * it.
 */
export function createDirectoryCertificates(directory: string, logger: Logger): DirectoryCertificates {
  let byName: ReadonlyMap<string, Entry> = new Map();
  let problems = new Map<string, string>();

  async function load(pair: CertificatePair, found: Map<string, string>): Promise<Entry | undefined> {
    const problem = (reason: string) => {
      const { certificateFile } = pair;
      if (problems.get(certificateFile) !== reason) {
        logger.error({ certificateFile, reason }, 'a certificate of TLS_CERTIFICATES_DIR is not used');
      }
      found.set(certificateFile, reason);
      return undefined;
    };
    try {
      const [certificate, privateKey] = await Promise.all([
        readFile(pair.certificateFile, 'utf8'),
        readFile(pair.keyFile, 'utf8'),
      ]);
      // Serve an expired certificate until a new one exists, because the clock of this machine may be wrong.
      const checked = checkCertificate({ certificate, privateKey }, undefined);
      return 'problem' in checked ? problem(checked.problem.message) : { ...pair, facts: checked.facts };
    } catch (error) {
      return problem(messageOf(error));
    }
  }

  function found(name: string): DirectoryCertificate | undefined {
    const entry = byName.get(name);
    return entry && { fingerprint: entry.facts.fingerprint, name, facts: entry.facts };
  }

  return {
    get size() {
      return byName.size;
    },
    find: (host) => found(host) ?? found(wildcardFor(host)),
    names: () => byName.keys(),
    below(wildcard) {
      const parent = wildcard.slice(1);
      const names = [...byName.keys()].filter(
        (name) =>
          name !== wildcard && name.endsWith(parent) && name.indexOf('.') === name.length - parent.length,
      );
      return names.flatMap((name) => found(name) ?? []);
    },
    read({ name, fingerprint }) {
      const entry = byName.get(name);
      if (entry === undefined) return undefined;
      const certificate = readFileSync(entry.certificateFile, 'utf8');
      const material = { certificate, privateKey: readFileSync(entry.keyFile, 'utf8') };
      const checked = checkCertificate(material, undefined);
      return 'facts' in checked && checked.facts.fingerprint === fingerprint ? material : undefined;
    },
    async refresh() {
      const next = new Map<string, Entry>();
      const problemsFound = new Map<string, string>();
      for (const pair of await findCertificatePairs(directory)) {
        const entry = await load(pair, problemsFound);
        for (const name of entry?.facts.names ?? []) {
          const other = next.get(name);
          if (entry !== undefined && (other === undefined || entry.facts.notAfter > other.facts.notAfter)) {
            next.set(name, entry);
          }
        }
      }
      byName = next;
      problems = problemsFound;
    },
  };
}

/**
 * Finds certificates in a folder and the folders below it: `fullchain.pem` with `privkey.pem` (certbot), and `NAME.crt`
 * or `NAME.pem` with `NAME.key` (Caddy, Kubernetes, mkcert). Symbolic links are followed. At most `MAX_PAIRS`.
 *
 * @throws if the folder itself cannot be read; unreadable folders below it are omitted
 */
async function findCertificatePairs(folder: string): Promise<CertificatePair[]> {
  const pairs: CertificatePair[] = [];
  await collect(folder, await readdir(folder), 0, pairs);
  return pairs.slice(0, MAX_PAIRS);
}

async function collect(
  folder: string,
  names: readonly string[],
  depth: number,
  pairs: CertificatePair[],
): Promise<void> {
  pairs.push(...pairsAmong(folder, names));
  if (depth === MAX_DEPTH) return;
  for (const name of names.toSorted()) {
    if (pairs.length >= MAX_PAIRS) return;
    const below = path.join(folder, name);
    // Reading a file as a folder fails. To try this is cheaper than to look up the type first.
    const entries = await readdir(below).catch(() => undefined);
    if (entries !== undefined) await collect(below, entries, depth + 1, pairs);
  }
}

function pairsAmong(folder: string, names: readonly string[]): CertificatePair[] {
  const present = new Set(names);
  const keyOf = (name: string): string | undefined => {
    if (name === 'fullchain.pem') return 'privkey.pem';
    return /\.(?:crt|pem)$/.test(name) ? `${name.slice(0, -4)}.key` : undefined;
  };
  return names.flatMap((name) => {
    const key = keyOf(name);
    if (key === undefined || !present.has(key)) return [];
    return [{ certificateFile: path.join(folder, name), keyFile: path.join(folder, key) }];
  });
}
