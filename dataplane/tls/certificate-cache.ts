import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, opendir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  asChallenges,
  type Challenges,
  isFingerprint,
  type SealedCertificate,
} from '../../shared/certificates/certificate-exchange.js';
import {
  type CertificateMaterial,
  checkCertificate,
} from '../../shared/certificates/certificate-material.js';
import type { CertificateSealing } from '../../shared/certificates/certificate-sealing.js';
import { ignoring } from '../../shared/process/error-facts.js';

const CHALLENGES_FILE = 'challenges.json';
/** Maximum time to write a file. An older unfinished file was left behind by a killed process. */
const UNFINISHED_AFTER_MS = 60_000;
const UNFINISHED = /\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Certificates of the control plane on disk, encrypted. Processes on the same `DATA_DIR` share it. */
export interface CertificateCache {
  /**
   * Reads a certificate synchronously, during a handshake.
   *
   * @returns undefined when it is not there or damaged
   */
  read(fingerprint: string): CertificateMaterial | undefined;
  /** Yields the fingerprints of all files. Files that are added or removed during the call may be omitted. */
  list(): AsyncIterable<string>;
  has(fingerprint: string): Promise<boolean>;
  /** @throws when it cannot be decrypted, is not the certificate of this fingerprint, or the disk does not take it */
  save(certificate: SealedCertificate): Promise<void>;
  /** Removes files that a killed process did not finish. */
  removeUnfinished(): Promise<void>;
  /** Encrypts certificates with the current SECRET_KEY that a replaced one encrypted. Resolves to their number. */
  renew(): Promise<number>;
  /** Removes a certificate that was not written for `ageMs`. */
  removeOlder(fingerprint: string, ageMs: number): Promise<void>;
  /** @returns undefined when nothing usable was saved */
  readChallenges(): Promise<Challenges | undefined>;
  saveChallenges(challenges: Challenges): Promise<void>;
}

export function createCertificateCache(dataDir: string, sealing: CertificateSealing): CertificateCache {
  const folder = path.join(dataDir, 'certificates');
  const fileOf = (name: string) => path.join(folder, name);

  /** @throws when it is not the certificate of its fingerprint */
  function check({ fingerprint, sealed }: SealedCertificate): void {
    const checked = checkCertificate(sealing.open(fingerprint, sealed), undefined);
    if ('problem' in checked) throw new Error(checked.problem.message);
    if (checked.facts.fingerprint !== fingerprint) throw new Error('it is another certificate');
  }

  /** The file appears complete or not at all. */
  async function write(name: string, content: string): Promise<void> {
    const unfinished = fileOf(`${name}.${randomUUID()}`);
    await mkdir(folder, { mode: 0o700 }).catch(ignoring('EEXIST'));
    try {
      await writeFile(unfinished, content, { mode: 0o600, flag: 'wx' });
      await rename(unfinished, fileOf(name));
    } finally {
      await rm(unfinished, { force: true });
    }
  }

  async function* list(): AsyncGenerator<string> {
    const entries = await opendir(folder).catch(() => undefined);
    if (entries === undefined) return;
    for await (const { name } of entries) if (isFingerprint(name)) yield name;
  }

  async function removeOlder(name: string, ageMs: number): Promise<void> {
    const found = await stat(fileOf(name)).catch(() => undefined);
    if (found !== undefined && Date.now() - found.mtimeMs > ageMs) await rm(fileOf(name), { force: true });
  }

  return {
    read(fingerprint) {
      try {
        // It was checked before it was saved, and the encryption authenticates it.
        return sealing.open(fingerprint, readFileSync(fileOf(fingerprint), 'latin1'));
      } catch {
        return undefined;
      }
    },
    list,
    has: (fingerprint) =>
      stat(fileOf(fingerprint)).then(
        () => true,
        () => false,
      ),
    async save(certificate) {
      check(certificate);
      const { fingerprint, sealed } = certificate;
      await write(fingerprint, sealing.renew(fingerprint, sealed) ?? sealed);
    },
    async removeUnfinished() {
      for (const name of await readdir(folder).catch(() => [])) {
        if (UNFINISHED.test(name)) await removeOlder(name, UNFINISHED_AFTER_MS);
      }
    },
    async renew() {
      let count = 0;
      if (!sealing.hasPrevious) return count;
      for await (const fingerprint of list()) {
        const renewed = await readFile(fileOf(fingerprint), 'latin1')
          .then((sealed) => sealing.renew(fingerprint, sealed))
          // A handshake for it requests it again.
          .catch(() => undefined);
        if (renewed === undefined) continue;
        await write(fingerprint, renewed);
        count += 1;
      }
      return count;
    },
    removeOlder,
    async readChallenges() {
      try {
        return asChallenges(JSON.parse(await readFile(fileOf(CHALLENGES_FILE), 'utf8')));
      } catch {
        return undefined;
      }
    },
    saveChallenges: (challenges) => write(CHALLENGES_FILE, JSON.stringify(challenges)),
  };
}
