import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { createRedis } from '../../deploy/faults/servers/redis.js';
import { findProgram } from '../harness/find-program.js';
import type { ExpectedRequest, FixedRateResult } from '../load/fixed-rate.js';
import { CONNECTIONS, FIXED_REQUESTS_PER_SECOND, loadAtFixedRate } from '../load/fixed-rate-load.js';
import { unaccountedHits } from '../measure/hit-accounting.js';
import { createKafkaBroker, withServer } from '../product/own-servers.js';
import { addRedirect, startProduct } from '../product/product.js';
import { createVisitor, VISITOR_TARGET } from '../product/visitor.js';
import { formatWhole } from '../report/table.js';
import { waymark } from '../servers/node-servers.js';
import { ruledLocations } from '../traffic/bench-request.js';
import { ruledRequests } from '../traffic/ruled-traffic.js';
import { reportDisturbance, requireNoFailure, summarizeDisturbance } from './disturbance.js';
import type { Bench, Scenario, ScenarioOutcome } from './scenario.js';

const WARM_UP_SECONDS = 1;
const FULL_PACE = { rounds: 5, secondsPerRound: 5 };
const QUICK_PACE = { rounds: 3, secondsPerRound: 1 };
const KAFKA_REDIRECTS = { hostCount: 10_000, rulesPerHost: 10, samplingRate: 1 };

/** Measures whether visitors notice that Kafka is down. */
export const kafkaDown: Scenario = {
  name: 'kafka-down',
  summary: 'redirects of a data plane with its hits going to Kafka, and after Kafka was killed',
  missing: ({ kafkaLibs }) =>
    kafkaLibs === undefined ? 'KAFKA_LIBS names no folder with the jars of Kafka' : javaMissing(),
  run: (bench) =>
    withServer(createKafkaBroker, async ({ server: kafka, brokers }) => {
      const workFolder = await mkdtemp(path.join(bench.workFolder, 'kafka-down-'));
      const server = await waymark.start(bench.processes, bench.cores.server, {
        redirects: KAFKA_REDIRECTS,
        workFolder,
        kafka: { brokers, topic: `waymark-bench-${randomUUID()}` },
      });
      const { hostCount } = KAFKA_REDIRECTS;
      const requests = ruledRequests(hostCount, KAFKA_REDIRECTS, hostCount).map((request) => ({
        ...request,
        locations: ruledLocations(request),
      }));
      const outcome = await compareWithout(bench, {
        scenario: 'kafka-down',
        state: 'without Kafka',
        port: server.port,
        requests,
        takeAway: () => kafka.kill(),
      });
      const hits = await server.stop();
      if (hits === undefined) throw new Error('kafka-down: the data plane said nothing of its hits');
      const complaint = unaccountedHits(hits, { answered: outcome.visits, uncertain: 0, samplingRate: 1 });
      if (complaint !== undefined) throw new Error(`kafka-down: ${complaint}`);
      return outcome.report([
        `${formatWhole(hits.recorded)} hits recorded = ${formatWhole(hits.delivered)} delivered + ` +
          `${formatWhole(hits.dropped)} dropped + ${formatWhole(hits.spooled)} on disk for Kafka's return.`,
      ]);
    }),
};

/** Measures whether visitors notice that no rulesets arrive. */
export const redisDown: Scenario = {
  name: 'redis-down',
  summary: 'redirects of the whole product with its rulesets from Redis, and after Redis was killed',
  missing: () => (findProgram('redis-server', '-v') === undefined ? 'Redis is not installed' : undefined),
  run: (bench) =>
    withServer(createRedis, async ({ server: redis, url }) => {
      const dataDir = await mkdtemp(path.join(bench.workFolder, 'redis-down-'));
      bench.say('redis-down: starting the product');
      const product = await startProduct({ ...bench, dataDir, environment: { REDIS_URL: url } });
      const host = 'redis-down.localhost';
      const destination = 'https://destination.example/welcome';
      await addRedirect(product, { fromDomain: host, toDomain: destination });
      const visitor = createVisitor(product, host);
      await visitor.untilServed(destination);
      visitor.leave();
      const outcome = await compareWithout(bench, {
        scenario: 'redis-down',
        state: 'without Redis',
        port: product.redirectPort,
        requests: [{ host, target: VISITOR_TARGET, locations: [destination + VISITOR_TARGET] }],
        takeAway: () => redis.kill(),
      });
      await product.stop();
      return outcome.report([]);
    }),
};

interface Experiment {
  readonly scenario: string;
  readonly state: string;
  readonly port: number;
  readonly requests: readonly ExpectedRequest[];
  takeAway(): Promise<void>;
}

/** Sends visits in rounds with the server, and then as many without it. @throws when a request fails */
async function compareWithout(bench: Bench, experiment: Experiment) {
  const { scenario, state, port, requests, takeAway } = experiment;
  const pace = bench.quick ? QUICK_PACE : FULL_PACE;
  const visit = (seconds: number) => loadAtFixedRate(bench, { port, requests, seconds, spins: true });
  const visitInRounds = async () => {
    const results: FixedRateResult[] = [];
    for (let round = 1; round <= pace.rounds; round += 1) results.push(await visit(pace.secondsPerRound));
    return results;
  };
  bench.say(`${scenario}: quiet rounds`);
  const warmUp = await visit(WARM_UP_SECONDS);
  const quiet = await visitInRounds();
  await takeAway();
  bench.say(`${scenario}: rounds ${state}`);
  const without = await visitInRounds();
  const results = summarizeDisturbance(
    scenario,
    { state, rounds: without },
    { state: 'quiet', rounds: quiet },
  );
  requireNoFailure(scenario, results);
  return {
    visits: [warmUp, ...quiet, ...without].reduce((sum, { completed }) => sum + completed, 0),
    report: (notes: readonly string[]): ScenarioOutcome => ({
      results,
      report: reportDisturbance(results, [
        `${formatWhole(FIXED_REQUESTS_PER_SECOND)} requests a second, ${CONNECTIONS} connections; every answer was checked.`,
        ...notes,
      ]),
    }),
  };
}

function javaMissing(): string | undefined {
  return findProgram('java', '-version') === undefined
    ? 'Java, which Kafka needs, is not installed'
    : undefined;
}
