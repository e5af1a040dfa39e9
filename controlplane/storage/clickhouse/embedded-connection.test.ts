import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createClient } from '@clickhouse/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openEmbeddedConnection } from './embedded-connection.js';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'waymark-embedded-'));
});
afterAll(() => rm(folder, { recursive: true }));

it('bounds the caches of the engine, also after it was opened anew', async () => {
  const bounded = path.join(folder, 'bounded');
  const caches = ['mark_cache_size', 'primary_index_cache_size', 'query_condition_cache_size'];
  for (let opened = 0; opened < 2; opened += 1) {
    const connections = [await openEmbeddedConnection(bounded), await openEmbeddedConnection(bounded)];
    const client = createClient({ connection: connections[1]! });
    const result = await client.query({
      query:
        'SELECT max(toUInt32(value)) AS bytes FROM system.server_settings WHERE name IN {caches:Array(String)}',
      query_params: { caches },
      format: 'JSONEachRow',
    });
    expect(await result.json()).toEqual([{ bytes: 32 * 1024 ** 2 }]);
    for (const connection of connections) await connection.close();
  }
});

it('leaves nothing open when the engine refuses a setting', async () => {
  const refusing = path.join(folder, 'refusing');
  await expect(openEmbeddedConnection(refusing, 'no_such_setting = 1')).rejects.toThrow(
    new RegExp(`the embedded ClickHouse cannot open ${refusing}: .*no_such_setting`),
  );
  // A process has one folder open at a time.
  const connection = await openEmbeddedConnection(path.join(folder, 'other'));
  await connection.close();
});
