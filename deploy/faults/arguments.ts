import { listNames, readOptions, requireKnown, UsageError } from './command-line.js';
import type { Fault } from './fault.js';

/** The parsed command line. */
export interface FaultArguments {
  readonly help: boolean;
  readonly quick: boolean;
  readonly write: boolean;
  readonly keep: boolean;
  /** The faults to inject, in order. */
  readonly faults: readonly Fault[];
}

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  quick: { type: 'boolean' },
  write: { type: 'boolean' },
  keep: { type: 'boolean' },
  fault: { type: 'string', multiple: true },
} as const;

/**
 * @param args arguments after the script's name
 * @throws {UsageError}
 */
export function parseArguments(args: readonly string[], known: readonly Fault[]): FaultArguments {
  const {
    help = false,
    quick = false,
    write = false,
    keep = false,
    fault: names,
  } = readOptions(args, OPTIONS);
  requireKnown('fault', names, known);
  if (write && quick) throw new UsageError('--write publishes whole runs: leave out --quick');
  const isWanted = ({ name, isQuick }: Fault) => names?.includes(name) ?? (!quick || isQuick);
  return { help, quick, write, keep, faults: known.filter(isWanted) };
}

/** Returns the text of `--help`. */
export function usage(known: readonly Fault[]): string {
  return `npm run faults -- [--quick] [--fault NAME]… [--write] [--keep]

  --quick  some of the faults, and shorter ones: under four minutes
  --fault  only this one; may be repeated
  --write  puts the results into the table in deploy/faults/README.md
  --keep   leaves the folders of the servers, with their logs

${listNames(known).join('\n')}
`;
}
