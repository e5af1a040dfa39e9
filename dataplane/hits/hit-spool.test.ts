import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.fixture.js';
import { createHitSpool } from './hit-spool.js';
import { RECORD_HEADER_BYTES } from './spool-record.js';

const PRODUCER = 'producer00000001';

async function newSpool(segmentBytes = 1000) {
  const directory = await temporaryFolder();
  return { directory, spool: createHitSpool({ directory, producerId: PRODUCER, segmentBytes }) };
}

describe('the spool', () => {
  it('gives every batch back, in whatever segment it lies', async () => {
    const { directory, spool } = await newSpool();
    const batches = Array.from({ length: 20 }, (_, i) => Buffer.alloc(300, `batch ${i} `));
    const positions = [];
    for (const batch of batches) positions.push(await spool.append(batch));
    expect((await readdir(directory)).length).toBe(5);
    expect(spool.sizeBytes).toBe(20 * (300 + RECORD_HEADER_BYTES));
    for (const [index, position] of positions.entries()) {
      expect(await spool.read(position)).toEqual(batches[index]);
    }
    await spool.close();
  });

  it('deletes a segment with the release of its last batch', async () => {
    const { directory, spool } = await newSpool();
    const first = await spool.append(Buffer.alloc(990));
    const second = await spool.append(Buffer.alloc(10, 1));
    const third = await spool.append(Buffer.alloc(10, 2));
    const filesAfterRelease = [];
    for (const position of [second, first, third]) {
      await spool.release(position);
      filesAfterRelease.push((await readdir(directory)).length);
    }
    expect(filesAfterRelease, 'the first two share a segment').toEqual([2, 1, 0]);
    expect(spool.sizeBytes).toBe(0);
  });

  it('takes appends and releases at once', async () => {
    const { directory, spool } = await newSpool();
    const held = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const position = await spool.append(Buffer.alloc(100, index + 1));
        if (index % 2 === 0) await spool.release(position);
        return { index, position };
      }),
    );
    for (const { index, position } of held.filter((each) => each.index % 2 === 1)) {
      expect(await spool.read(position)).toEqual(Buffer.alloc(100, index + 1));
      await spool.release(position);
    }
    expect(await readdir(directory)).toEqual([]);
  });

  it('leaves undelivered segments on disk when it is closed', async () => {
    const { directory, spool } = await newSpool();
    await spool.append(Buffer.from('a batch'));
    await spool.close();
    expect(await readdir(directory)).toEqual([`${PRODUCER}.1.spool`]);
  });

  it('says that a batch is gone or damaged', async () => {
    const { directory, spool } = await newSpool();
    const position = await spool.append(Buffer.from('a batch'));
    await writeFile(path.join(directory, `${PRODUCER}.1.spool`), 'something else of some length');
    expect(await spool.read(position)).toBeUndefined();
    await rm(path.join(directory, `${PRODUCER}.1.spool`));
    expect(await spool.read(position)).toBeUndefined();
    await spool.release(position);
  });

  it('makes no segment before it is prepared to, and tries that again', async () => {
    const directory = await temporaryFolder();
    let isTaken = false;
    const prepare = async () => {
      if (!isTaken) throw new Error('the place is not taken');
    };
    const spool = createHitSpool({ directory, producerId: PRODUCER, segmentBytes: 1000, prepare });
    await expect(spool.append(Buffer.from('refused'))).rejects.toThrow('not taken');
    expect(await readdir(directory)).toEqual([]);
    isTaken = true;
    expect(await spool.read(await spool.append(Buffer.from('taken')))).toEqual(Buffer.from('taken'));
    await spool.close();
  });

  it('rejects what the disk does not take, and goes on when it does again', async () => {
    const { directory, spool } = await newSpool();
    await rm(directory, { recursive: true });
    await expect(spool.append(Buffer.from('refused'))).rejects.toThrow('ENOENT');
    await mkdir(directory);
    const position = await spool.append(Buffer.from('taken'));
    expect(await spool.read(position)).toEqual(Buffer.from('taken'));
    expect(spool.sizeBytes).toBe(5 + RECORD_HEADER_BYTES);
    await spool.close();
  });
});
