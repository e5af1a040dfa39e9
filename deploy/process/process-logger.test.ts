import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { packageRoot } from '../../shared/config/package-root.js';
import { mountSmallDisk } from '../../shared/process/small-disk.js';

const LOGGER = path.join(packageRoot(), 'dist', 'deploy', 'process', 'process-logger.js');

/** Logs, reports that it is alive, waits for a message, and logs again. */
const CODE = `
  import { once } from 'node:events';
  import { createProcessLogger } from ${JSON.stringify(LOGGER)};
  const logger = createProcessLogger('test', 'info');
  for (const round of [1, 2]) {
    logger.info('line');
    logger.info('line');
    process.send(round);
    if (round === 1) await once(process, 'message');
  }
  process.disconnect();
`;

/** Logs 32 MB, reports how much of it is in memory, and logs again after a message that the pipe has space. */
const FLOOD_CODE = `
  import { once } from 'node:events';
  import { createProcessLogger } from ${JSON.stringify(LOGGER)};
  const logger = createProcessLogger('test', 'info');
  const text = 'x'.repeat(1000);
  for (let line = 0; line < 32_000; line += 1) logger.info(text);
  logger.fatal('the last one');
  gc();
  process.send(process.memoryUsage().heapUsed);
  await once(process, 'message');
  logger.info('written');
  process.disconnect();
`;

function start(stderr: 'pipe' | number, code = CODE) {
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '--eval', code], {
    stdio: ['ignore', 'ignore', stderr, 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, exited: once(child, 'exit') };
}

test('a process goes on when nobody reads its log any more', async () => {
  const { child, exited } = start('pipe');
  const [first] = await once(child.stderr!, 'data');
  expect(JSON.parse(String(first).split('\n')[0] ?? '')).toMatchObject({ name: 'test', msg: 'line' });
  child.stderr!.destroy();
  await once(child.stderr!, 'close');
  child.send('go on');
  expect(await exited).toEqual([0, null]);
});

test.runIf(process.platform === 'linux')('a process goes on when the disk of its log is full', async () => {
  const { child, exited } = start(openSync('/dev/full', 'w'));
  await once(child, 'message');
  child.send('go on');
  expect(await exited).toEqual([0, null]);
});

test('lines that cannot be written take little memory, and lines are written again when there is room', async (context) => {
  const place = await mkdtemp(path.join(tmpdir(), 'waymark-log-'));
  const disk = mountSmallDisk(place, 1);
  if (disk === undefined) return context.skip();
  onTestFinished(() => disk.remove());
  const filling = path.join(place, 'filling');
  await writeFile(filling, Buffer.alloc(2 ** 20)).catch(() => undefined);
  const log = path.join(place, 'log');
  const { child, exited } = start(openSync(log, 'a'), FLOOD_CODE);
  const [heapBytes] = await once(child, 'message');
  expect(heapBytes).toBeLessThan(20e6);
  await rm(filling);
  child.send('there is room');
  expect(await exited).toEqual([0, null]);
  expect(await readFile(log, 'utf8')).toContain('"msg":"written"');
});
