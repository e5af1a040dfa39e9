import type { Fault } from '../fault.js';

const SECOND = 1;

export const coldStart: Fault = {
  name: 'cold-start',
  summary: 'a data plane started with every server and the control plane down, 10 s before they are back',
  isQuick: true,
  allowedLoss: 'none',
  prepare: () => ({
    async run({ world, load, outageMs, pause, say, check, mended }) {
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
  }),
};
