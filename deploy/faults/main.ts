import { processEnvironment } from '../../shared/config/process-environment.js';
import { messageOf } from '../../shared/process/error-facts.js';
import { parseArguments, usage } from './arguments.js';
import { runCommand } from './command-line.js';
import type { Fault } from './fault.js';
import { FAULTS } from './faults/faults.js';
import { lineOf, type Row, tableOf, writeReport } from './report.js';
import { type RunOptions, runFault } from './run-fault.js';

const print = (text: string) => void process.stdout.write(`${text}\n`);

/** @returns the exit code */
async function main(args: readonly string[]): Promise<number> {
  const { help, quick, write, keep, faults } = parseArguments(args, FAULTS);
  if (help) {
    print(usage(FAULTS));
    return 0;
  }
  if (processEnvironment().KAFKA_LIBS === undefined) {
    // The script that provides it decides whether that is an error: `deploy/services/with-kafka.sh`.
    print('KAFKA_LIBS names no Kafka: no fault is injected');
    return 0;
  }
  const rows: Row[] = [];
  for (const fault of faults) rows.push(await runReported(fault, { isQuick: quick, isKept: keep }));
  print(`\n${tableOf(rows)}\n`);
  if (write) await writeReport(rows, FAULTS);
  return rows.some(({ outcome }) => outcome === 'failed') ? 1 : 0;
}

async function runReported(fault: Fault, options: Omit<RunOptions, 'say'>): Promise<Row> {
  const startedMs = performance.now();
  const seconds = () => ((performance.now() - startedMs) / 1000).toFixed(1);
  print(`\n== ${fault.name}: ${fault.summary}`);
  const say = (line: string) => print(`   ${seconds()} s  ${line}`);
  let row: Row;
  try {
    row = await runFault(fault, { ...options, say });
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
    row = { fault, outcome: 'failed', problems: [messageOf(error) + cause] };
  }
  print(`== ${fault.name}: ${row.outcome} after ${seconds()} s\n   ${lineOf(row)}`);
  return row;
}

runCommand(main);
