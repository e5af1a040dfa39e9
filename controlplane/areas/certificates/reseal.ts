import { messageOf } from '../../../shared/process/error-facts.js';
import type { AreaParts } from '../../area.js';
import type { SealingKeys } from './sealing-keys.js';

const PAGE_SIZE = 200;

export interface ResealDeps extends Pick<AreaParts, 'database' | 'logger'> {
  readonly keys: SealingKeys;
}

interface SealedRow {
  readonly host: string;
  readonly fingerprint: string;
  readonly sealed: string;
}

/**
 * Encrypts the certificates of replaced SECRET_KEYs with the current one. Does not change damaged certificates, which
 * it logs, and certificates of unknown keys. Resolves to the number of encrypted certificates.
 */
export async function resealCertificates({ database, keys, logger }: ResealDeps): Promise<number> {
  const { sealing, keyId, knownKeyIds } = keys;
  const oldKeyIds = knownKeyIds.filter((id) => id !== keyId);
  if (oldKeyIds.length === 0) return 0;
  let count = 0;
  let rows: readonly SealedRow[];
  let after = '';
  do {
    rows = await database.query<SealedRow>(
      `SELECT host, fingerprint, sealed FROM certificates
       WHERE key_id = ANY ($1) AND fingerprint IS NOT NULL AND host > $2 ORDER BY host LIMIT $3`,
      [oldKeyIds, after, PAGE_SIZE],
    );
    for (const row of rows) if (await reseal(row)) count += 1;
    after = rows.at(-1)?.host ?? after;
  } while (rows.length === PAGE_SIZE);
  return count;

  async function reseal({ host, fingerprint, sealed }: SealedRow): Promise<boolean> {
    let renewed: string;
    try {
      renewed = sealing.renew(fingerprint, sealed) ?? sealed;
    } catch (error) {
      logger.error(
        { host, problem: messageOf(error) },
        'a certificate stays encrypted with the old SECRET_KEY',
      );
      return false;
    }
    await database.query('UPDATE certificates SET sealed = $3, key_id = $4 WHERE host = $1 AND sealed = $2', [
      host,
      sealed,
      renewed,
      keyId,
    ]);
    return true;
  }
}
