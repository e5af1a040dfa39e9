import { mkdir } from 'node:fs/promises';
import type { createClient } from '@clickhouse/client';

type Connection = NonNullable<NonNullable<Parameters<typeof createClient>[0]>['connection']>;

/** The part of `chdb/connection` that we use. Its own types are there only when the package is. */
interface ChdbModule {
  createChdbConnection(options: { path: string }): Connection;
}

// Not a literal, so that the project builds and runs without this optional package of 540 MB.
const CHDB_MODULE: string = 'chdb/connection';

/**
 * Opens the embedded ClickHouse on a folder, which is made if need be. A process can have one at a time, and a
 * folder can be open in one process.
 */
export async function openEmbeddedConnection(folder: string): Promise<Connection> {
  const chdb = await loadChdb();
  await mkdir(folder, { recursive: true });
  try {
    return chdb.createChdbConnection({ path: folder });
  } catch (error) {
    throw new Error(`the embedded ClickHouse cannot open ${folder}: ${messageOf(error)}`, { cause: error });
  }
}

async function loadChdb(): Promise<ChdbModule> {
  try {
    return (await import(CHDB_MODULE)) as ChdbModule;
  } catch (error) {
    throw new Error(
      'no ClickHouse for analytics: set CLICKHOUSE_URL to a server, or install the embedded one with `npm install chdb` (Linux and macOS)',
      { cause: error },
    );
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
