import type { Readable, Writable } from 'node:stream';

/** The streams of a command. Results go to stdout, everything else to stderr. */
export interface Streams {
  readonly stdin: Readable & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
}

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';
const CODES: Readonly<Record<Style, number>> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 };
const DEFAULT_COLUMNS = 100;

export interface Terminal {
  /** Whether people read the output, and answer. */
  readonly isInteractive: boolean;
  readonly columns: number;
  /** Writes a line to stdout. */
  print(line?: string): void;
  /** Writes a value to stdout as JSON. */
  printJson(value: unknown): void;
  /** Writes a line to stderr. */
  note(line: string): void;
  /** Colors a text if stdout shows colors. */
  style(style: Style, text: string): string;
  readonly streams: Streams;
}

export function createTerminal(
  streams: Streams,
  environment: Readonly<Record<string, string | undefined>>,
): Terminal {
  const { stdin, stdout, stderr } = streams;
  const hasColors =
    stdout.isTTY === true && environment.NO_COLOR === undefined && environment.TERM !== 'dumb';
  return {
    isInteractive: stdin.isTTY === true && stderr.isTTY === true,
    // Output to a file or another program has lines of any length.
    columns: stdout.isTTY === true ? (stdout.columns ?? DEFAULT_COLUMNS) : Number.POSITIVE_INFINITY,
    print: (line = '') => void stdout.write(`${line}\n`),
    printJson: (value) => void stdout.write(`${JSON.stringify(value, undefined, 2)}\n`),
    note: (line) => void stderr.write(`${line}\n`),
    style: (style, text) => (hasColors ? `\x1b[${CODES[style]}m${text}\x1b[0m` : text),
    streams,
  };
}

/** Replaces control characters in texts from other people, such as paths of visitors. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to replace
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}
