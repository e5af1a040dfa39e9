import { readFile } from 'node:fs/promises';
import { CommandError } from './command.js';
import { readStdin } from './prompt.js';
import type { Terminal } from './terminal.js';

/** Maximum of a request. */
const MAX_FILE_BYTES = 1024 * 1024;

/** Reads the body of a request from a JSON file; `-` is stdin. @throws {CommandError} */
export async function readJsonFile(terminal: Terminal, file: string): Promise<unknown> {
  const text = file === '-' ? await readStdin(terminal, MAX_FILE_BYTES) : await readText(file);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CommandError(`${file} is not JSON: ${error instanceof Error ? error.message : error}`);
  }
}

function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: Error) => {
    throw new CommandError(`${file} cannot be read: ${error.message}`);
  });
}
