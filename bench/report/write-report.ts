import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { packageRoot } from '../../shared/config/package-root.js';
import type { ServerResult } from '../scenarios/results.js';
import type { NamedOutcome } from '../scenarios/scenario.js';
import { drawBarChart } from './bar-chart.js';
import { compareWithGoals, formatGoalTable } from './goal-table.js';
import { GOALS } from './goals.js';
import type { Machine } from './machine.js';
import { replaceResults } from './results-file.js';

const FOLDER = path.join(packageRoot(), 'bench');

/** Puts the outcomes into `bench/results.md` and a chart of them into `bench/results.svg`. */
export async function writeReport(machine: Machine, outcomes: readonly NamedOutcome[]): Promise<void> {
  const { node, cpu } = machine;
  const results = outcomes.flatMap((outcome) => outcome.results);
  const sections = [
    `Measured with Node ${node.slice(1)} on ${cpu}.`,
    '## Goals',
    formatGoalTable(compareWithGoals(GOALS, results)),
    'The ratio is measured by goal.',
    '![CPU time per request](results.svg)',
    ...outcomes.map(
      ({ name, summary, report }) => `## ${name}\n\n${upperFirst(summary)}.\n\n${report.trim()}`,
    ),
  ];
  const file = path.join(FOLDER, 'results.md');
  await writeFile(file, replaceResults(await readFile(file, 'utf8'), sections.join('\n\n')));
  const compared = results.filter((result): result is ServerResult => 'rounds' in result && 'load' in result);
  await writeFile(path.join(FOLDER, 'results.svg'), drawBarChart(compared));
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
