import type { ChildProcesses } from '../harness/child-processes.js';
import type { ProcessorCores } from '../harness/processor-cores.js';
import type { LoadGenerator } from '../load/load-generator.js';
import type { ResultRow } from './results.js';

/** Servers that the environment names. They are written to: throw-away ones, as `deploy/services` makes them. */
export interface BenchServices {
  readonly databaseUrl: string | undefined;
  readonly redisUrl: string | undefined;
  readonly kafkaBrokers: readonly string[] | undefined;
  /** Folder with Kafka's jars, for a broker that can be taken away. */
  readonly kafkaLibs: string | undefined;
}

/** Environment of the scenarios. */
export interface Bench {
  readonly quick: boolean;
  /** Number of hits to insert. Default: the scenario chooses. */
  readonly hits: number | undefined;
  /** Folder that keeps the table of a scenario with `keepsTable`, for later runs. */
  readonly dataDir: string | undefined;
  readonly services: BenchServices;
  readonly processes: ChildProcesses;
  readonly cores: ProcessorCores;
  readonly load: LoadGenerator;
  /** Temporary folder, removed at the end. */
  readonly workFolder: string;
  /** Reports the progress to a person who waits. */
  say(line: string): void;
}

export interface ScenarioOutcome {
  readonly results: readonly ResultRow[];
  /** The results for people, in Markdown: a table and notes. */
  readonly report: string;
}

export interface Scenario {
  readonly name: string;
  readonly summary: string;
  /** `named`: takes so long that it runs only if it is named. `full`: runs with `--quick` only if it is named. */
  readonly runs?: 'named' | 'full';
  /** Whether it can measure the table that an earlier run left. */
  readonly keepsTable?: true;
  /** Returns the requirements that this machine or environment does not meet, in a few words. */
  missing?(services: BenchServices): string | undefined;
  run(bench: Bench): Promise<ScenarioOutcome>;
}

export interface NamedOutcome extends ScenarioOutcome {
  readonly name: string;
  readonly summary: string;
  readonly seconds: number;
}
