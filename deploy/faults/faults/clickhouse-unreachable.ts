import type { Fault } from '../fault.js';

export const clickhouseUnreachable: Fault = {
  name: 'clickhouse-unreachable',
  summary: 'ClickHouse unreachable for 30 s',
  isQuick: false,
  allowedLoss: 'none',
  prepare: () => ({
    async run({ world, outageMs, pause, say, mended }) {
      await world.clickhouse.gate.close();
      say('ClickHouse refuses connections');
      await pause(outageMs(30_000));
      await world.clickhouse.gate.open();
      mended();
      say('ClickHouse takes connections');
    },
  }),
};
