import type { Baseline } from './baseline/baseline.js';
import { betterOf, type ComparedRatio, compareRatios } from './baseline/compare.js';
import { type Ratios, ratiosOf, scenarioOf } from './baseline/ratios.js';
import { createProgress } from './history/progress.js';
import type { StoredRun } from './history/stored-run.js';
import { emptyRow } from './scenarios/results.js';
import type { Bench, NamedOutcome, Scenario } from './scenarios/scenario.js';

/**
 * Runs scenarios one after another. Prints the progress and the time left before each, and its result after it.
 *
 * @param areNamed whether a scenario that cannot run here is an error; otherwise it is left out with the reason
 * @param kept earlier runs, for the time left
 */
export async function runScenarios(
  bench: Bench,
  scenarios: readonly Scenario[],
  areNamed: boolean,
  kept: readonly StoredRun[] = [],
): Promise<NamedOutcome[]> {
  const done: NamedOutcome[] = [];
  if (areNamed) requireAll(bench, scenarios);
  const names = scenarios.map(({ name }) => name);
  const progress = createProgress(names, kept, bench.quick ? 'quick' : 'full');
  for (const [index, scenario] of scenarios.entries()) {
    const { name, summary } = scenario;
    bench.say(progress.lineBefore(index));
    const startedAtMs = performance.now();
    const missing = scenario.missing?.(bench.services);
    const outcome = missing === undefined ? await scenario.run(bench) : leftOut(name, missing);
    const seconds = (performance.now() - startedAtMs) / 1_000;
    progress.ended(index, seconds);
    console.log(`\n## ${name}: ${summary}\n\n${outcome.report}`);
    done.push({ ...outcome, name, summary, seconds });
  }
  return done;
}

function requireAll({ services }: Bench, scenarios: readonly Scenario[]): void {
  for (const { name, missing } of scenarios) {
    const reason = missing?.(services);
    if (reason !== undefined) throw new Error(`the scenario ${name} cannot run here: ${reason}`);
  }
}

function leftOut(name: string, skipped: string) {
  return { results: [{ ...emptyRow(name), skipped }], report: `Left out: ${skipped}.` };
}

/**
 * Compares the ratios of a run with stored ones. A scenario that is behind its stored ratio runs once more, and the
 * better of its runs counts, because a slow period of the machine does not last.
 */
export async function compareTwice(
  bench: Bench,
  scenarios: readonly Scenario[],
  measured: Ratios,
  stored: Baseline,
): Promise<readonly ComparedRatio[]> {
  const compared = compareRatios(measured, stored);
  const behind = compared
    .filter(({ hasFallenBehind }) => hasFallenBehind)
    .map(({ name }) => scenarioOf(name));
  if (behind.length === 0) return compared;
  bench.say(`behind the baseline, running again: ${[...new Set(behind)].join(', ')}`);
  const again = await runScenarios(
    bench,
    scenarios.filter(({ name }) => behind.includes(name)),
    false,
  );
  return compareRatios(betterOf(measured, ratiosOf(again.flatMap(({ results }) => results))), stored);
}
