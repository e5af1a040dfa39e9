import { createHmac, randomBytes } from 'node:crypto';
import type { Queryable } from '../../storage/postgres/database.js';
import { zoneOf, zoneRecordName } from '../domains/public.js';

/** The TXT record with which a user proves all hosts of a zone. */
export interface ZoneProof {
  /** Registrable domain. */
  readonly zone: string;
  /** Full name of the record. */
  readonly name: string;
  readonly zoneValue: string;
}

const KEY_BYTES = 32;
/** Hexadecimal characters, as many as a value of a single redirect has. */
const VALUE_LENGTH = 40;

/** SQL of proofs of zones. A user who never requested a proof has no key, so no zone is looked up for that user. */
export const zoneProofs = {
  /** Returns the value that proves the zone of a domain, if the user has requested one before. */
  async findValue(source: Queryable, userId: string, domain: string): Promise<string | undefined> {
    const zone = zoneOf(domain);
    const [row] = await source.query<{ key: string }>(
      "SELECT key FROM zone_keys WHERE user_id = $1 AND zone IN ('', $2) ORDER BY zone DESC LIMIT 1",
      [userId, zone],
    );
    return row && zoneValueOf(row.key, zone);
  },

  /** Returns the record that proves the zone of a domain. */
  async get(source: Queryable, userId: string, domain: string): Promise<ZoneProof> {
    const zone = zoneOf(domain);
    const [row] = await source.query<{ key: string }>(
      `WITH added AS (INSERT INTO zone_keys (user_id, zone, key) VALUES ($1, '', $3)
         ON CONFLICT (user_id, zone) DO UPDATE SET key = zone_keys.key RETURNING zone, key)
       SELECT key FROM (SELECT zone, key FROM added
         UNION ALL SELECT zone, key FROM zone_keys WHERE user_id = $1 AND zone = $2) AS keys ORDER BY zone DESC LIMIT 1`,
      [userId, zone, newKey()],
    );
    if (row === undefined) throw new Error('a statement that returns one key returned none');
    return { zone, name: zoneRecordName(domain), zoneValue: zoneValueOf(row.key, zone) };
  },

  /** Invalidates the record of the zone of a domain. */
  async forget(tx: Queryable, userId: string, domain: string): Promise<void> {
    await tx.query(
      `INSERT INTO zone_keys (user_id, zone, key) VALUES ($1, $2, $3)
       ON CONFLICT (user_id, zone) DO UPDATE SET key = EXCLUDED.key`,
      [userId, zoneOf(domain), newKey()],
    );
  },
};

function newKey(): string {
  return randomBytes(KEY_BYTES).toString('hex');
}

function zoneValueOf(key: string, zone: string): string {
  const digest = createHmac('sha256', Buffer.from(key, 'hex')).update(zone).digest('hex');
  return `waymark-verify=${digest.slice(0, VALUE_LENGTH)}`;
}
