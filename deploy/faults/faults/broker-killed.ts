import type { Fault } from '../fault.js';

export const brokerKilled: Fault = {
  name: 'broker-killed',
  summary: 'one of three Kafka brokers killed for 20 s',
  isQuick: false,
  allowedLoss: 'none',
  prepare: () => ({
    world: { brokers: 3 },
    async run({ world, outageMs, pause, say, mended }) {
      const [broker] = world.kafka.brokers;
      await broker?.kill();
      say('one broker is gone');
      await pause(outageMs(20_000));
      await broker?.start();
      mended();
      say('the broker is back');
    },
  }),
};
