import { createFault } from '../fault.js';

export const redisKilled = createFault(
  'redis-killed',
  'Redis killed, and back empty after 10 s',
  async ({ world, outageMs, pause, say, mended }) => {
    await world.redis.server.kill();
    say('Redis is gone');
    await pause(outageMs(10_000));
    await world.redis.server.start();
    mended();
    say('Redis is back');
  },
);

export const redisPaused = createFault(
  'redis-paused',
  'Redis stands still for 10 s (SIGSTOP)',
  async ({ world, outageMs, pause, say, mended }) => {
    world.redis.server.pause();
    say('Redis stands still');
    await pause(outageMs(10_000));
    world.redis.server.resume();
    mended();
    say('Redis goes on');
  },
);

const FLUSHES = 3;

export const redisFlushed = createFault(
  'redis-flushed',
  `Redis forgets everything (FLUSHALL), ${FLUSHES} times`,
  async ({ world, outageMs, pause, say, mended }) => {
    for (let time = 1; time <= FLUSHES; time += 1) {
      await world.redis.flush();
      say('Redis is empty');
      if (time < FLUSHES) await pause(outageMs(3_000));
    }
    mended();
  },
);

export const postgresKilled = createFault(
  'postgres-killed',
  'PostgreSQL killed (-9) during writes for 10 s',
  async ({ world, writers, outageMs, pause, say, check, mended }) => {
    await world.postgres.server.kill();
    say('PostgreSQL is gone');
    await pause(outageMs(10_000));
    check(writers.uncertain > 0, 'no write was refused while PostgreSQL was gone');
    await world.postgres.server.start();
    say(`PostgreSQL is back; ${writers.uncertain} writes were not acknowledged`);
    mended();
  },
);

export const kafkaKilled = createFault(
  'kafka-killed',
  'Kafka killed for 30 s',
  async ({ world, outageMs, pause, say, check, mended }) => {
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
);

export const brokerKilled = createFault(
  'broker-killed',
  'one of three Kafka brokers killed for 20 s',
  async ({ world, outageMs, pause, say, mended }) => {
    const [broker] = world.kafka.brokers;
    await broker?.kill();
    say('one broker is gone');
    await pause(outageMs(20_000));
    await broker?.start();
    mended();
    say('the broker is back');
  },
  { world: { brokers: 3 } },
);

export const clickhouseUnreachable = createFault(
  'clickhouse-unreachable',
  'ClickHouse unreachable for 30 s',
  async ({ world, outageMs, pause, say, mended }) => {
    await world.clickhouse.gate.close();
    say('ClickHouse refuses connections');
    await pause(outageMs(30_000));
    await world.clickhouse.gate.open();
    mended();
    say('ClickHouse takes connections');
  },
);
