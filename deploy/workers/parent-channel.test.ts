import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { packageRoot } from '../../shared/config/package-root.js';

const CHANNEL = path.join(packageRoot(), 'dist', 'deploy', 'workers', 'parent-channel.js');

/** A worker that cannot find out how it is, and ends when it is asked to. */
const WORKER = `
  import { connectToParent } from ${JSON.stringify(CHANNEL)};
  const parent = connectToParent({ error: (_, what) => console.log(what) });
  parent.onStatusWanted(async () => { throw new Error('the metrics are broken'); });
  parent.onEnd(() => process.exit(0));
  parent.send({ type: 'ready' });
`;

test('a worker outlives a question about itself that it cannot answer, and says so', async () => {
  const worker = spawn(process.execPath, ['--input-type=module', '--eval', WORKER], {
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
    serialization: 'advanced',
  });
  onTestFinished(() => void worker.kill('SIGKILL'));
  const said = once(worker.stdout!, 'data').then(String);
  const ended = once(worker, 'exit');
  await once(worker, 'message');
  worker.send({ type: 'status-wanted', id: 1 });
  expect(await Promise.race([said, ended])).toContain('could not be found out');
  worker.send({ type: 'drain' });
  expect(await ended).toEqual([0, null]);
});
