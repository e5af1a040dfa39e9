import { Type } from 'typebox';
import { count, MAX_LIST_ROWS, percent } from '../analytics-schema.js';
import { UNKNOWN } from '../hit-filters.js';
import { AUDIENCE, defineQuestion, type QueryContext } from '../question.js';
import { orUnknown, withShares } from './list-rows.js';

const counts = {
  hits: count('Excludes bots unless `includeBots`.'),
  percentage: percent('Percentage of all these hits.'),
};
const ORDER = 'Sorted by hits, then by name.';
const VersionsSchema = Type.Array(
  Type.Object({
    name: Type.String({ description: `Name, or \`${UNKNOWN}\`.` }),
    version: Type.String({ description: 'Version, or an empty string if unknown.' }),
    ...counts,
  }),
  { description: `${ORDER} At most ${MAX_LIST_ROWS}.` },
);
const topOf = (what: string) =>
  Type.Union([Type.String({ description: `The most frequent known ${what}.` }), Type.Null()]);

export const deviceStats = defineQuestion({
  path: 'stats/devices',
  summary: 'Devices, operating systems and browsers',
  title: 'DeviceStats',
  query: {},
  data: Type.Object({
    devices: Type.Array(Type.Object({ type: Type.String(), ...counts }), { description: ORDER }),
    operatingSystems: VersionsSchema,
    browsers: VersionsSchema,
    summary: Type.Object({
      mobilePercentage: percent('Percentage of mobile phones, without tablets.'),
      desktopPercentage: percent('Percentage of desktop computers.'),
      topDevice: topOf('type of device'),
      topOS: topOf('operating system, with its version'),
      topBrowser: topOf('browser, with its version'),
    }),
  }),
  meta: {},
  async ask(context) {
    const rows = await readLists(context);
    const devices = listOf(rows, 'device').map(({ version, name: type, ...rest }) => ({ type, ...rest }));
    const operatingSystems = listOf(rows, 'system');
    const browsers = listOf(rows, 'browser');
    const shareOf = (wanted: string) => devices.find(({ type }) => type === wanted)?.percentage ?? 0;
    const summary = {
      mobilePercentage: shareOf('mobile'),
      desktopPercentage: shareOf('desktop'),
      topDevice: devices.find(({ type }) => type !== UNKNOWN)?.type ?? null,
      topOS: topVersion(operatingSystems),
      topBrowser: topVersion(browsers),
    };
    return { data: { devices, operatingSystems, browsers, summary }, meta: {} };
  },
});

interface VersionRow {
  readonly list: 'device' | 'system' | 'browser';
  readonly name: string;
  readonly version: string;
  readonly hits: number;
}

/** Reads all three lists with one statement. */
function readLists({ source, select }: QueryContext): Promise<VersionRow[]> {
  const hits = source.groups({
    rollUp: 'by_device',
    keys: {
      device: orUnknown('device_type'),
      system: orUnknown('os_name'),
      system_version: 'os_version',
      browser: orUnknown('browser_name'),
      browser_version: 'browser_version',
    },
    measures: ['n'],
    where: AUDIENCE,
  });
  return select<VersionRow>(
    `SELECT multiIf(grouping(device) = 0, 'device', grouping(system) = 0, 'system', 'browser') AS list,
       multiIf(list = 'device', device, list = 'system', system, browser) AS name,
       multiIf(list = 'system', system_version, list = 'browser', browser_version, '') AS version,
       sum(n) AS hits
     FROM (${hits})
     GROUP BY GROUPING SETS ((device), (system, system_version), (browser, browser_version))
     ORDER BY list, hits DESC, name, version LIMIT {limit:UInt32} BY list`,
    { limit: MAX_LIST_ROWS },
  );
}

interface ListedVersion {
  readonly name: string;
  readonly version: string;
  readonly hits: number;
  readonly percentage: number;
}

function listOf(rows: readonly VersionRow[], wanted: VersionRow['list']): ListedVersion[] {
  const listed = rows.filter(({ list }) => list === wanted);
  return withShares(listed, totalOf(rows)).map(({ list: _, ...row }) => row);
}

/** Every hit is in each of the lists, and that of devices is never cut. */
function totalOf(rows: readonly VersionRow[]): number {
  return rows.reduce((sum, { list, hits }) => (list === 'device' ? sum + hits : sum), 0);
}

function topVersion(versions: readonly ListedVersion[]): string | null {
  const top = versions.find(({ name }) => name !== UNKNOWN);
  return top === undefined ? null : `${top.name} ${top.version}`.trim();
}
