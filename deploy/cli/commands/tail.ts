import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, Hit, Redirect } from '../../client/src/index.js';
import { type Command, CommandError, type Context } from '../command.js';
import { findRedirect } from '../find-redirect.js';
import { printable, type Terminal } from '../terminal.js';

const DEFAULT_INTERVAL_SECONDS = 2;
/** Each redirect is one request per interval. */
const MAX_REDIRECTS = 20;
const PAGE = 100;
/** Maximum pages per redirect and interval. Hits beyond them are counted, not shown. */
const MAX_PAGES = 5;
/** Hits of the last minute are read again: a data plane may deliver them late. */
const OVERLAP_MS = 60_000;

export const tail: Command = {
  name: 'tail',
  about: 'Show hits as they happen. Ctrl-C ends it.',
  arguments: ['[HOST…]'],
  options: {
    interval: { value: 'SECONDS', about: `Time between requests. Default: ${DEFAULT_INTERVAL_SECONDS}.` },
    since: { value: 'SECONDS', about: 'Begin with the hits of the last seconds. Default: 0.' },
    bots: { about: 'Only bots.' },
    people: { about: 'No bots.' },
    count: { value: 'N', about: 'End after so many hits.' },
  },
  async run(context) {
    const { terminal, options, signal, isJson } = context;
    const client = await context.client();
    const redirects = await redirectsOf(context, client);
    const intervalMs = (options.whole('interval', 1, 3600) ?? DEFAULT_INTERVAL_SECONDS) * 1000;
    const sinceMs = (options.whole('since', 0, 86_400) ?? 0) * 1000;
    const wanted = options.whole('count', 1, 1_000_000_000) ?? Number.POSITIVE_INFINITY;
    if (!isJson)
      terminal.note(`Waiting for hits of ${redirects.map(({ fromDomain }) => fromDomain).join(', ')} …`);
    const readers = redirects.map(({ id }) =>
      createReader(client, id, Date.now() - sinceMs, botsOf(context)),
    );
    for (let shown = 0; shown < wanted; ) {
      const read = (await Promise.all(readers.map((next) => next()))).flat();
      const hits = read
        .sort((one, other) => (one.timestamp < other.timestamp ? -1 : 1))
        .slice(0, wanted - shown);
      for (const hit of hits) terminal.print(isJson ? JSON.stringify(hit) : lineOf(terminal, hit));
      shown += hits.length;
      if (shown < wanted) await sleep(intervalMs, undefined, { signal });
    }
  },
};

function botsOf({ options }: Context): boolean | undefined {
  if (options.flag('bots')) return true;
  return options.flag('people') ? false : undefined;
}

async function redirectsOf({ args }: Context, client: Client): Promise<Redirect[]> {
  if (args.length > MAX_REDIRECTS) throw new CommandError(`tail takes at most ${MAX_REDIRECTS} hosts.`);
  if (args.length > 0) return Promise.all(args.map((host) => findRedirect(client, host)));
  const active = await client.redirects
    .list({ status: 'active', limit: MAX_REDIRECTS + 1 })
    .toArray(MAX_REDIRECTS + 1);
  if (active.length === 0) throw new CommandError('No redirect is active. Run: waymark redirects list');
  if (active.length > MAX_REDIRECTS)
    throw new CommandError(`You have more than ${MAX_REDIRECTS} redirects. Name hosts.`);
  return active;
}

/** Creates a function that returns the hits that are new since its last call. */
function createReader(client: Client, redirectId: string, startMs: number, isBot: boolean | undefined) {
  const seen = new Map<string, number>();
  return async (): Promise<Hit[]> => {
    const fromMs = Math.max(startMs, Date.now() - OVERLAP_MS);
    for (const [id, atMs] of seen) if (atMs < fromMs) seen.delete(id);
    const start = new Date(seen.size === 0 ? startMs : fromMs).toISOString();
    const fresh: Hit[] = [];
    const pages = client.analytics.hits(redirectId, { start, limit: PAGE, isBot }).pages();
    let count = 0;
    for await (const page of pages) {
      const unseen = page.filter(({ id }) => !seen.has(id));
      fresh.push(...unseen);
      if (unseen.length < page.length || ++count === MAX_PAGES) break;
    }
    for (const { id, timestamp } of fresh) seen.set(id, Date.parse(timestamp));
    return fresh;
  };
}

function lineOf(terminal: Terminal, hit: Hit): string {
  const time = terminal.style('dim', new Date(hit.timestamp).toTimeString().slice(0, 8));
  const code = terminal.style(hit.statusCode < 400 ? 'green' : 'red', String(hit.statusCode));
  const url = printable(hit.host + hit.path + (hit.query === '' ? '' : `?${hit.query}`));
  const visitor = [
    hit.country,
    hit.isBot ? `bot (${hit.botReason})` : hit.browser,
    hit.os,
    hit.referrerDomain,
  ];
  const facts = visitor.filter((part) => part !== null && part !== '').join(', ');
  return `${time} ${code} ${url} → ${printable(hit.destinationUrl ?? '-')} ${terminal.style('dim', printable(facts))}`;
}
