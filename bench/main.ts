import { writeFile } from 'node:fs/promises';
import { UsageError } from '../deploy/faults/command-line.js';
import { processEnvironment } from '../shared/config/process-environment.js';
import { type BenchArguments, parseArguments, usage } from './arguments.js';
import { BASELINE_RUNS, baselineOf, readBaseline, writeBaseline } from './baseline/baseline.js';
import { describeComparison } from './baseline/compare.js';
import { type Ratios, ratiosOf } from './baseline/ratios.js';
import { withBench } from './harness/bench-process.js';
import { keepRun, readRuns } from './history/run-history.js';
import { describeMachine, type Machine } from './report/machine.js';
import { writeReport } from './report/write-report.js';
import { compareTwice, runScenarios } from './run-scenarios.js';
import type { Bench, BenchServices, NamedOutcome, Scenario } from './scenarios/scenario.js';
import { SCENARIOS } from './scenarios/scenarios.js';

async function main(args: readonly string[]): Promise<void> {
  const options = parseArguments(args, SCENARIOS);
  if (options.help) return console.log(usage(SCENARIOS));

  const asked = SCENARIOS.filter(({ name }) => options.scenarios.includes(name));
  const isLong = asked.some(({ runs }) => runs === 'named');
  // Read the baseline before measuring. Without one the run cannot be compared.
  const stored = options.compare ? await readBaseline() : undefined;
  const { outcomes, compared } = await withBench(
    { ...options, services: services(), isLong },
    async (bench) => {
      const done = await runScenarios(bench, asked, options.areNamed, await readRuns());
      const ratios = ratiosOf(done.flatMap(({ results }) => results));
      if (options.baseline) await storeBaseline(bench, asked, ratios);
      return { outcomes: done, compared: stored && (await compareTwice(bench, asked, ratios, stored)) };
    },
  );
  await keep(options, await describeMachine(), outcomes);
  if (compared === undefined) return;
  console.log(`\n${describeComparison(compared)}`);
  if (compared.some(({ hasFallenBehind }) => hasFallenBehind)) {
    throw new Error('a ratio is worse than the noise band of bench/baseline.json');
  }
}

/** Runs the scenarios again until there are enough runs, and stores the medians and the noise of their ratios. */
async function storeBaseline(bench: Bench, asked: readonly Scenario[], first: Ratios): Promise<void> {
  const runs = [first];
  while (runs.length < BASELINE_RUNS) {
    const again = await runScenarios(bench, asked, true, await readRuns());
    runs.push(ratiosOf(again.flatMap(({ results }) => results)));
  }
  await writeBaseline(await describeMachine(), bench.quick, baselineOf(runs));
}

async function keep(
  options: BenchArguments,
  machine: Machine,
  outcomes: readonly NamedOutcome[],
): Promise<void> {
  const results = outcomes.flatMap((outcome) => outcome.results);
  if (options.jsonFile !== undefined) {
    await writeFile(options.jsonFile, `${JSON.stringify({ ...machine, results }, undefined, 2)}\n`);
  }
  if (!options.keep) return;
  const runs = await keepRun(machine, options.quick ? 'quick' : 'full', outcomes);
  if (options.write) await writeReport(runs, SCENARIOS);
}

function services(): BenchServices {
  const { DATABASE_URL, REDIS_URL, KAFKA_BROKERS, KAFKA_LIBS } = processEnvironment();
  return {
    databaseUrl: DATABASE_URL,
    redisUrl: REDIS_URL,
    kafkaBrokers: KAFKA_BROKERS?.split(','),
    kafkaLibs: KAFKA_LIBS,
  };
}

main(process.argv.slice(2)).catch((error: unknown) => {
  if (error instanceof UsageError)
    console.error(`${error.message}\n\nnpm run bench -- --help lists what there is.`);
  else console.error(error instanceof Error ? `The benchmark failed: ${error.message}` : error);
  // `exit` also ends a hanging scenario and its servers.
  process.exit(error instanceof UsageError ? 2 : 1);
});
