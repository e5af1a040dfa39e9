import { compareWithGoals, type GoalRow } from '../report/goal-table.js';
import { GOALS, type Goal } from '../report/goals.js';
import { formatDuration } from './progress.js';
import { drawScenarioChart, escapeHtml, formatFigure } from './scenario-chart.js';
import type { StoredRow, StoredRun } from './stored-run.js';

const MAX_RUNS_SHOWN = 5;

const STYLE = `
:root { color-scheme: light dark; --soft: #6b7280; --line: #d1d5db; --newest: #2563eb; --earlier: #9ca3af; --met: #15803d; --missed: #b91c1c }
@media (prefers-color-scheme: dark) { :root { --soft: #9ca3af; --line: #374151; --newest: #60a5fa; --earlier: #6b7280; --met: #4ade80; --missed: #f87171 } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem }
h1, h2 { line-height: 1.2 } h2 { margin-top: 2.5rem }
table { border-collapse: collapse; width: 100%; font-size: 14px }
th, td { padding: .3rem .6rem; border-bottom: 1px solid var(--line); text-align: right; font-variant-numeric: tabular-nums }
th:first-child, td:first-child { text-align: left }
.soft, figcaption { color: var(--soft) } .met { color: var(--met) } .missed { color: var(--missed) }
figure { margin: 1rem 0 } svg { max-width: 100%; height: auto } svg text { font: 11px system-ui, sans-serif; fill: currentColor }
rect.newest { fill: var(--newest) } rect.earlier { fill: var(--earlier) } text.earlier { opacity: .7 }
details { margin: .5rem 0 } .scroll { overflow-x: auto }`;

/**
 * Formats the page that compares kept runs: the goals, and for each scenario a chart and all figures. Compares the newest
 * run with the runs of the same pace. The page is one file without scripts.
 *
 * @param runs the newest last, at least one
 */
export function formatResultsPage(runs: readonly StoredRun[]): string {
  const newest = runs.at(-1);
  if (newest === undefined) throw new Error('there is no run to show');
  const shown = runs.filter(({ pace }) => pace === newest.pace).slice(-MAX_RUNS_SHOWN);
  const scenarios = [...new Set(newest.rows.map(({ scenario }) => scenario))];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Benchmark of Waymark</title>
<style>${STYLE}
</style>
</head>
<body>
<h1>Benchmark of Waymark</h1>
<p>${shown.length === 1 ? 'One run' : `${shown.length} runs`} with ${newest.pace === 'quick' ? 'short (<code>--quick</code>)' : 'full'} rounds. <code>npm run bench -- --keep</code> adds a run. Charts show the newest run first.</p>
${formatRuns(shown)}
<h2>Goals</h2>
${formatGoals(shown)}
${scenarios.map((scenario) => formatScenario(scenario, shown)).join('\n')}
</body>
</html>
`;
}

function formatRuns(runs: readonly StoredRun[]): string {
  const rows = [...runs].reverse().map(({ at, commit, node, cpu, seconds }) => {
    const total = Object.values(seconds).reduce((sum, one) => sum + one, 0);
    return [
      at.slice(0, 16).replace('T', ' '),
      commit?.slice(0, 8) ?? 'unknown',
      node,
      cpu,
      formatDuration(total),
    ];
  });
  return formatHtmlTable(['run (UTC)', 'commit', 'Node', 'machine', 'duration'], rows);
}

function formatGoals(runs: readonly StoredRun[]): string {
  const measured = runs.map((run) => compareWithGoals(GOALS, run.rows.map(flatRow)));
  const rows = GOALS.flatMap((goal, index) => {
    const values = measured.map((run) => run[index]?.measured ?? null);
    if (values.every((value) => value === null)) return [];
    const cells = measured.map((run) => formatMeasured(run[index]));
    return [[escapeHtml(describeGoal(goal)), ...cells, change(values.at(-1) ?? null, values.at(-2) ?? null)]];
  });
  const left = GOALS.length - rows.length;
  const note =
    left === 0 ? '' : `<p class="soft">These runs did not measure ${left} of ${GOALS.length} goals.</p>`;
  return formatHtmlTable(['goal', ...columnTitles(runs), 'change'], rows, true) + note;
}

function formatMeasured(row: GoalRow | undefined): string {
  if (row === undefined || row.measured === null) return '<span class="soft">–</span>';
  const style = row.isMet ? 'met' : 'missed';
  return `<span class="${style}" title="${style}">${formatFigure(row.measured)}</span>`;
}

function describeGoal({ text, isLeast, limit, unit }: Goal): string {
  return `${text.replaceAll('`', '')}: ${isLeast ? '≥' : '≤'} ${formatFigure(limit)} ${unit}`;
}

function formatScenario(scenario: string, runs: readonly StoredRun[]): string {
  const newest = runs.at(-1)?.rows.filter((row) => row.scenario === scenario) ?? [];
  const rows = newest.flatMap((row) =>
    Object.keys(row.figures).map((field) => {
      const values = runs.map((run) => findFigure(run, row, field));
      return [
        escapeHtml(`${row.server}: ${field}`),
        ...values.map((value) => (value === undefined ? '–' : formatFigure(value))),
        change(values.at(-1) ?? null, values.at(-2) ?? null),
      ];
    }),
  );
  const chart = drawScenarioChart(scenario, runs) ?? '';
  const table = formatHtmlTable(['figure', ...columnTitles(runs), 'change'], rows, true);
  return `<h2 id="${escapeHtml(scenario)}">${escapeHtml(scenario)}</h2>\n${chart}\n<details><summary>All figures</summary>${table}</details>`;
}

function findFigure(run: StoredRun, { scenario, server }: StoredRow, field: string): number | undefined {
  return run.rows.find((row) => row.scenario === scenario && row.server === server)?.figures[field];
}

function flatRow({ scenario, server, figures }: StoredRow) {
  return { ...figures, scenario, server };
}

function columnTitles(runs: readonly StoredRun[]): string[] {
  return runs.map(({ at, commit }) => `${at.slice(0, 10)} ${commit?.slice(0, 8) ?? ''}`.trim());
}

/** Formats the change from the previous run to the newest one, in percent. */
function change(last: number | null, before: number | null): string {
  if (last === null || before === null || before === 0) return '<span class="soft">–</span>';
  const percent = (last / before - 1) * 100;
  return `${percent < 0 ? '−' : '+'}${Math.abs(percent).toFixed(1)} %`;
}

/** Formats a table whose cells are HTML already. */
function formatHtmlTable(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  isWide = false,
): string {
  const head = titles.map((title) => `<th>${escapeHtml(title)}</th>`).join('');
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('\n');
  const table = `<table><thead><tr>${head}</tr></thead><tbody>\n${body}\n</tbody></table>`;
  return isWide ? `<div class="scroll">${table}</div>` : table;
}
