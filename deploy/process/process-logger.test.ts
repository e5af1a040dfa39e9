import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { packageRoot } from '../../shared/config/package-root.js';

const LOGGER = path.join(packageRoot(), 'dist', 'deploy', 'process', 'process-logger.js');

/** Logs, tells that it is alive, waits to be told to go on, and logs again. */
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

function start(stderr: 'pipe' | number) {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', CODE], {
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
