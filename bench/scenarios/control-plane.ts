import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { runClosedLoop } from '../load/closed-loop.js';
import { readUsage } from '../measure/process-usage.js';
import { median } from '../measure/statistics.js';
import { addRedirect, type Product } from '../product/product.js';
import { startProductOnServers } from '../product/product-on-servers.js';
import { type Column, formatTable, formatWhole } from '../report/table.js';
import { emptyRow } from './results.js';
import type { Bench, Scenario } from './scenario.js';

const SCENARIO = 'control-plane';
const ENDPOINT = '/get-redirects/me';
const REDIRECTS = 100;
const CALLERS = 16;
const FULL_PACE = { rounds: 5, secondsPerRound: 5, warmUpSeconds: 5 };
const QUICK_PACE = { rounds: 3, secondsPerRound: 1, warmUpSeconds: 2 };

/** Measures the cost of listing redirects as a dashboard does. */
export const controlPlane: Scenario = {
  name: SCENARIO,
  summary: `\`GET ${ENDPOINT}\` of a user with ${REDIRECTS} redirects`,
  async run(bench) {
    const result = await measure(bench);
    return { results: [result], report: `${formatTable(COLUMNS, [result])}\n\n${NOTES}` };
  },
};

async function measure(bench: Bench) {
  const pace = bench.quick ? QUICK_PACE : FULL_PACE;
  bench.say(`${SCENARIO}: starting the product`);
  const { product, database } = await startProductOnServers(bench, SCENARIO);
  bench.say(`${SCENARIO}: adding ${REDIRECTS} redirects`);
  await addRedirects(product);
  const reader = createReader(product);
  const cpuUs: number[] = [];
  const perSecond: number[] = [];
  await runClosedLoop(CALLERS, pace.warmUpSeconds, reader.read);
  for (let round = 1; round <= pace.rounds; round += 1) {
    bench.say(`${SCENARIO}: round ${round} of ${pace.rounds}`);
    const before = await readUsage(product.pid);
    const { completed, requestsPerSecond } = await runClosedLoop(CALLERS, pace.secondsPerRound, reader.read);
    const after = await readUsage(product.pid);
    cpuUs.push(((after.cpuSeconds - before.cpuSeconds) * 1e6) / completed);
    perSecond.push(requestsPerSecond);
  }
  const { residentMib } = await readUsage(product.pid);
  reader.leave();
  await product.stop();
  const cpuUsPerRequest = median(cpuUs) ?? Number.NaN;
  return {
    ...emptyRow(SCENARIO),
    database,
    endpoint: ENDPOINT,
    redirects: REDIRECTS,
    cpuUsPerRequest,
    requestsPerSecondPerCore: 1e6 / cpuUsPerRequest,
    requestsPerSecond: median(perSecond) ?? null,
    rssMiB: residentMib,
    answersChecked: reader.answers,
  };
}

async function addRedirects(product: Product): Promise<void> {
  const run = randomUUID();
  for (let number = 1; number <= REDIRECTS; number += 1) {
    const fromDomain = `shop-${number}.${run}.localhost`;
    await addRedirect(product, { fromDomain, toDomain: `https://www.shop-${number}.example/welcome` });
  }
}

function createReader({ apiAddress, token }: Product) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: CALLERS });
  const headers = { authorization: `Bearer ${token}` };
  let answers = 0;
  /** Byte for byte the same, as long as nothing changes: read once, compared from then on. */
  let known: Buffer | undefined;

  return {
    /** Reads the list once. @throws when it is not the whole list */
    async read() {
      const body = await get(apiAddress + ENDPOINT, agent, headers);
      if (known === undefined) requireList(body);
      known ??= body;
      if (!body.equals(known)) requireList(body);
      answers += 1;
    },
    get answers() {
      return answers;
    },
    leave: () => agent.destroy(),
  };
}

function get(url: string, agent: http.Agent, headers: Readonly<Record<string, string>>): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const sent = http.get(url, { agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        if (response.statusCode === 200) resolve(Buffer.concat(chunks));
        else reject(new Error(`GET ${url} answered ${response.statusCode}`));
      });
    });
    sent.once('error', reject);
  });
}

function requireList(body: Buffer): void {
  const list: unknown = JSON.parse(body.toString('utf8'));
  const length = Array.isArray(list) ? list.length : undefined;
  if (length !== REDIRECTS) throw new Error(`${ENDPOINT} answered ${length} redirects of ${REDIRECTS}`);
}

const COLUMNS: readonly Column<Awaited<ReturnType<typeof measure>>>[] = [
  { title: 'database', isText: true, cell: ({ database }) => database },
  { title: 'CPU µs / request', cell: ({ cpuUsPerRequest }) => formatWhole(cpuUsPerRequest) },
  {
    title: 'requests / s and core',
    cell: ({ requestsPerSecondPerCore }) => formatWhole(requestsPerSecondPerCore),
  },
  {
    title: 'requests / s',
    cell: ({ requestsPerSecond }) => formatWhole(requestsPerSecond ?? Number.NaN),
  },
  { title: 'RSS MiB', cell: ({ rssMiB }) => formatWhole(rssMiB) },
  { title: 'answers checked', cell: ({ answersChecked }) => formatWhole(answersChecked) },
];

const NOTES = [
  '- CPU time of the whole product, data plane and embedded stores included; where the database is a server of its',
  '  own, that one is not in it.',
].join('\n');
