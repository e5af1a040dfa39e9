import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openEmbeddedConnection } from './embedded-connection.js';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'waymark-embedded-'));
});
afterAll(() => rm(folder, { recursive: true }));

it('leaves nothing open when the engine refuses a setting', async () => {
  const refusing = path.join(folder, 'refusing');
  await expect(openEmbeddedConnection(refusing, 'no_such_setting = 1')).rejects.toThrow(
    new RegExp(`the embedded ClickHouse cannot open ${refusing}: .*no_such_setting`),
  );
  // A process has one folder open at a time.
  const connection = await openEmbeddedConnection(path.join(folder, 'other'));
  await connection.close();
});
