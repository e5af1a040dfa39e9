import type { Client } from '../client/src/index.js';
import type { Terminal } from './terminal.js';

export const DEFAULT_URL = 'http://127.0.0.1:3000';

export interface OptionSpec {
  readonly short?: string;
  readonly multiple?: boolean;
  /** Name of the value in the help: `FILE`. An option that has none is a switch. */
  readonly value?: string;
  /** Accepted values, if there are few. */
  readonly choices?: readonly string[];
  readonly about: string;
}

/** Environment of a command. */
export interface Context {
  readonly terminal: Terminal;
  /** Positional arguments, in the number that the command declares in `arguments`. */
  readonly args: readonly string[];
  readonly options: Options;
  readonly isJson: boolean;
  /** Prints the value with `--json`, otherwise the text. */
  show(value: unknown, text: string): void;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /**
   * Returns a client with the token of the environment or of `login`. Ctrl-C ends its requests, unless it is for
   * cleaning up.
   */
  client(options?: { readonly cleansUp?: boolean }): Promise<Client>;
}

export interface Command {
  /** `redirects list`. */
  readonly name: string;
  readonly about: string;
  /** `HOST…`: `…` takes one or more, `[…]` is optional. */
  readonly arguments: readonly string[];
  readonly options: Readonly<Record<string, OptionSpec>>;
  /** Further lines of the help. */
  readonly details?: string;
  /** Returns the exit code; undefined means 0. */
  run(context: Context): Promise<number | undefined> | Promise<void>;
}

export const EXIT = { failed: 1, usage: 2, differs: 3, interrupted: 130 } as const;

/** A command line that is wrong. */
export class UsageError extends Error {}

/** Work that failed, with a message for people. */
export class CommandError extends Error {}

/** A question that was answered with Ctrl-C or the end of the input. */
export class Interrupted extends Error {}

/** The options of a command line, whose names and types have been checked. */
export class Options {
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values;
  }

  flag(name: string): boolean {
    return this.#values[name] === true;
  }

  text(name: string): string | undefined {
    const value = this.#values[name];
    return typeof value === 'string' ? value : undefined;
  }

  texts(name: string): readonly string[] {
    const value = this.#values[name];
    return Array.isArray(value) ? (value as string[]) : [];
  }

  /** Returns a value that is one of the choices, which the command line has been checked for. */
  choice<Value extends string>(name: string): Value | undefined {
    return this.text(name) as Value | undefined;
  }

  whole(name: string, minimum: number, maximum: number): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const number = Number(value);
    if (/^\d{1,15}$/.test(value) && number >= minimum && number <= maximum) return number;
    throw new UsageError(`--${name} must be a whole number from ${minimum} to ${maximum} (got "${value}").`);
  }
}

/** Option of commands that change the answers to visitors. */
export const FORCE: Readonly<Record<string, OptionSpec>> = {
  force: { about: 'Also if it breaks examples of the redirect.' },
};

/** Returns the options of a request for those of `FORCE`. */
export function forced(options: Options): { readonly query: { readonly force: true | undefined } } {
  return { query: { force: options.flag('force') || undefined } };
}

/** Options of all commands. */
export const GENERAL_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  json: { about: 'Print JSON.' },
  url: { value: 'URL', about: `Address of the API. Default: WAYMARK_URL, that of login, or ${DEFAULT_URL}.` },
  help: { short: 'h', about: 'Print this help.' },
};
