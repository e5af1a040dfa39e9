import { readFile, stat, writeFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { messageOf } from '../../../shared/process/error-facts.js';
import { type Client, type Schemas, WaymarkError } from '../../client/src/index.js';
import { type Command, CommandError, type Context, EXIT, FORCE } from '../command.js';
import { parseRedirectFile, type RedirectFile } from '../files/redirect-file.js';
import { type Change, makePlan, operationOf, type Plan } from '../files/redirect-plan.js';
import { confirm } from '../prompt.js';
import { printable, type Terminal } from '../terminal.js';

const MAX_FILE_BYTES = 16 * 1024 * 1024;
/** Maximum of changes in one bulk request. A single request makes them all or nothing. */
const MAX_CHANGES = 10_000;

const DETAILS = `FILE is YAML:
  tag: from-git                 # optional: redirects with this tag that the file lacks are deleted
  redirects:
    old.example.com: https://example.com
    shop.example.com:
      toDomain: https://example.com/shop
      statusCode: 302
Members that the file leaves out stay as they are.`;

/** Maximum hosts that apply verifies. The server looks up the others in the background. */
const MAX_VERIFIED = 1000;

type BulkAnswer = Pick<Schemas.ChangeManyRedirectsResponse, 'results' | 'summary'>;

export const plan: Command = {
  name: 'plan',
  about: 'Show how redirects differ from a file.',
  arguments: ['FILE'],
  options: {
    out: { short: 'o', value: 'PLAN', about: 'Save the plan, for apply --plan.' },
    'exit-code': { about: 'End with 3 if there are differences.' },
    ...FORCE,
  },
  details: `${DETAILS}\nThe server checks the changes and makes none. With --exit-code, a scheduled job detects drift.`,
  async run(context) {
    const { options, isJson, terminal } = context;
    const client = await context.client();
    const made = await checked(client, await readRedirectFile(context), options.flag('force'));
    const out = options.text('out');
    if (out !== undefined) await writeFile(out, `${JSON.stringify(made, undefined, 2)}\n`);
    if (isJson) terminal.printJson(made);
    else printPlan(terminal, made);
    return options.flag('exit-code') && made.changes.length > 0 ? EXIT.differs : 0;
  },
};

export const apply: Command = {
  name: 'apply',
  about: 'Make redirects as a file says: all of it or nothing.',
  arguments: ['FILE'],
  options: {
    plan: { value: 'PLAN', about: 'Only if the changes are still those of a saved plan.' },
    yes: { short: 'y', about: 'Do not ask.' },
    ...FORCE,
  },
  details: `${DETAILS}\nWith --plan, apply ends with 3 if somebody has changed the file or the redirects since the plan.`,
  async run(context) {
    const { options, isJson, terminal } = context;
    const client = await context.client();
    const force = options.flag('force');
    const made = await checked(client, await readRedirectFile(context), force);
    const saved = options.text('plan');
    if (saved !== undefined) {
      const drifted = differences(await readPlan(saved), made);
      if (drifted.length > 0) return reportDrift(context, saved, drifted);
    }
    if (!isJson) printPlan(terminal, made);
    if (made.changes.length > 0) {
      if (!(await confirm(terminal, 'Apply these changes?', options.flag('yes') || saved !== undefined)))
        return EXIT.failed;
      await send(client, made.changes, { dryRun: false, force });
    }
    if (isJson) terminal.printJson({ applied: true, ...made });
    else if (made.changes.length > 0) terminal.print('Applied.');
    if (!isJson) await verifyCreated(context, client, made);
    return 0;
  },
};

/** Verifies new hosts, and says how many lack their DNS record. */
async function verifyCreated({ terminal }: Context, client: Client, { changes }: Plan): Promise<void> {
  const hosts = changes.filter(({ op }) => op === 'create').map(({ host }) => host);
  if (hosts.length === 0) return;
  const { results } = await client.redirects.verifyMany(hosts.slice(0, MAX_VERIFIED));
  const pending = results.filter((result) => !('isVerified' in result && result.isVerified)).length;
  if (pending === 0) return;
  terminal.note(`${pending} new hosts need their DNS record. Run: waymark redirects verify --all`);
}

async function readRedirectFile({ args: [file = ''] }: Context): Promise<RedirectFile> {
  return parseRedirectFile(await readText(file), file);
}

async function readText(file: string): Promise<string> {
  try {
    const { size } = await stat(file);
    if (size > MAX_FILE_BYTES) throw new Error(`it has more than ${MAX_FILE_BYTES} bytes`);
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file));
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${messageOf(error)}`);
  }
}

/** Makes a plan, and lets the server check it. Omits changes that would change nothing according to the server. */
async function checked(client: Client, file: RedirectFile, force: boolean): Promise<Plan> {
  const made = await makePlan(client, file);
  if (made.changes.length === 0) return made;
  if (made.changes.length > MAX_CHANGES) {
    throw new CommandError(
      `The file makes ${made.changes.length} changes. At most ${MAX_CHANGES} can be all or nothing. Split it, or run: waymark redirects import`,
    );
  }
  const { results } = await send(client, made.changes, { dryRun: true, force });
  const changes = made.changes.filter((_, index) => results[index]?.status !== 'unchanged');
  return { changes, unchanged: made.unchanged + made.changes.length - changes.length };
}

async function send(
  client: Client,
  changes: readonly Change[],
  options: { readonly dryRun: boolean; readonly force: boolean },
): Promise<BulkAnswer> {
  try {
    const operations = changes.map(operationOf);
    const answer = await client.redirects.bulk(operations, { mode: 'all_or_nothing', ...options });
    if (answer.summary.failed > 0) throw refusal(changes, answer);
    return answer;
  } catch (error) {
    if (!(error instanceof WaymarkError) || error.code !== 'BULK_REJECTED') throw error;
    throw refusal(changes, error.body as BulkAnswer);
  }
}

function refusal(changes: readonly Change[], { results }: BulkAnswer): CommandError {
  const faults = results.flatMap(({ row, error }) => {
    if (error === undefined) return [];
    return [`  ${changes[row - 1]?.host}: ${error.message}${error.field ? ` (${error.field})` : ''}`];
  });
  const count = `${faults.length} of ${changes.length} changes`;
  return new CommandError(`The server refuses ${count}, so it makes none:\n${faults.join('\n')}`);
}

async function readPlan(file: string): Promise<Plan> {
  try {
    const saved = JSON.parse(await readText(file)) as Plan;
    if (Array.isArray(saved.changes)) return saved;
  } catch (error) {
    if (error instanceof CommandError) throw error;
  }
  throw new CommandError(`${file} is not a saved plan. Run: waymark plan FILE --out ${file}`);
}

/** Returns the hosts whose change differs from the saved plan. */
function differences(saved: Plan, now: Plan): string[] {
  const byHost = ({ changes }: Plan) =>
    new Map(changes.map((change) => [change.host, JSON.parse(JSON.stringify(change))]));
  const [before, after] = [byHost(saved), byHost(now)];
  const hosts = [...new Set([...before.keys(), ...after.keys()])].sort();
  return hosts.filter((host) => !isDeepStrictEqual(before.get(host), after.get(host)));
}

function reportDrift({ terminal, isJson }: Context, file: string, hosts: readonly string[]): number {
  if (isJson) terminal.printJson({ applied: false, drifted: hosts });
  else
    terminal.note(
      `Nothing was applied. These hosts have changed since ${file} was made: ${hosts.join(', ')}`,
    );
  return EXIT.differs;
}

function printPlan(terminal: Terminal, { changes, unchanged }: Plan): void {
  const signs = { create: ['+', 'green'], update: ['~', 'yellow'], delete: ['-', 'red'] } as const;
  for (const { host, op, members } of changes) {
    const [sign, style] = signs[op];
    terminal.print(terminal.style(style, `${sign} ${host}`));
    for (const [name, { before, after }] of Object.entries(members)) {
      const values = [before, after]
        .filter((value) => value !== undefined)
        .map((value) => printable(JSON.stringify(value)));
      terminal.print(`    ${name}: ${values.join(' → ')}`);
    }
  }
  const count = (op: Change['op']) => changes.filter((change) => change.op === op).length;
  terminal.print(
    `${count('create')} to create, ${count('update')} to change, ${count('delete')} to delete, ${unchanged} unchanged.`,
  );
}
