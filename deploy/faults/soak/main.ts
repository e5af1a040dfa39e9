import { readOptions, runCommand, UsageError } from '../command-line.js';
import { soak } from './soak.js';

const USAGE = `npm run soak -- [--minutes N] [--rate N] [--workers N]

Starts the one-command product in a temporary folder, and lets visitors request redirects at a fixed rate while redirects are
changed and statistics are read. Then compares the visits that were answered with the hits that are stored, and prints how
the memory of each process grew.

  --minutes  default 30
  --rate     visits a second, default 500
  --workers  processes that answer visitors, default 1
`;

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  minutes: { type: 'string', default: '30' },
  rate: { type: 'string', default: '500' },
  workers: { type: 'string', default: '1' },
} as const;

const print = (line: string) => void process.stdout.write(`${line}\n`);

/** @returns the exit code */
async function main(args: readonly string[]): Promise<number> {
  const options = readOptions(args, OPTIONS);
  if (options.help === true) {
    print(USAGE);
    return 0;
  }
  const [minutes, rate, workers] = [options.minutes, options.rate, options.workers].map(positive) as [
    number,
    number,
    number,
  ];
  return (await soak({ minutes, rate, workers, print })) ? 0 : 1;
}

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new UsageError(`"${text}" is not a number above 0\n\n${USAGE}`);
  return value;
}

runCommand(main);
