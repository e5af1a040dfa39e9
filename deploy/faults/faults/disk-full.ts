import os from 'node:os';
import path from 'node:path';
import { mountSmallDisk } from '../../../shared/process/small-disk.js';
import type { Fault } from '../fault.js';
import { until } from '../until.js';

const SIZE_MIB = 2;
const FULL_TIMEOUT_MS = 120_000;

/** Uses large hits at a high rate. They soon fill the memory file system that replaces the disk. */
export const diskFull: Fault = {
  name: 'disk-full',
  summary: `Kafka killed, and the disk of one data plane has ${SIZE_MIB} MiB, until hits are dropped`,
  isQuick: false,
  allowedLoss: 'dropped',
  prepare() {
    const probe = mountSmallDisk(path.join(os.tmpdir(), `waymark-faults-probe-${process.pid}`), SIZE_MIB);
    probe?.remove();
    return {
      ...(probe === undefined && { impossible: 'mounting a small file system is not allowed here' }),
      requestsPerSecond: 2_500,
      paddingBytes: 1_200,
      world: {
        second(folder) {
          const disk = mountSmallDisk(folder.path('small-disk'), SIZE_MIB);
          return disk === undefined ? {} : { dataDir: disk.path, release: disk.remove };
        },
      },
      async run({ world, say, check, mended }) {
        const [first, second] = world.dataplanes;
        const [broker] = world.kafka.brokers;
        await broker?.kill();
        say('Kafka is gone');
        const areDropped = async () => (await second.metric('waymark_hits_dropped_total')) > 0;
        await until(areDropped, { timeoutMs: FULL_TIMEOUT_MS, what: 'dropping of hits' });
        check((await second.metric('waymark_hit_spool_errors_total')) > 0, 'the disk was never full');
        check(
          (await first.metric('waymark_hits_dropped_total')) === 0,
          'the other data plane dropped hits too',
        );
        await broker?.start();
        mended();
        say('Kafka is back');
      },
    };
  },
};
