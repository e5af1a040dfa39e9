import { PassThrough, Writable } from 'node:stream';
import { runCli } from './cli.js';

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Parsed stdout. Each test knows the type of its answer. */
  // biome-ignore lint/suspicious/noExplicitAny: spelling out the type of each answer would hide what is tested
  readonly json: any;
}

export interface RunOptions {
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string;
  /** Whether people sit at the terminal. */
  readonly isTty?: boolean;
  readonly columns?: number;
  readonly signal?: AbortSignal;
}

/** Runs a command line in this process, and returns its outcome as a shell would see it. */
export async function runCommand(argv: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  const { environment = {}, stdin = '', isTty = false, columns = 100 } = options;
  const input = new PassThrough();
  if (!isTty) input.end(stdin);
  const out = collect(isTty, columns);
  // Type each answer only after its question appears: readline drops earlier input.
  const err = collect(isTty, columns, (text) => {
    if (isTty && /[?:] (\[y\/N\] )?$/.test(text)) input.write(`${stdin}\n`);
  });
  const code = await runCli({
    argv,
    streams: { stdin: Object.assign(input, { isTTY: isTty }), stdout: out.stream, stderr: err.stream },
    environment,
    signal: options.signal ?? new AbortController().signal,
  });
  const stdout = out.text();
  return {
    code,
    stdout,
    stderr: err.text(),
    get json() {
      return JSON.parse(stdout);
    },
  };
}

function collect(isTTY: boolean, columns: number, onText: (text: string) => void = () => undefined) {
  let text = '';
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      onText(chunk.toString());
      done();
    },
  });
  return { stream: Object.assign(stream, { isTTY, columns }), text: () => text };
}
