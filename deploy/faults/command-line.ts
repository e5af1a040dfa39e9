import { type ParseArgsConfig, parseArgs } from 'node:util';
import { messageOf } from '../../shared/process/error-facts.js';

/** A command line asks for something that does not exist; the message says what does. */
export class UsageError extends Error {}

type Options = NonNullable<ParseArgsConfig['options']>;

/**
 * Reads the options of a command.
 *
 * @param args what follows the script's name
 * @throws {UsageError} when there is one that the command does not have
 */
export function readOptions<const T extends Options>(args: readonly string[], options: T) {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new UsageError(messageOf(error), { cause: error });
  }
}

/**
 * @param what it is that the names are of
 * @throws {UsageError} when one of the names is not known
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

/** Lines of a help text, one for each. */
export function listNames(items: readonly { readonly name: string; readonly summary: string }[]): string[] {
  const width = Math.max(...items.map(({ name }) => name.length));
  return items.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
}
