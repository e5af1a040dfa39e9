import { randomUUID } from 'node:crypto';
import { withAwakeCores } from '../load/awake-cores.js';
import { CONNECTIONS, FIXED_REQUESTS_PER_SECOND } from '../load/fixed-rate-load.js';
import { formatWhole } from '../report/table.js';
import type { KafkaTopic } from '../servers/server-kind.js';
import type { Comparison, Entrant } from './comparison.js';
import { type Contender, enterContender } from './contender.js';
import type { Bench, Scenario } from './scenario.js';
import { formatServerTable } from './server-table.js';
import { type MeasuredServer, summarize } from './summarize.js';

const FULL_PACE = { rounds: 5, secondsPerRound: 4, warmUpSeconds: 3, steadySeconds: 5 };
const QUICK_PACE = { rounds: 3, secondsPerRound: 1, warmUpSeconds: 1, steadySeconds: 1 };

/**
 * Creates a scenario. All servers run throughout. Rounds alternate between them, A B C A B C, so a slow period of the
 * machine affects all of them.
 */
export function sideBySide(plan: Comparison): Scenario {
  const { name, summary, conclude = (rows) => rows } = plan;
  return {
    name,
    summary,
    ...(plan.runs && { runs: plan.runs }),
    async run(bench) {
      const entrants = plan.entrants(bench.quick);
      const missing = entrants.filter(({ kind }) => kind.unavailable() !== undefined);
      const present = entrants.filter((entrant) => !missing.includes(entrant));
      const kafka = plan.producesHits ? kafkaTopic(bench) : undefined;
      const measured = await measureInTurn(bench, plan, present, kafka);
      const load = bench.load.name;
      const records = present.some(({ redirects }) => redirects.samplingRate > 0);
      const sink = records ? (kafka === undefined ? 'counting' : 'kafka') : null;
      const rate = { connections: CONNECTIONS, fixedRequestsPerSecond: FIXED_REQUESTS_PER_SECOND };
      const results = conclude(summarize({ scenario: name, load, ...rate, sink }, measured));
      const notes = [
        `${CONNECTIONS} keep-alive connections, load by ${load}; latencies at ${formatWhole(FIXED_REQUESTS_PER_SECOND)} requests a second.`,
        ...(sink === null ? [] : [`Hits went to ${sink === 'kafka' ? 'Kafka' : 'a sink that counts them'}.`]),
        ...measured.flatMap((server) => server.notes),
        ...missing.map((entrant) => `${entrant.name} was left out: ${entrant.kind.unavailable()}.`),
      ];
      return {
        results,
        report: `${formatServerTable(results)}\n\n${notes.map((note) => `- ${note}`).join('\n')}`,
      };
    },
  };
}

/** A topic of this run only, so no other ingest reads the batches of the benchmark. */
function kafkaTopic({ services: { kafkaBrokers: brokers } }: Bench): KafkaTopic | undefined {
  return brokers && { brokers, topic: `waymark-bench-${randomUUID()}` };
}

async function measureInTurn(
  bench: Bench,
  plan: Comparison,
  entrants: readonly Entrant[],
  kafka: KafkaTopic | undefined,
) {
  const pace = bench.quick ? QUICK_PACE : FULL_PACE;
  const contenders: Contender[] = [];
  for (const entrant of entrants) {
    bench.say(`${plan.name}: starting ${entrant.name}`);
    contenders.push(await enterContender(bench, plan, entrant, kafka));
  }
  await withAwakeCores(bench, async () => {
    bench.say(`${plan.name}: warming up`);
    for (const contender of contenders) await contender.warmUp(pace.warmUpSeconds);
    for (let round = 1; round <= pace.rounds; round += 1) {
      bench.say(`${plan.name}: round ${round} of ${pace.rounds}`);
      for (const contender of contenders) await contender.run(pace.secondsPerRound);
    }
  });
  bench.say(`${plan.name}: latencies at a fixed rate`);
  for (const contender of contenders) await contender.steady(pace.steadySeconds);
  const measured: (MeasuredServer & { readonly notes: readonly string[] })[] = [];
  for (const contender of contenders) measured.push(await contender.leave());
  return measured;
}
