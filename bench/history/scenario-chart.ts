import type { StoredRow, StoredRun } from './stored-run.js';

/** The figure that a chart shows, in order of preference, and whether more is better. */
const CHARTED = [
  ['cpuUsPerRequest', 'CPU time per request, µs', 'less'],
  ['cpuUsPerHit', 'CPU time per hit, µs', 'less'],
  ['visitsPerSecondPerCore', 'visits a second and core', 'more'],
  ['rowsPerSecond', 'rows a second', 'more'],
  ['firstVisitorSeconds', 'seconds from the first start to the first visitor', 'less'],
  ['hitNs', 'CPU time of a decision, ns', 'less'],
  ['p95Ms', 'p95, ms', 'less'],
  ['p99Ms', 'p99, ms', 'less'],
] as const;

const WIDTH = 640;
const LABEL_WIDTH = 210;
const VALUE_WIDTH = 70;
const BAR_HEIGHT = 12;
const GROUP_GAP = 10;

/**
 * Draws the main figure of a scenario as SVG: for each server a group of bars, one for each run, the newest first.
 * Returns undefined if no run has a figure to draw.
 */
export function drawScenarioChart(scenario: string, runs: readonly StoredRun[]): string | undefined {
  const newestFirst = [...runs].reverse();
  const rowsOf = (run?: StoredRun) => (run?.rows ?? []).filter((row) => row.scenario === scenario);
  const newest = rowsOf(newestFirst[0]);
  const [field, title, better] =
    CHARTED.find(([name]) => newest.some(({ figures }) => name in figures)) ?? [];
  if (field === undefined) return undefined;

  const servers = newest.filter(({ figures }) => field in figures).map(({ server }) => server);
  const figureOf = (rows: readonly StoredRow[], server: string) =>
    rows.find((row) => row.server === server)?.figures[field];
  const groups = servers.map((server) => ({
    server,
    values: newestFirst.map((run) => figureOf(rowsOf(run), server)),
  }));
  const largest = Math.max(...groups.flatMap(({ values }) => values.flatMap((value) => value ?? [])));
  const scale = (WIDTH - LABEL_WIDTH - VALUE_WIDTH) / largest;
  const groupHeight = newestFirst.length * BAR_HEIGHT + GROUP_GAP;
  const height = groups.length * groupHeight;
  const body = groups.flatMap(({ server, values }, group) => [
    `<text x="0" y="${group * groupHeight + 11}">${escapeHtml(server)}</text>`,
    ...values.flatMap((value, run) =>
      value === undefined ? [] : bar(value, scale, group * groupHeight + run * BAR_HEIGHT, run),
    ),
  ]);
  return [
    `<figure><figcaption>${escapeHtml(title ?? '')} (${better} is better)</figcaption>`,
    `<svg width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escapeHtml(title ?? '')}">`,
    ...body,
    '</svg></figure>',
  ].join('\n');
}

function bar(value: number, scale: number, y: number, run: number): string[] {
  const width = Math.max(1, value * scale).toFixed(1);
  const shade = run === 0 ? 'newest' : 'earlier';
  return [
    `<rect class="${shade}" x="${LABEL_WIDTH}" y="${y}" width="${width}" height="${BAR_HEIGHT - 2}"/>`,
    `<text class="${shade}" x="${(LABEL_WIDTH + Number(width) + 6).toFixed(1)}" y="${y + 9}">${formatFigure(value)}</text>`,
  ];
}

/** Formats a figure with about three digits. */
export function formatFigure(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(3)));
}

/** Escapes text for HTML, also in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
