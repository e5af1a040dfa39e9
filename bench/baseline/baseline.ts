import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { packageRoot } from '../../shared/config/package-root.js';
import { median } from '../measure/statistics.js';
import type { Machine } from '../report/machine.js';
import type { Ratios } from './ratios.js';

/** A stored ratio, and the deviation that still counts as noise: 0.3 allows 30 % more. */
export interface BaselineRatio {
  readonly ratio: number;
  readonly band: number;
}

export type Baseline = Readonly<Record<string, BaselineRatio>>;

/** Number of runs of each scenario from which a baseline is computed. */
export const BASELINE_RUNS = 3;

/** Short rounds on another machine vary by a quarter, even if the runs of a baseline agree. */
const MIN_BAND = 0.3;
const MAX_BAND = 0.5;
/** Widens the measured spread, because a few runs show only a part of the noise. */
const SPREAD_FACTOR = 2;

/** Returns the median of each ratio over several runs, and its noise band. */
export function baselineOf(runs: readonly Ratios[]): Baseline {
  const names = new Set(runs.flatMap((run) => Object.keys(run)));
  return Object.fromEntries(
    [...names].map((name) => {
      const values = runs.flatMap((run) => run[name] ?? []);
      const ratio = median(values) ?? Number.NaN;
      const spread = (Math.max(...values) - Math.min(...values)) / ratio;
      const band = Math.min(MAX_BAND, Math.max(MIN_BAND, SPREAD_FACTOR * spread));
      return [name, { ratio: rounded(ratio), band: rounded(band) }];
    }),
  );
}

function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}

const FILE = path.join(packageRoot(), 'bench', 'baseline.json');

/** The stored baseline and its origin. It has ratios, which are comparable between machines, and no times. */
interface StoredBaseline {
  readonly commit: string | null;
  readonly node: string;
  readonly cpu: string;
  readonly pace: 'quick' | 'full';
  readonly ratios: Baseline;
}

/** Stores a baseline. Keeps stored ratios that the new one lacks, such as those of another load generator. */
export async function writeBaseline(machine: Machine, isQuick: boolean, measured: Baseline): Promise<void> {
  const kept = await readBaseline().catch((): Baseline => ({}));
  const stored: StoredBaseline = {
    ...machine,
    pace: isQuick ? 'quick' : 'full',
    ratios: { ...kept, ...measured },
  };
  await writeFile(FILE, `${JSON.stringify(stored, undefined, 2)}\n`);
}

/** Reads the stored baseline. @throws if no baseline is stored */
export async function readBaseline(): Promise<Baseline> {
  const text = await readFile(FILE, 'utf8').catch((cause: unknown) => {
    throw new Error('bench/baseline.json is missing. Create it with: npm run bench -- --quick --baseline', {
      cause,
    });
  });
  const { ratios } = JSON.parse(text) as StoredBaseline;
  return ratios;
}
