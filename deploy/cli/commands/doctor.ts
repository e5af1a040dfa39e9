import type { Client, Redirect } from '../../client/src/index.js';
import { counted } from '../charts.js';
import { type Command, type Context, EXIT } from '../command.js';
import type { Finding } from '../doctor/finding.js';
import { checkHost } from '../doctor/host-checks.js';
import { checkAccount, checkApi, checkDataplanes } from '../doctor/server-checks.js';
import { findRedirect } from '../find-redirect.js';
import { printable, type Terminal } from '../terminal.js';

const DEFAULT_HOSTS = 10;
const MAX_PORT = 65_535;
const HTTPS_PORT = 443;

export const doctor: Command = {
  name: 'doctor',
  about: 'Check the server, and hosts as visitors see them. Says what to do.',
  arguments: ['[HOST…]'],
  options: {
    'http-port': { value: 'PORT', about: 'Port of HTTP. Default: 80, and 8080 for .localhost.' },
    'https-port': { value: 'PORT', about: `Port of HTTPS. Default: ${HTTPS_PORT}.` },
  },
  details: `Without HOST it checks the ${DEFAULT_HOSTS} newest redirects. Its visits are HEAD requests, which count as bots.`,
  async run(context) {
    const { isJson, terminal, options } = context;
    const client = await context.client();
    const ports = {
      http: options.whole('http-port', 1, MAX_PORT),
      https: options.whole('https-port', 1, MAX_PORT) ?? HTTPS_PORT,
    };
    const findings: Finding[] = [];
    const add = (found: readonly Finding[]) => {
      findings.push(...found);
      if (!isJson) for (const finding of found) print(terminal, finding);
    };
    add(await checkApi(client));
    if (findings.every(({ state }) => state !== 'failed')) {
      add(await checkAccount(client));
      add(await checkDataplanes(client));
      for (const redirect of await redirectsOf(context, client)) add(await checkHost(redirect, ports));
    }
    return conclude(context, findings);
  },
};

async function redirectsOf({ args }: Context, client: Client): Promise<Redirect[]> {
  if (args.length === 0) return client.redirects.list({ limit: DEFAULT_HOSTS }).toArray(DEFAULT_HOSTS);
  return Promise.all(args.map((host) => findRedirect(client, host)));
}

function conclude({ terminal, isJson }: Context, findings: readonly Finding[]): number {
  const count = (state: Finding['state']) => findings.filter((finding) => finding.state === state).length;
  if (isJson) terminal.printJson(findings);
  else
    terminal.print(
      `\n${count('ok')} fine, ${counted(count('warning'), 'warning')}, ${count('failed')} failed.`,
    );
  return count('failed') > 0 ? EXIT.failed : 0;
}

function print(terminal: Terminal, { check, state, message, advice }: Finding): void {
  const signs = { ok: ['✓', 'green'], warning: ['!', 'yellow'], failed: ['✗', 'red'] } as const;
  const [sign, style] = signs[state];
  terminal.print(`${terminal.style(style, sign)} ${check}: ${printable(message)}`);
  if (advice !== undefined) terminal.print(`  → ${printable(advice)}`);
}
