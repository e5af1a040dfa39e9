import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { judgeInPlace } from '../../controlplane/areas/replay/judging.fixture.js';
import type { StartJudging } from '../../controlplane/areas/replay/judging.js';
import { packageRoot } from '../../shared/config/package-root.js';
import { beginBlock, beginColumn, writeTexts } from '../../shared/native/native-block.js';
import { NativeWriter } from '../../shared/native/native-writer.js';
import { TextDictionary } from '../../shared/native/text-dictionary.js';
import { pathEntryOf } from '../../shared/paths/path-cases.fixture.js';
import { publishedTable } from '../../shared/paths/published-table.fixture.js';
import type { RedirectDefinition } from '../../shared/ruleset/redirect-definition.js';

/** The built module: a thread needs a file that Node can run. */
const FILE = path.join(packageRoot(), 'dist/controlplane/areas/replay/start-judging.js');
const { startJudging }: { startJudging: StartJudging } = await import(FILE);

const PERIOD = { fromMs: Date.UTC(2026, 0, 1), toMs: Date.UTC(2026, 1, 1) };
const TABLE = publishedTable([pathEntryOf({ source: '/old', destination: 'https://new.example/' })]);
const DEFINITION: RedirectDefinition = {
  id: 'rd_1',
  host: 'a.example',
  destination: 'https://destination.example',
  redirectType: 'permanent',
  pathForwarding: false,
  queryForwarding: false,
  samplingRate: 0,
  rules: [
    {
      id: 1,
      conditionLogic: 'AND',
      conditions: [{ attribute: 'country', operator: 'equals', value: 'CH' }],
      action: { type: 'redirect', url: 'https://rule.example/' },
    },
  ],
  paths: TABLE.paths,
};

/** Visits by country and path that the destination answered, one a group. */
function blockOf(visits: readonly (readonly [country: string, path: string])[]): Uint8Array {
  const writer = new NativeWriter();
  const numbers = { rule_id_: 0, status_code_: 301, time_: PERIOD.fromMs };
  const texts = {
    ...{
      variant_: [''],
      destination_url_: ['https://destination.example'],
      query_recording_: ['full'],
      query_: [''],
    },
    country_: visits.map(([country]) => country),
    path_: visits.map(([, path]) => path),
    seen_device_type_: ['mobile'],
  };
  beginBlock(writer, Object.keys(numbers).length + Object.keys(texts).length, visits.length);
  for (const [name, value] of Object.entries(numbers)) {
    beginColumn(writer, name, 'UInt64');
    writer.uint64s(new Float64Array(visits.length).fill(value));
  }
  for (const [name, values] of Object.entries(texts)) {
    const dictionary = new TextDictionary();
    const indexes = Uint32Array.from(visits, (_, visit) =>
      dictionary.indexOf(values[visit] ?? values[0] ?? ''),
    );
    beginColumn(writer, name, 'LowCardinality(String)');
    writeTexts(writer, dictionary, indexes);
  }
  return Uint8Array.from(writer.written());
}

async function judge(start: StartJudging, visits: Parameters<typeof blockOf>[0]) {
  const judging = await start(DEFINITION, TABLE.pages, new AbortController().signal);
  try {
    const { facts } = judging;
    expect(facts.columns).toEqual(['country', 'path', 'query']);
    const slices = [await judging.judge(blockOf(visits), PERIOD, facts)];
    slices.push(await judging.judge(blockOf(visits.slice(1)), PERIOD, facts));
    return { slices, result: await judging.result() };
  } finally {
    await judging.end();
  }
}

it('judges as the same code does in place, with rules and a table of paths', async () => {
  const visits = [
    ['CH', '/'],
    ['DE', '/old'],
    ['DE', '/other'],
    ...Array.from({ length: 1_000 }, (_, visit) => ['FR', `/${visit}`] as const),
  ] as const;
  const inThread = await judge(startJudging, visits);
  expect(inThread).toEqual(await judge(judgeInPlace, visits));
  expect(inThread.slices).toEqual([
    { groups: 1_003, visits: 1_003 },
    { groups: 1_002, visits: 1_002 },
  ]);
  expect(inThread.result).toMatchObject({ replayed: 2_005, changed: 3, unchanged: 2_002 });
});

it.runIf(process.platform === 'linux')('has a lower priority than requests, and ends', async () => {
  const niceOfThreads = () =>
    readdirSync('/proc/self/task').map((thread) =>
      Number(readFileSync(`/proc/self/task/${thread}/stat`, 'utf8').split(') ')[1]?.split(' ')[16]),
    );
  const before = niceOfThreads().filter((nice) => nice === 10).length;
  const judging = await startJudging(DEFINITION, TABLE.pages, new AbortController().signal);
  expect(niceOfThreads().filter((nice) => nice === 10)).toHaveLength(before + 1);
  await judging.end();
  await expect.poll(() => niceOfThreads().filter((nice) => nice === 10)).toHaveLength(before);
  await expect(judging.result()).rejects.toThrow('has ended');
});

it.runIf(process.platform === 'linux')('keeps a priority that is lower already', async () => {
  const script = `(async () => {
    const { readdirSync, readFileSync } = await import('node:fs');
    const { startJudging } = await import(${JSON.stringify(FILE)});
    const definition = ${JSON.stringify({ ...DEFINITION, paths: undefined })};
    const judging = await startJudging(definition, undefined, new AbortController().signal);
    const stats = readdirSync('/proc/self/task').map((thread) => readFileSync('/proc/self/task/' + thread + '/stat', 'utf8'));
    console.log(...new Set(stats.map((stat) => stat.split(') ')[1].split(' ')[16])));
    await judging.end();
  })()`;
  const { stdout } = await promisify(execFile)('nice', ['-n', '15', process.execPath, '-e', script]);
  expect(Number(stdout)).toBe(Math.min(15 + os.getPriority(), 19));
});

it('rejects when it is aborted, when visits cannot be read, and when the definition is damaged', async () => {
  const aborting = new AbortController();
  const aborted = await startJudging(DEFINITION, TABLE.pages, aborting.signal);
  const result = aborted.judge(blockOf([['CH', '/']]), PERIOD, aborted.facts);
  aborting.abort();
  await expect(result).rejects.toThrow(/abort/i);
  await aborted.end();

  const damaged = await startJudging(DEFINITION, undefined, new AbortController().signal);
  await expect(damaged.judge(Buffer.from('no block'), PERIOD, damaged.facts)).rejects.toThrow(/block/);
  await damaged.end();

  const broken = { ...DEFINITION, rules: [{ id: 1 }] } as unknown as RedirectDefinition;
  await expect(startJudging(broken, undefined, new AbortController().signal)).rejects.toThrow(TypeError);
});
