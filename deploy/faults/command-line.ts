import { type ParseArgsConfig, parseArgs } from 'node:util';
import { messageOf } from '../../shared/process/error-facts.js';

/** The command line is invalid; the message names the valid values. */
export class UsageError extends Error {}

type Options = NonNullable<ParseArgsConfig['options']>;

/**
 * Reads the options of a command.
 *
 * @param args arguments after the script's name
 * @throws {UsageError} for an unknown option
 */
export function readOptions<const T extends Options>(args: readonly string[], options: T) {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new UsageError(messageOf(error), { cause: error });
  }
}

/** @param what kind of the names, for the message @throws {UsageError} for an unknown name */
export function requireKnown(
  what: string,
  names: readonly string[] | undefined,
  known: readonly { readonly name: string }[],
): void {
  const all = known.map(({ name }) => name);
  const unknown = names?.find((name) => !all.includes(name));
  if (unknown === undefined) return;
  throw new UsageError(`there is no ${what} "${unknown}"; there are: ${all.join(', ')}`);
}

/** Returns the lines of a help text, one for each. */
export function listNames(items: readonly { readonly name: string; readonly summary: string }[]): string[] {
  const width = Math.max(...items.map(({ name }) => name.length));
  return items.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
}

/** Runs a command to its end, and exits with its code: 1 after an error, 2 after an invalid command line. */
export function runCommand(main: (args: readonly string[]) => Promise<number>): void {
  // `exit` ends the servers that the command has started, whichever signal stops this process.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => process.exit(130));
  main(process.argv.slice(2)).then(
    (code) => process.exit(code),
    (error: unknown) => {
      const isUsage = error instanceof UsageError;
      const text = isUsage ? error.message : error instanceof Error ? error.stack : String(error);
      process.stderr.write(`${text}\n`);
      process.exit(isUsage ? 2 : 1);
    },
  );
}
