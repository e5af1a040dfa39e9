import { parseArgs } from 'node:util';
import type { Fault } from './fault.js';

/** What the command line asks for. */
export interface FaultArguments {
  readonly help: boolean;
  readonly quick: boolean;
  readonly write: boolean;
  readonly keep: boolean;
  /** In the order in which they are played. */
  readonly faults: readonly Fault[];
}

/** The command line asks for something that does not exist; the message says what does. */
export class UsageError extends Error {}

/** @param args what follows the script's name @throws {UsageError} */
export function parseArguments(args: readonly string[], known: readonly Fault[]): FaultArguments {
  const { help = false, quick = false, write = false, keep = false, fault: names } = readOptions(args);
  const unknown = names?.find((name) => !known.some((fault) => fault.name === name));
  if (unknown !== undefined) {
    throw new UsageError(
      `there is no fault "${unknown}"; there are: ${known.map(({ name }) => name).join(', ')}`,
    );
  }
  if (write && quick) throw new UsageError('--write publishes whole runs: leave out --quick');
  const isWanted = ({ name, isQuick }: Fault) => names?.includes(name) ?? (!quick || isQuick);
  return { help, quick, write, keep, faults: known.filter(isWanted) };
}

function readOptions(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        help: { type: 'boolean', short: 'h' },
        quick: { type: 'boolean' },
        write: { type: 'boolean' },
        keep: { type: 'boolean' },
        fault: { type: 'string', multiple: true },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** The text of `--help`. */
export function usage(known: readonly Fault[]): string {
  const width = Math.max(...known.map(({ name }) => name.length));
  const lines = known.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return `npm run faults -- [--quick] [--fault NAME]… [--write] [--keep]

  --quick  some of the faults, and shorter ones: under four minutes
  --fault  only this one; may be repeated
  --write  puts the results into the table in deploy/README.md
  --keep   leaves the folders of the servers, with their logs

${lines.join('\n')}
`;
}
