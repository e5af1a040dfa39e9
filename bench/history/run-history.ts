import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { packageRoot } from '../../shared/config/package-root.js';
import type { Machine } from '../report/machine.js';
import type { NamedOutcome } from '../scenarios/scenario.js';
import { formatResultsPage } from './results-page.js';
import { type Pace, type StoredRun, storedRow } from './stored-run.js';

/** Folder of the kept runs, and of the page that compares them. */
const FOLDER = path.join(packageRoot(), 'bench', 'results');
const RUNS_FILE = path.join(FOLDER, 'runs.json');
const MAX_RUNS = 20;

/** Reads the kept runs, the newest last. Returns an empty list if none is kept yet. */
export async function readRuns(): Promise<readonly StoredRun[]> {
  const text = await readFile(RUNS_FILE, 'utf8').catch(() => '[]');
  return JSON.parse(text) as StoredRun[];
}

/**
 * Adds a run to the kept ones, and writes the page that compares them: `bench/results/index.html`.
 *
 * @returns the kept runs with the new one, which is the last
 */
export async function keepRun(
  machine: Machine,
  pace: Pace,
  outcomes: readonly NamedOutcome[],
): Promise<readonly StoredRun[]> {
  const run: StoredRun = {
    ...machine,
    at: new Date().toISOString(),
    pace,
    seconds: Object.fromEntries(outcomes.map(({ name, seconds }) => [name, Math.round(seconds)])),
    rows: outcomes.flatMap(({ results }) => results.map(storedRow)),
    reports: Object.fromEntries(outcomes.map(({ name, report }) => [name, report.trim()])),
  };
  const runs = [...(await readRuns()), run].slice(-MAX_RUNS);
  await mkdir(FOLDER, { recursive: true });
  await writeFile(RUNS_FILE, `${JSON.stringify(runs)}\n`);
  await writeFile(path.join(FOLDER, 'index.html'), formatResultsPage(runs));
  return runs;
}
