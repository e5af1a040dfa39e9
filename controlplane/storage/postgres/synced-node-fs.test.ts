import { fsyncSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { expect, it } from 'vitest';
import { copyEmbeddedTemplate } from './embedded-template.fixture.js';
import { SYNCED_START_PARAMS, SyncedNodeFs } from './synced-node-fs.js';

it('each commit is on the disk when it is acknowledged', async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'waymark-synced-'));
  await copyEmbeddedTemplate(dataDir);
  let syncs = 0;
  const fs = new SyncedNodeFs(path.join(dataDir, 'postgres'), (descriptor) => {
    syncs += 1;
    fsyncSync(descriptor);
  });
  const database = await PGlite.create({ fs, startParams: [...SYNCED_START_PARAMS] });
  await database.exec('CREATE TABLE commits (id int)');
  for (let commit = 0; commit < 5; commit += 1) {
    const before = syncs;
    await database.query('INSERT INTO commits VALUES ($1)', [commit]);
    expect(syncs).toBe(before + 1);
  }
  const before = syncs;
  await database.query('SELECT * FROM commits');
  expect(syncs, 'a statement that writes nothing').toBe(before);
  await database.exec('CHECKPOINT');
  expect(syncs, 'the tables themselves').toBeGreaterThan(before + 1);
  await database.close();
  await rm(dataDir, { recursive: true, force: true });
});
