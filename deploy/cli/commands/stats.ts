import type { Client, Redirect, Schemas } from '../../client/src/index.js';
import { bar, counted, grouped, sparkline } from '../charts.js';
import type { Command, Context } from '../command.js';
import { findRedirect } from '../find-redirect.js';
import { printTable } from '../table.js';
import type { Terminal } from '../terminal.js';

const DEFAULT_DAYS = 30;
const MAX_DAYS = 730;
const DAY_MS = 86_400_000;
const LABEL_WIDTH = 24;
interface Share {
  readonly label: string;
  readonly count: number;
  readonly percentage: number;
}

/** Maximum redirects of the overview. If there are more, the user must name a host. */
const MAX_OVERVIEW = 1000;

export const stats: Command = {
  name: 'stats',
  about: 'Show the hits of a redirect, or of this month for all.',
  arguments: ['[HOST]'],
  options: {
    days: { value: 'N', about: `Period until now. Default: ${DEFAULT_DAYS}.` },
    bots: { about: 'Count bots in the tables too.' },
  },
  async run(context) {
    const client = await context.client();
    const [host] = context.args;
    if (host === undefined) return overview(context, client);
    return ofRedirect(context, client, await findRedirect(client, host));
  },
};

async function overview({ terminal, isJson }: Context, client: Client): Promise<void> {
  const redirects = await client.redirects.list({ limit: 200 }).toArray(MAX_OVERVIEW);
  const rows = redirects
    .map(({ id, fromDomain, status, analyticsUsage }) => ({ id, fromDomain, status, ...analyticsUsage }))
    .sort((one, other) => other.estimatedTotalHits - one.estimatedTotalHits);
  if (isJson) return terminal.printJson(rows);
  if (rows.length === 0) return terminal.note('No redirects. Create one: waymark redirects create HOST URL');
  printTable(terminal, rows, [
    { title: 'HOST', value: (row) => row.fromDomain, shrinks: true },
    { title: 'STATUS', value: (row) => row.status },
    { title: `HITS IN ${rows[0]?.month}`, value: (row) => grouped(row.estimatedTotalHits), align: 'right' },
    {
      title: 'OF PLAN',
      value: (row) => (row.planLimit < 0 ? '-' : `${row.usagePercentage} %`),
      align: 'right',
    },
    { title: 'RECORDING', value: (row) => (row.canRecordMore ? 'yes' : 'stopped: limit of the plan') },
  ]);
  if (redirects.length === MAX_OVERVIEW)
    terminal.note(`Only the newest ${MAX_OVERVIEW} redirects are shown.`);
}

async function ofRedirect(context: Context, client: Client, redirect: Redirect): Promise<void> {
  const { terminal, options, isJson } = context;
  const days = options.whole('days', 1, MAX_DAYS) ?? DEFAULT_DAYS;
  const start = new Date(Date.now() - (days - 1) * DAY_MS).toISOString().slice(0, 10);
  const includeBots = options.flag('bots') ? true : undefined;
  const { data, meta } = await client.analytics.dashboard(redirect.id, { start, includeBots });
  if (isJson) return terminal.printJson({ data, meta });
  terminal.print(terminal.style('bold', `${redirect.fromDomain} → ${redirect.toDomain}`));
  printOverview(terminal, data, days);
  const tables: ReadonlyArray<readonly [title: string, rows: readonly Share[]]> = [
    ['Countries', data.topCountries.map((row) => ({ ...row, label: row.country }))],
    ['Devices', data.topDevices.map((row) => ({ ...row, label: row.device }))],
    ['Browsers', data.topBrowsers.map((row) => ({ ...row, label: row.browser }))],
    ['Referrers', data.topReferrers.map((row) => ({ ...row, label: row.referrer }))],
    ['Rules', data.topRules.map((row) => ({ ...row, label: row.name }))],
  ];
  for (const [title, rows] of tables) {
    if (rows.length === 0) continue;
    terminal.print();
    printTable(terminal, rows, [
      { title: title.toUpperCase().padEnd(LABEL_WIDTH), value: ({ label }) => label.slice(0, LABEL_WIDTH) },
      { title: 'HITS', value: ({ count }) => grouped(count), align: 'right' },
      { title: '', value: ({ percentage }) => bar(percentage), style: () => 'cyan' },
      { title: '%', value: ({ percentage }) => percentage.toFixed(1), align: 'right' },
    ]);
  }
}

function printOverview(
  terminal: Terminal,
  { overview: facts, dailyTrends }: Schemas.DashboardData,
  days: number,
): void {
  const change =
    facts.change.hits === null
      ? ''
      : `, ${facts.change.hits >= 0 ? '+' : ''}${facts.change.hits} % against the period before`;
  terminal.print(
    `${counted(facts.totalHits, 'hit')} in ${days} days${change}; ${counted(facts.uniqueVisitors, 'visitor')}, ${facts.botsPercentage} % bots`,
  );
  const counts = dailyTrends.map(({ count }) => count);
  const [first, last] = [dailyTrends[0]?.date, dailyTrends.at(-1)?.date];
  terminal.print(
    `${terminal.style('cyan', sparkline(counts))}  ${first} to ${last}, at most ${grouped(Math.max(0, ...counts))} a day`,
  );
}
