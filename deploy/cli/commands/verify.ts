import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, Redirect, Schemas } from '../../client/src/index.js';
import { type Command, type Context, EXIT, UsageError } from '../command.js';
import { asciiHost } from '../find-redirect.js';
import { createProgress } from '../progress.js';

type Result = Schemas.VerifyDomainsResponse['results'][number];

/** Maximum domains per request. */
const BATCH = 1000;
const POLL_INTERVAL_MS = 10_000;
const DEFAULT_WAIT_MINUTES = 30;

export const verify: Command = {
  name: 'redirects verify',
  about: 'Look up the DNS records that prove your hosts.',
  arguments: ['[HOST…]'],
  options: {
    all: { about: 'All redirects that are pending.' },
    wait: { about: 'Look again every 10 s until all are verified.' },
    minutes: { value: 'N', about: `Maximum wait. Default: ${DEFAULT_WAIT_MINUTES}.` },
  },
  async run(context) {
    const { terminal, isJson, options, signal } = context;
    const client = await context.client();
    const endsAtMs = Date.now() + (options.whole('minutes', 1, 1440) ?? DEFAULT_WAIT_MINUTES) * 60_000;
    const results = new Map<string, Result>();
    for (let hosts = await hostsOf(context, client); hosts.length > 0; ) {
      for (const result of await verifyAll(context, client, hosts)) results.set(result.domain, result);
      hosts = hosts.filter((host) => !isVerified(results.get(host)));
      if (!options.flag('wait') || hosts.length === 0 || Date.now() >= endsAtMs) break;
      terminal.note(`${hosts.length} of ${results.size} are not verified yet. Looking again in 10 s …`);
      await sleep(POLL_INTERVAL_MS, undefined, { signal });
    }
    const all = [...results.values()];
    if (isJson) terminal.printJson(all);
    else for (const result of all) print(context, result);
    return all.every(isVerified) ? 0 : EXIT.failed;
  },
};

async function hostsOf({ args, options }: Context, client: Client): Promise<string[]> {
  if (!options.flag('all')) {
    if (args.length === 0) throw new UsageError('HOST is missing. Name hosts, or use --all.');
    return [...new Set(args.map(asciiHost))];
  }
  const pending: Redirect[] = await client.redirects.list({ status: 'pending', limit: 200 }).toArray();
  return pending.map(({ fromDomain }) => fromDomain);
}

async function verifyAll({ terminal }: Context, client: Client, hosts: readonly string[]): Promise<Result[]> {
  const progress = createProgress(terminal, 'Verifying');
  const results: Result[] = [];
  try {
    for (let start = 0; start < hosts.length; start += BATCH) {
      progress.show(start, hosts.length);
      results.push(...(await client.redirects.verifyMany(hosts.slice(start, start + BATCH))).results);
    }
  } finally {
    progress.end();
  }
  return results;
}

const isVerified = (result: Result | undefined) =>
  result !== undefined && 'isVerified' in result && result.isVerified;

function print({ terminal }: Context, result: Result): void {
  if ('error' in result) {
    terminal.print(`${terminal.style('red', '✗')} ${result.domain}: ${result.error.message}`);
    return;
  }
  if (result.isVerified) {
    terminal.print(`${terminal.style('green', '✓')} ${result.domain} is verified.`);
    return;
  }
  terminal.print(
    `${terminal.style('red', '✗')} ${result.domain}: ${result.status.summary} ${result.status.detail}`,
  );
  terminal.print(`  Add this record: ${result.required.name}  TXT  "${result.required.value}"`);
  if (result.found.length > 0)
    terminal.print(`  Found: ${result.found.map((value) => `"${value}"`).join(', ')}`);
}
