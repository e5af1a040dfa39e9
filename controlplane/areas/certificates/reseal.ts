import type { CertificateSealing } from '../../../shared/certificates/certificate-sealing.js';
import type { Queryable } from '../../storage/postgres/database.js';

const PAGE_SIZE = 200;

/** A replaced SECRET_KEY: how it sealed certificates, and its name in their rows. */
export interface OldSealing {
  readonly keyId: string;
  readonly sealing: CertificateSealing;
}

export interface ResealDeps {
  readonly database: Queryable;
  readonly sealing: CertificateSealing;
  readonly keyId: string;
  readonly old: readonly OldSealing[];
}

interface SealedRow {
  readonly host: string;
  readonly fingerprint: string;
  readonly sealed: string;
}

/**
 * Encrypts certificates with the current SECRET_KEY that a replaced one encrypted. Certificates of an unknown key stay as
 * they are. Resolves to the number of certificates.
 */
export async function resealCertificates({ database, sealing, keyId, old }: ResealDeps): Promise<number> {
  let count = 0;
  for (const { keyId: oldKeyId, sealing: oldSealing } of old) {
    let rows: readonly SealedRow[];
    let after = '';
    do {
      rows = await database.query<SealedRow>(
        `SELECT host, fingerprint, sealed FROM certificates
         WHERE key_id = $1 AND fingerprint IS NOT NULL AND host > $2 ORDER BY host LIMIT $3`,
        [oldKeyId, after, PAGE_SIZE],
      );
      for (const { host, fingerprint, sealed } of rows) {
        const renewed = sealing.seal(fingerprint, oldSealing.open(fingerprint, sealed));
        await database.query(
          'UPDATE certificates SET sealed = $3, key_id = $4 WHERE host = $1 AND sealed = $2',
          [host, sealed, renewed, keyId],
        );
        count += 1;
      }
      after = rows.at(-1)?.host ?? after;
    } while (rows.length === PAGE_SIZE);
  }
  return count;
}
