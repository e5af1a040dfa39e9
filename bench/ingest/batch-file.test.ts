import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { openBatchFile, readBatchFile } from './batch-file.js';

let folder = '';
afterEach(() => rm(folder, { recursive: true, force: true }));

it('batches come out of the file as they went in', async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'waymark-batches-'));
  const file = path.join(folder, 'batches');
  const batches = [Uint8Array.of(1, 2, 3), new Uint8Array(0), new Uint8Array(70_000).fill(7)];
  const sink = await openBatchFile(file);
  for (const batch of batches) await sink.deliver(batch);
  await sink.close();
  expect((await readBatchFile(file)).map((batch) => Uint8Array.from(batch))).toEqual(batches);
});
