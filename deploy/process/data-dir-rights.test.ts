import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { withEmptyDataDir } from '../e2e/product.fixture.js';
import { closeDataDir } from './data-dir-rights.js';

const modeOf = (...names: string[]) => (statSync(path.join(...names)).mode & 0o777).toString(8);

/** Runs it. @returns the messages that were logged */
function closed(dataDir: string): string[] {
  const lines: string[] = [];
  closeDataDir(dataDir, pino({}, { write: (line) => void lines.push(JSON.parse(line).msg) }));
  return lines;
}

it('closes the folder and what the product put into it, with one line', () =>
  withEmptyDataDir(async (dataDir) => {
    mkdirSync(path.join(dataDir, 'postgres', 'base'), { recursive: true });
    for (const file of ['postgres/base/1', 'secret.key', 'ruleset.snapshot']) {
      writeFileSync(path.join(dataDir, file), '');
      chmodSync(path.join(dataDir, file), 0o666);
    }
    chmodSync(dataDir, 0o755);
    expect(closed(dataDir)).toEqual(['other users had access to DATA_DIR; it was removed']);
    expect(modeOf(dataDir)).toBe('700');
    expect(modeOf(dataDir, 'postgres')).toBe('700');
    expect(modeOf(dataDir, 'postgres/base/1')).toBe('600');
    expect(modeOf(dataDir, 'secret.key')).toBe('600');
    expect(closed(dataDir)).toEqual([]);
  }));

it('leaves alone what is not of the product, and then the folder too', () =>
  withEmptyDataDir(async (dataDir) => {
    for (const file of ['letter.txt', 'secret.key']) writeFileSync(path.join(dataDir, file), '');
    chmodSync(path.join(dataDir, 'letter.txt'), 0o644);
    chmodSync(dataDir, 0o755);
    closed(dataDir);
    expect(modeOf(dataDir)).toBe('755');
    expect(modeOf(dataDir, 'letter.txt')).toBe('644');
    expect(modeOf(dataDir, 'secret.key')).toBe('600');
  }));

it('leaves alone a folder of other programs, whatever they are called', () =>
  withEmptyDataDir(async (dataDir) => {
    for (const name of ['postgresql', 'clickhouse']) {
      mkdirSync(path.join(dataDir, name));
      chmodSync(path.join(dataDir, name), 0o755);
    }
    expect(closed(dataDir)).toEqual([]);
    writeFileSync(path.join(dataDir, 'waymark.lock'), '', { mode: 0o600 });
    closed(dataDir);
    expect(modeOf(dataDir, 'postgresql')).toBe('755');
    expect(modeOf(dataDir, 'clickhouse')).toBe('700');
  }));

it('says nothing of a folder that is empty or not there', () =>
  withEmptyDataDir(async (dataDir) => {
    chmodSync(dataDir, 0o755);
    expect(closed(dataDir)).toEqual([]);
    expect(modeOf(dataDir)).toBe('700');
    expect(closed(path.join(dataDir, 'not-there'))).toEqual([]);
  }));
