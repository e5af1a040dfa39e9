import { writeFile } from 'node:fs/promises';
import { parseArguments, UsageError, usage } from './arguments.js';
import { withBench } from './harness/bench-process.js';
import { describeMachine } from './report/machine.js';
import { writeReport } from './report/write-report.js';
import type { NamedOutcome } from './scenarios/scenario.js';
import { SCENARIOS } from './scenarios/scenarios.js';

async function main(args: readonly string[]): Promise<void> {
  const options = parseArguments(args, SCENARIOS);
  if (options.help) return console.log(usage(SCENARIOS));

  const asked = SCENARIOS.filter(({ name }) => options.scenarios.includes(name));
  const isLong = asked.some(({ onRequest }) => onRequest);
  const outcomes = await withBench({ ...options, isLong }, async (bench) => {
    const done: NamedOutcome[] = [];
    for (const scenario of asked) {
      const outcome = await scenario.run(bench);
      console.log(`\n## ${scenario.name}: ${scenario.summary}\n\n${outcome.report}`);
      done.push({ ...outcome, name: scenario.name, summary: scenario.summary });
    }
    return done;
  });

  const machine = await describeMachine();
  if (options.jsonFile !== undefined) {
    const results = outcomes.flatMap((outcome) => outcome.results);
    await writeFile(options.jsonFile, `${JSON.stringify({ ...machine, results }, undefined, 2)}\n`);
  }
  if (options.write) await writeReport(machine, outcomes);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  if (error instanceof UsageError)
    console.error(`${error.message}\n\nnpm run bench -- --help lists what there is.`);
  else console.error(error instanceof Error ? `The benchmark failed: ${error.message}` : error);
  process.exitCode = error instanceof UsageError ? 2 : 1;
});
