import type { Queryable } from '../../storage/postgres/database.js';

/** A position in the log of changes. */
interface LogPosition {
  readonly epoch: number;
  readonly seq: number;
}

/** Position up to which the destinations of redirects are known. */
export interface Progress extends LogPosition {
  /** The last redirect that was read, while all are read; null afterwards. */
  readonly readAfter: string | null;
}

/** SQL of the reading of redirects and their changes. */
export const progressRepository = {
  /** Takes the work, or keeps it. Resolves to undefined while another control plane has it. */
  async claim(source: Queryable, claim: string, leaseSeconds: number): Promise<Progress | undefined> {
    const [row] = await source.query<LogPosition & { readonly read_after: string | null }>(
      `UPDATE destination_progress SET claim = $1, claimed_until = now() + make_interval(secs => $2)
       WHERE claim = $1 OR claimed_until <= now() RETURNING epoch, seq, read_after`,
      [claim, leaseSeconds],
    );
    return row && { epoch: row.epoch, seq: row.seq, readAfter: row.read_after };
  },

  async save(source: Queryable, claim: string, { epoch, seq, readAfter }: Progress): Promise<void> {
    await source.query(
      'UPDATE destination_progress SET epoch = $2, seq = $3, read_after = $4 WHERE claim = $1',
      [claim, epoch, seq, readAfter],
    );
  },

  async release(source: Queryable, claim: string): Promise<void> {
    await source.query(
      'UPDATE destination_progress SET claim = NULL, claimed_until = now() WHERE claim = $1',
      [claim],
    );
  },

  async readHead(source: Queryable): Promise<LogPosition> {
    const [row] = await source.query<LogPosition>('SELECT epoch, seq FROM ruleset_head');
    return row ?? { epoch: 0, seq: 0 };
  },

  /** Returns changes after a position, in their order. */
  readLog(
    source: Queryable,
    { epoch, seq }: LogPosition,
    limit: number,
  ): Promise<(LogPosition & { readonly host: string })[]> {
    return source.query(
      'SELECT epoch, seq, host FROM ruleset_changes WHERE (epoch, seq) > ($1, $2) ORDER BY epoch, seq LIMIT $3',
      [epoch, seq, limit],
    );
  },

  /** Returns the redirects of hosts, of all users. */
  async redirectsOf(source: Queryable, hosts: readonly string[]): Promise<string[]> {
    const rows = await source.query<{ id: string }>(
      'SELECT id FROM redirects WHERE from_domain = ANY ($1::text[])',
      [[...hosts]],
    );
    return rows.map(({ id }) => id);
  },

  async redirectsAfter(source: Queryable, after: string, limit: number): Promise<string[]> {
    const rows = await source.query<{ id: string }>(
      'SELECT id FROM redirects WHERE id > $1 ORDER BY id LIMIT $2',
      [after, limit],
    );
    return rows.map(({ id }) => id);
  },
};
