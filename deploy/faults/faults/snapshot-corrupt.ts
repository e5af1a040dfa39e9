import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { SNAPSHOT_FILE } from '../../../dataplane/sync/disk-snapshot.js';
import type { Fault } from '../fault.js';
import { until } from '../until.js';

const SECOND = 1;

/** The load counts answers other than 503 as wrong while there is no ruleset. */
export const snapshotCorrupt: Fault = {
  name: 'snapshot-corrupt',
  summary: 'a data plane restarted on a corrupt disk snapshot, with Redis and the control plane down for 5 s',
  isQuick: false,
  allowedLoss: 'none',
  prepare: () => ({
    async run({ world, load, pause, say, check, mended }) {
      const [, second] = world.dataplanes;
      await load.setMode(SECOND, 'off');
      check((await second.server.terminate()) === 0, 'data plane 2 did not end in order');
      await Promise.all([world.redis.server.kill(), world.controlplane.kill()]);
      await corrupt(path.join(second.dataDir, SNAPSHOT_FILE));
      await second.server.start(second.isAlive);
      await load.setMode(SECOND, 'down');
      await pause(5_000);
      const { ready, hosts } = await second.readiness();
      check(!ready && hosts === 0, `data plane 2 is ready with ${hosts} hosts of a corrupt snapshot`);
      const [, cold] = (await load.stats()).planes;
      check((cold?.failedWhileDown ?? 0) > 0, 'nobody was turned away by the data plane without a ruleset');
      say(`data plane 2 is not ready; ${cold?.failedWhileDown} visitors were turned away`);
      await Promise.all([world.redis.server.start(), world.controlplane.start()]);
      mended();
      await until(async () => (await second.readiness()).ready, { timeoutMs: 30_000, what: 'readiness' });
      await load.setMode(SECOND, 'up');
      say('data plane 2 is ready');
    },
  }),
};

/** Changes one byte in the middle, as a faulty disk may. */
async function corrupt(file: string): Promise<void> {
  const bytes = await readFile(file);
  const middle = Math.floor(bytes.length / 2);
  bytes[middle] = 0xff ^ (bytes[middle] ?? 0);
  await writeFile(file, bytes);
}
