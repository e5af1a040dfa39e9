import { readFile } from 'node:fs/promises';
import { messageOf } from '../../shared/process/error-facts.js';
import { CommandError } from './command.js';
import { readStdin } from './prompt.js';
import type { Terminal } from './terminal.js';

/** Maximum of a request. */
const MAX_FILE_BYTES = 1024 * 1024;

/** Reads the body of a request, an object, from a JSON file; `-` is stdin. @throws {CommandError} */
export async function readJsonFile(terminal: Terminal, file: string): Promise<object> {
  const text = file === '-' ? await readStdin(terminal, MAX_FILE_BYTES) : await readText(file);
  const value = parse(text, file);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new CommandError(
    `${file} must hold a JSON object, not ${Array.isArray(value) ? 'a list' : JSON.stringify(value)}. --help of the command shows one.`,
  );
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CommandError(`${file} is not JSON: ${messageOf(error)}`);
  }
}

function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: Error) => {
    throw new CommandError(`${file} cannot be read: ${error.message}`);
  });
}
