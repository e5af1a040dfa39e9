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

/**
 * @param what kind of the names, for the message
 * @throws {UsageError} for an unknown name
 */
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
