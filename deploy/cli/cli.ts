import { parseArgs } from 'node:util';
import { messageOf } from '../../shared/process/error-facts.js';
import { createClient, WaymarkError } from '../client/src/index.js';
import {
  type Command,
  CommandError,
  type Context,
  DEFAULT_URL,
  EXIT,
  GENERAL_OPTIONS,
  Interrupted,
  Options,
  UsageError,
} from './command.js';
import { COMMANDS } from './commands.js';
import { readCredentials } from './credentials.js';
import { commandHelp, generalHelp, groupHelp } from './help.js';
import { createTerminal, type Streams, type Terminal } from './terminal.js';

export interface Invocation {
  readonly argv: readonly string[];
  readonly streams: Streams;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** Runs a command line and returns the exit code. */
export async function runCli(invocation: Invocation): Promise<number> {
  const { argv, signal } = invocation;
  const terminal = createTerminal(invocation.streams, invocation.environment);
  const isJson = argv.includes('--json');
  try {
    return await dispatch(invocation, terminal);
  } catch (error) {
    if (signal.aborted || error instanceof Interrupted) return EXIT.interrupted;
    return report(terminal, error, isJson);
  }
}

async function dispatch(invocation: Invocation, terminal: Terminal): Promise<number> {
  const { argv } = invocation;
  const command = findCommand(argv);
  if (command === undefined) {
    const [group = ''] = argv.filter((word) => !word.startsWith('-'));
    const inGroup = COMMANDS.filter(({ name }) => name.startsWith(`${group} `));
    const asksForHelp = group === '' || argv.includes('--help') || argv.includes('-h') || argv.length === 1;
    if (!asksForHelp || (group !== '' && group !== 'help' && inGroup.length === 0))
      throw unknownCommand(argv);
    terminal.print(inGroup.length > 0 ? groupHelp(group, inGroup) : generalHelp(COMMANDS));
    return 0;
  }
  const words = command.name.split(' ').length;
  const { values, positionals } = parse(command, argv.slice(words));
  if (values.help === true) {
    terminal.print(commandHelp(command));
    return 0;
  }
  checkArguments(command, positionals);
  return (await command.run(contextOf(invocation, terminal, values, positionals))) ?? 0;
}

function findCommand(argv: readonly string[]): Command | undefined {
  const [first = '', second = ''] = argv;
  return (
    COMMANDS.find(({ name }) => name === `${first} ${second}`) ?? COMMANDS.find(({ name }) => name === first)
  );
}

function unknownCommand(argv: readonly string[]): UsageError {
  const given = argv
    .filter((word) => !word.startsWith('-'))
    .slice(0, 2)
    .join(' ');
  return new UsageError(`There is no command "${given}". Run: waymark help`);
}

function parse(command: Command, args: readonly string[]) {
  const options = { ...command.options, ...GENERAL_OPTIONS };
  const config = Object.fromEntries(
    Object.entries(options).map(([name, { value, short, multiple = false }]) => {
      const type: 'string' | 'boolean' = value === undefined ? 'boolean' : 'string';
      return [name, { type, multiple, ...(short !== undefined && { short }) }];
    }),
  );
  try {
    const parsed = parseArgs({ args: [...args], options: config, allowPositionals: true });
    for (const [name, { choices }] of Object.entries(options)) {
      const value = parsed.values[name];
      if (choices !== undefined && value !== undefined && !choices.includes(String(value))) {
        throw new UsageError(`--${name} must be one of ${choices.join(', ')} (got "${value}").`);
      }
    }
    return parsed;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${messageOf(error).split('. ')[0]}. Run: waymark ${command.name} --help`);
  }
}

function checkArguments(command: Command, given: readonly string[]): void {
  const required = command.arguments.filter((name) => !name.startsWith('['));
  const takesMore = command.arguments.some((name) => name.includes('…'));
  if (given.length >= required.length && (takesMore || given.length <= command.arguments.length)) return;
  const missing = required[given.length];
  const what =
    missing === undefined ? `"${given.at(-1)}" is too much` : `${missing.replace('…', '')} is missing`;
  throw new UsageError(`${what}. Usage: waymark ${[command.name, ...command.arguments].join(' ')}`);
}

function contextOf(
  { environment, signal }: Invocation,
  terminal: Terminal,
  values: Readonly<Record<string, unknown>>,
  args: readonly string[],
): Context {
  const options = new Options(values);
  const isJson = options.flag('json');
  return {
    terminal,
    args,
    options,
    isJson,
    show: (value, text) => (isJson ? terminal.printJson(value) : terminal.print(text)),
    environment,
    signal,
    async client({ cleansUp = false } = {}) {
      const stored = environment.WAYMARK_TOKEN ? undefined : await readCredentials(environment);
      const token = environment.WAYMARK_TOKEN || stored?.token;
      if (token === undefined) {
        throw new CommandError('You are not logged in. Run `waymark login`, or set WAYMARK_TOKEN.');
      }
      const url = options.text('url') ?? (environment.WAYMARK_URL || stored?.url);
      // A token must not reach another server than the one that it is of.
      if (stored !== undefined && url !== undefined && new URL(url).origin !== new URL(stored.url).origin) {
        throw new CommandError(`You are logged in at ${stored.url}. Run: waymark login --url ${url}`);
      }
      return createClient({ url: url ?? DEFAULT_URL, token, ...(!cleansUp && { signal }) });
    },
  };
}

function report(terminal: Terminal, error: unknown, isJson: boolean): number {
  const isUsage = error instanceof UsageError;
  if (!isUsage && !(error instanceof CommandError) && !(error instanceof WaymarkError)) throw error;
  const parts = error instanceof WaymarkError ? error : undefined;
  if (isJson) {
    const { code, status, field, requestId } = parts ?? { code: isUsage ? 'USAGE' : 'FAILED' };
    terminal.printJson({ error: { code, message: error.message, status, field, requestId } });
  } else {
    terminal.note(`waymark: ${error.message}${parts?.field === undefined ? '' : ` (${parts.field})`}`);
    const advice = parts && adviceOn(parts);
    if (advice !== undefined) terminal.note(advice);
  }
  return isUsage ? EXIT.usage : EXIT.failed;
}

function adviceOn({ code, status, requestId }: WaymarkError): string | undefined {
  if (code === 'CONNECTION_FAILED')
    return 'Is Waymark running? Name its API with --url, and run: waymark doctor';
  if (status === 401) return 'Log in again with: waymark login';
  return status >= 500 ? `Request ${requestId}. Find it in the log of the server.` : undefined;
}
