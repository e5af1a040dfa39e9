import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Interrupted, UsageError } from './command.js';
import type { Terminal } from './terminal.js';

/** Asks a question on the terminal. `isHidden` keeps the answer off the screen. */
export async function ask(terminal: Terminal, question: string, isHidden = false): Promise<string> {
  const { stdin, stderr } = terminal.streams;
  stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({
    input: stdin,
    output: isHidden ? silent : stderr,
    terminal: terminal.isInteractive,
  });
  const controller = new AbortController();
  for (const end of ['SIGINT', 'close']) lines.once(end, () => controller.abort());
  try {
    return (await lines.question('', { signal: controller.signal })).trim();
  } catch (error) {
    throw controller.signal.aborted ? new Interrupted() : error;
  } finally {
    lines.close();
    if (isHidden) stderr.write('\n');
  }
}

/** Asks for a confirmation, unless `--yes` has given it. */
export async function confirm(terminal: Terminal, question: string, isGiven: boolean): Promise<boolean> {
  if (isGiven) return true;
  if (!terminal.isInteractive) throw new UsageError(`${question} Add --yes to confirm without a terminal.`);
  return /^y(es)?$/i.test(await ask(terminal, `${question} [y/N] `));
}

/** Reads all of stdin, such as a token that another program writes. */
export async function readStdin({ streams: { stdin } }: Terminal, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    size += (chunk as Buffer).length;
    if (size > maxBytes) throw new UsageError(`The input must have at most ${maxBytes} bytes.`);
    chunks.push(Buffer.from(chunk as Buffer));
  }
  return Buffer.concat(chunks).toString('utf8').trim();
}
