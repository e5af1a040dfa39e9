import type { Queryable } from '../../storage/postgres/database.js';
import type { Example } from './example-schema.js';

/** The examples of a redirect. */
export interface StoredExamples {
  /** Grows with each change; 0 before the first. */
  readonly version: number;
  readonly examples: readonly Example[];
}

const NONE: StoredExamples = { version: 0, examples: [] };

/** All SQL about examples. Writers hold the lock of the redirect's row. */
export const exampleRepository = {
  async find(source: Queryable, redirectId: string): Promise<StoredExamples> {
    const [row] = await source.query<StoredExamples>(
      'SELECT version, examples FROM redirect_examples WHERE redirect_id = $1',
      [redirectId],
    );
    return row ?? NONE;
  },

  /** Replaces the examples. Resolves to their version. */
  async replace(tx: Queryable, redirectId: string, examples: readonly Example[]): Promise<number> {
    const [row] = await tx.query<{ version: number }>(
      `INSERT INTO redirect_examples (redirect_id, examples) VALUES ($1, $2::json)
       ON CONFLICT (redirect_id) DO UPDATE SET examples = $2::json, version = redirect_examples.version + 1
       RETURNING version`,
      [redirectId, JSON.stringify(examples)],
    );
    if (row === undefined) throw new Error('a statement that returns one row returned none');
    await tx.query('UPDATE redirects SET example_count = $2 WHERE id = $1 AND example_count <> $2', [
      redirectId,
      examples.length,
    ]);
    return row.version;
  },
};
