import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { packageRoot } from '../../shared/config/package-root.js';
import type { StoredRow, StoredRun } from '../history/stored-run.js';
import type { Scenario } from '../scenarios/scenario.js';
import { drawBarChart } from './bar-chart.js';
import { compareWithGoals, formatGoalTable, readMeasured } from './goal-table.js';
import { GOALS } from './goals.js';

const FOLDER = path.join(packageRoot(), 'bench');
const GOAL_HEADING = 'Goals';

/**
 * Writes the newest full rounds of each scenario into `bench/results.md`, and a chart of them into `bench/results.svg`.
 * A scenario that no kept run has measured keeps its section. The chart is then not drawn again, because the figures of
 * that scenario are unknown.
 */
export async function writeReport(
  runs: readonly StoredRun[],
  scenarios: readonly Pick<Scenario, 'name' | 'summary'>[],
): Promise<void> {
  const file = path.join(FOLDER, 'results.md');
  const text = await readFile(file, 'utf8');
  const { markdown, chart } = formatReport(runs, scenarios, sectionsOf(text));
  await writeFile(file, replaceResults(text, markdown));
  if (chart !== undefined) await writeFile(path.join(FOLDER, 'results.svg'), chart);
}

/**
 * Formats the newest full rounds of each scenario. Each section names its commit, day and machine, because the
 * scenarios can come from different runs.
 *
 * @param runs the newest last
 * @param scenarios in the order of their sections; a scenario is left out if neither a run nor `former` has it
 * @param former sections of the file, by heading
 */
export function formatReport(
  runs: readonly StoredRun[],
  scenarios: readonly Pick<Scenario, 'name' | 'summary'>[],
  former: ReadonlyMap<string, string> = new Map(),
): { readonly markdown: string; readonly chart: string | undefined } {
  const found = scenarios.map(({ name, summary }) => {
    // Runs that are older than kept reports have none.
    const run = runs.findLast(({ pace, reports }) => pace === 'full' && reports?.[name] !== undefined);
    return { name, summary, run, kept: run === undefined ? former.get(name) : undefined };
  });
  const rows = found.flatMap(({ name, run }) => run?.rows.filter(({ scenario }) => scenario === name) ?? []);
  const kept = new Set(found.filter((one) => one.kept !== undefined).map(({ name }) => name));
  const figures = [...readMeasured(former.get(GOAL_HEADING) ?? '')].filter(([text]) =>
    GOALS.some((goal) => goal.text === text && kept.has(goal.scenario)),
  );
  const sections = [
    ...(kept.size > 0 && former.get('') ? [former.get('')] : []),
    `## ${GOAL_HEADING}`,
    formatGoalTable(compareWithGoals(GOALS, rows.map(flatRow), new Map(figures))),
    'The ratio is measured by goal.',
    '![CPU time per request](results.svg)',
    ...found.flatMap(({ name, summary, run, kept: section }) => {
      if (run === undefined) return section === undefined ? [] : [`## ${name}\n\n${section}`];
      return [`## ${name}\n\n${upperFirst(summary)}. ${describeOrigin(run)}\n\n${run.reports?.[name]}`];
    }),
  ];
  const chart = kept.size > 0 ? undefined : drawBarChart(rows.filter(isOfServers).map(flatRow));
  return { markdown: sections.join('\n\n'), chart };
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

const BEGIN = '<!-- results: written by `npm run bench -- --write` -->';
const END = '<!-- end of results -->';

/**
 * Returns the sections between the markers of a Markdown file by their headings, without the headings. The text before the
 * first heading has the name ''.
 */
export function sectionsOf(text: string): ReadonlyMap<string, string> {
  const [first = '', ...sections] = text.slice(...bounds(text)).split(/^## /m);
  return new Map([
    ['', first.trim()],
    ...sections.map((section): [string, string] => {
      const end = `${section}\n`.indexOf('\n');
      return [section.slice(0, end), section.slice(end).trim()];
    }),
  ]);
}

/**
 * Puts results between the markers of a Markdown file.
 *
 * @throws when the markers are missing
 */
export function replaceResults(text: string, results: string): string {
  const [begin, end] = bounds(text);
  return `${text.slice(0, begin)}\n\n${results.trim()}\n\n${text.slice(end)}`;
}

function bounds(text: string): [begin: number, end: number] {
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin === -1 || end < begin) throw new Error(`bench/results.md lacks the markers ${BEGIN} and ${END}`);
  return [begin + BEGIN.length, end];
}
