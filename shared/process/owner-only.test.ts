import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeTreeOwnerOnly } from './owner-only.js';

function newFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'waymark-owner-only-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function place(mode: number, ...names: string[]): string {
  const file = path.join(...names);
  if (names.at(-1)?.startsWith('file')) writeFileSync(file, '');
  else mkdirSync(file);
  chmodSync(file, mode);
  return file;
}

const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);

it('takes the rights of others from everything below a folder', () => {
  const top = newFolder();
  const inner = place(0o755, top, 'inner');
  const file = place(0o666, inner, 'file');
  const program = place(0o755, top, 'file-to-run');
  expect(makeTreeOwnerOnly(top, true)).toBe(3);
  expect([inner, file, program].map(modeOf)).toEqual(['700', '600', '700']);
  expect(makeTreeOwnerOnly(top, true)).toBe(0);
});

it('does not change the target of a link', () => {
  const elsewhere = place(0o644, newFolder(), 'file');
  const top = newFolder();
  symlinkSync(elsewhere, path.join(top, 'link'));
  expect(makeTreeOwnerOnly(top, true)).toBe(0);
  expect(modeOf(elsewhere)).toBe('644');
});

it('can skip folders that others cannot enter', () => {
  const top = newFolder();
  const file = place(0o644, place(0o700, top, 'closed'), 'file');
  const open = place(0o644, place(0o755, top, 'open'), 'file');
  chmodSync(top, 0o755);
  expect(makeTreeOwnerOnly(top, false)).toBe(3);
  expect([file, open].map(modeOf)).toEqual(['644', '600']);
});
