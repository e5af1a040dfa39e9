import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { SNAPSHOT_FILE } from '../../../dataplane/sync/disk-snapshot.js';
import { createFault } from '../fault.js';
import { until } from '../until.js';

/** Index of the data plane into which faults are injected. */
const SECOND = 1;
/** Number of kills. */
const TIMES = 3;
/** A broker waits 15 s for a killed member before it assigns the member's partitions to another one. */
const TAKE_OVER_TIMEOUT_MS = 40_000;

export const controlplaneKilled = createFault(
  'controlplane-killed',
  `the control plane killed (-9) during writes, ${TIMES} times`,
  async ({ world, writers, outageMs, times, pause, say, mended }) => {
    const kills = times(TIMES);
    for (let time = 1; time <= kills; time += 1) {
      await world.controlplane.kill();
      await pause(outageMs(2_000));
      await world.controlplane.start();
      say(`killed and started again, ${time} of ${kills}; ${writers.uncertain} writes were not acknowledged`);
      if (time < kills) await pause(2_000);
    }
    mended();
  },
  { isQuick: true },
);

export const dataplaneKilled = createFault(
  'dataplane-killed',
  'a data plane killed (-9), and started again after 2 s',
  async ({ world, load, pause, say, mended }) => {
    const [, second] = world.dataplanes;
    await load.setMode(SECOND, 'down');
    await second.server.kill();
    say('data plane 2 is gone');
    await pause(2_000);
    await second.server.start();
    await load.setMode(SECOND, 'up');
    mended();
    say('data plane 2 is back');
  },
  { isQuick: true, allowedLoss: 'killed' },
);

export const ingestKilled = createFault(
  'ingest-killed',
  `ingest killed (-9) ${TIMES} times, each time while it stores hits`,
  async ({ world, pause, say, mended }) => {
    for (let time = 1; time <= TIMES; time += 1) {
      await world.ingest.kill();
      await world.ingest.start();
      const tookMs = await until(world.isIngesting, {
        timeoutMs: TAKE_OVER_TIMEOUT_MS,
        what: 'taking over',
      });
      say(`killed, and back at work after ${Math.round(tookMs)} ms, ${time} of ${TIMES}`);
      await pause(2_000);
    }
    mended();
  },
);

export const coldStart = createFault(
  'cold-start',
  'a data plane started with every server and the control plane down, 10 s before they are back',
  async ({ world, load, outageMs, pause, say, check, mended }) => {
    const { dataplanes, postgres, redis, kafka, clickhouse, controlplane, ingest } = world;
    const [, second] = dataplanes;
    await load.setMode(SECOND, 'off');
    check((await second.server.terminate()) === 0, 'data plane 2 did not end in order');
    const servers = [postgres.server, redis.server, ...kafka.brokers];
    await Promise.all([controlplane.kill(), ingest.kill(), clickhouse.gate.close()]);
    await Promise.all(servers.map((server) => server.kill()));
    say('every server is gone');
    const startedMs = performance.now();
    await second.server.start();
    await load.setMode(SECOND, 'up');
    say(`data plane 2 serves its snapshot after ${Math.round(performance.now() - startedMs)} ms`);
    await pause(outageMs(10_000));
    await Promise.all([...servers.map((server) => server.start()), clickhouse.gate.open()]);
    await Promise.all([controlplane.start(), ingest.start()]);
    mended();
    say('every server is back');
  },
  { isQuick: true },
);

/** The load counts answers other than 503 as wrong while there is no ruleset. */
export const snapshotCorrupt = createFault(
  'snapshot-corrupt',
  'a data plane restarted on a corrupt disk snapshot, with Redis and the control plane down for 5 s',
  async ({ world, load, pause, say, check, mended }) => {
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
);

/** Changes one byte in the middle, as a faulty disk may. */
async function corrupt(file: string): Promise<void> {
  const bytes = await readFile(file);
  const middle = Math.floor(bytes.length / 2);
  bytes[middle] = 0xff ^ (bytes[middle] ?? 0);
  await writeFile(file, bytes);
}
