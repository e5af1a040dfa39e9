import path from 'node:path';
import { listNames, readOptions, requireKnown, UsageError } from '../deploy/faults/command-line.js';
import { COMPARED_SCENARIOS } from './baseline/ratios.js';
import { LOAD_NAMES, type LoadName } from './load/choose-load.js';
import type { Scenario } from './scenarios/scenario.js';

/** The parsed command line. */
export interface BenchArguments {
  readonly help: boolean;
  readonly quick: boolean;
  readonly write: boolean;
  /** Whether to add the run to `bench/results/`. */
  readonly keep: boolean;
  /** Whether to store the ratios of this run, and whether to compare them with the stored ones. */
  readonly baseline: boolean;
  readonly compare: boolean;
  readonly jsonFile: string | undefined;
  /** The load generator. Undefined: `wrk` if it is installed, otherwise autocannon. */
  readonly load: LoadName | undefined;
  /** Number of hits that a scenario inserts before it measures. Undefined: the scenario chooses. */
  readonly hits: number | undefined;
  /** Folder that keeps the table of a scenario for later runs. */
  readonly dataDir: string | undefined;
  /** Names of the scenarios to run, in the order in which they run. */
  readonly scenarios: readonly string[];
  /** Whether they were named: one that cannot run is an error then. */
  readonly areNamed: boolean;
}

/** A scenario, as far as the command line knows it. */
export type NamedScenario = Pick<Scenario, 'name' | 'runs' | 'keepsTable'>;

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  quick: { type: 'boolean' },
  write: { type: 'boolean' },
  keep: { type: 'boolean' },
  baseline: { type: 'boolean' },
  compare: { type: 'boolean' },
  json: { type: 'string' },
  load: { type: 'string' },
  hits: { type: 'string' },
  data: { type: 'string' },
  scenario: { type: 'string', multiple: true },
} as const;

type Values = ReturnType<typeof readOptions<typeof OPTIONS>>;

/**
 * Reads the command line.
 *
 * @param args the arguments after the script's name
 * @param scenarios all scenarios; without `--scenario`, all run except those that run only on request
 * @throws {UsageError}
 */
export function parseArguments(args: readonly string[], scenarios: readonly NamedScenario[]): BenchArguments {
  const values = readOptions(args, OPTIONS);
  requireKnown('scenario', values.scenario, scenarios);
  refuseContradictions(values);
  requireTable(values, scenarios);
  const quick = values.quick ?? false;
  const named = values.baseline ? COMPARED_SCENARIOS : values.scenario;
  const isOfWholeRun = ({ runs, keepsTable }: NamedScenario) =>
    runs === undefined || (runs === 'full' && !quick) || (keepsTable === true && values.data !== undefined);
  const isAsked = (scenario: NamedScenario) => named?.includes(scenario.name) ?? isOfWholeRun(scenario);
  return {
    help: values.help ?? false,
    quick,
    write: values.write ?? false,
    keep: (values.keep ?? false) || (values.write ?? false),
    baseline: values.baseline ?? false,
    compare: values.compare ?? false,
    jsonFile: values.json,
    load: readLoad(values.load),
    hits: readHits(values.hits),
    dataDir: values.data === undefined ? undefined : path.resolve(values.data),
    scenarios: scenarios.filter(isAsked).map(({ name }) => name),
    areNamed: values.scenario !== undefined,
  };
}

function refuseContradictions(values: Values): void {
  if (values.write && values.quick) throw new UsageError('--write publishes full rounds: leave out --quick');
  if (values.baseline && (values.write || values.compare || values.scenario !== undefined)) {
    throw new UsageError('--baseline runs what it stores: leave out --write, --compare and --scenario');
  }
  if (values.json === '') throw new UsageError('--json takes the name of a file');
}

function requireTable({ data, scenario = [], write }: Values, scenarios: readonly NamedScenario[]): void {
  if (data === undefined) return;
  if (data === '') throw new UsageError('--data takes the name of a folder');
  const keeping = scenarios.filter(({ keepsTable }) => keepsTable).map(({ name }) => name);
  if (write || keeping.some((name) => scenario.includes(name))) return;
  throw new UsageError(
    `--data keeps the table of ${keeping.join(', ')}: name it with --scenario, or add --write`,
  );
}

function readHits(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new UsageError('--hits takes a whole number');
  return Number(text);
}

function readLoad(text: string | undefined): LoadName | undefined {
  if (text === undefined) return undefined;
  const name = LOAD_NAMES.find((known) => known === text);
  if (name === undefined) throw new UsageError(`--load takes ${LOAD_NAMES.join(' or ')}`);
  return name;
}

/** The text of `--help`. */
export function usage(scenarios: readonly { readonly name: string; readonly summary: string }[]): string {
  return [
    'npm run bench -- [options]',
    '',
    '  --quick          short rounds, for CI: under three minutes in all, figures for orientation',
    '  --scenario NAME  only this one; may be repeated',
    '  --hits N         how many analytics and analytics-endpoints fill in',
    '  --data DIR       where analytics-endpoints keeps its table: fills it in, or measures what is there from an earlier run',
    '  --load NAME      wrk (saturates the servers) or autocannon (comes with npm); default: wrk where it is installed',
    '  --json FILE      writes the results, every round included, to FILE',
    '  --keep           adds the run to bench/results/ and writes index.html there, which compares the runs',
    '  --write          does the same, and renews bench/results.md and the chart bench/results.svg; scenarios that did not',
    '                   run stay as they were measured before',
    '  --baseline       runs the compared scenarios three times; stores ratios and their noise in bench/baseline.json',
    '  --compare        fails when a ratio is worse than its noise band, in two runs of its scenario',
    '  --help           this text',
    '',
    'Scenarios:',
    ...listNames(scenarios),
    '',
    'Exits with 1 when any server gives a wrong answer or a hit is unaccounted for.',
  ].join('\n');
}
