import type { Fault } from '../fault.js';

export const kafkaKilled: Fault = {
  name: 'kafka-killed',
  summary: 'Kafka killed for 30 s',
  isQuick: false,
  allowedLoss: 'none',
  prepare: () => ({
    async run({ world, outageMs, pause, say, check, mended }) {
      const [broker] = world.kafka.brokers;
      await broker?.kill();
      say('Kafka is gone');
      await pause(outageMs(30_000));
      for (const [index, dataplane] of world.dataplanes.entries()) {
        const spooled = await dataplane.metric('waymark_hits_spooled');
        say(`data plane ${index + 1} has spooled ${spooled} hits`);
        check(spooled > 0, `data plane ${index + 1} has spooled nothing`);
      }
      await broker?.start();
      mended();
      say('Kafka is back');
    },
  }),
};
