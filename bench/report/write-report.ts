import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { packageRoot } from '../../shared/config/package-root.js';
import type { StoredRow, StoredRun } from '../history/stored-run.js';
import type { Scenario } from '../scenarios/scenario.js';
import { drawBarChart } from './bar-chart.js';
import { compareWithGoals, formatGoalTable } from './goal-table.js';
import { GOALS } from './goals.js';
import { replaceResults } from './results-file.js';

const FOLDER = path.join(packageRoot(), 'bench');

/** Puts the newest full rounds of each scenario into `bench/results.md`, and a chart of them into `bench/results.svg`. */
export async function writeReport(
  runs: readonly StoredRun[],
  scenarios: readonly Pick<Scenario, 'name' | 'summary'>[],
): Promise<void> {
  const { markdown, chart } = formatReport(runs, scenarios);
  const file = path.join(FOLDER, 'results.md');
  await writeFile(file, replaceResults(await readFile(file, 'utf8'), markdown));
  await writeFile(path.join(FOLDER, 'results.svg'), chart);
}

/**
 * Formats the newest full rounds of each scenario. Each section names its commit, day and machine, because the scenarios
 * can come from different runs.
 *
 * @param runs the newest last
 * @param scenarios in the order of their sections; those that no run has measured are left out
 */
export function formatReport(
  runs: readonly StoredRun[],
  scenarios: readonly Pick<Scenario, 'name' | 'summary'>[],
): { readonly markdown: string; readonly chart: string } {
  const measured = scenarios.flatMap(({ name, summary }) => {
    const run = runs.findLast(({ pace, reports }) => pace === 'full' && reports[name] !== undefined);
    return run === undefined ? [] : [{ name, summary, run }];
  });
  const rows = measured.flatMap(({ name, run }) => run.rows.filter(({ scenario }) => scenario === name));
  const sections = [
    '## Goals',
    formatGoalTable(compareWithGoals(GOALS, rows.map(flatRow))),
    'The ratio is measured by goal.',
    '![CPU time per request](results.svg)',
    ...measured.map(
      ({ name, summary, run }) =>
        `## ${name}\n\n${upperFirst(summary)}. ${describeOrigin(run)}\n\n${run.reports[name]}`,
    ),
  ];
  return { markdown: sections.join('\n\n'), chart: drawBarChart(rows.filter(isOfServers).map(flatRow)) };
}

function describeOrigin({ at, commit, node, cpu }: StoredRun): string {
  const state = commit === null ? '' : ` at ${commit.slice(0, 8)}`;
  return `Measured on ${at.slice(0, 10)}${state} with Node ${node.slice(1)} on ${cpu}.`;
}

/** Whether a row compares servers under load. Only these have a number of connections. */
function isOfServers({ figures }: StoredRow): boolean {
  return figures.connections !== undefined && figures.cpuUsPerRequest !== undefined;
}

function flatRow({ scenario, server, figures }: StoredRow) {
  return { cpuUsPerRequest: 0, ...figures, scenario, server };
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
