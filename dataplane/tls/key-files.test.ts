import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.fixture.js';
import { createKeyFiles } from './key-files.js';

const MATERIAL = { certificate: 'chain\n', privateKey: 'key\n' };

it('hands a file over that only its user can read, and removes it', async () => {
  const folder = await temporaryFolder();
  createKeyFiles('/none', folder).withFile(MATERIAL, (file) => {
    expect(path.dirname(file)).toBe(folder);
    expect(readFileSync(file, 'utf8')).toBe('chain\nkey\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
  expect(readdirSync(folder)).toEqual([]);
});

it('removes the file also when loading fails', async () => {
  const folder = await temporaryFolder();
  const load = () => {
    throw new Error('not loaded');
  };
  expect(() => createKeyFiles('/none', folder).withFile(MATERIAL, load)).toThrow('not loaded');
  expect(readdirSync(folder)).toEqual([]);
});

it('uses DATA_DIR where there is no shared memory', async () => {
  const dataDir = await temporaryFolder();
  createKeyFiles(dataDir, path.join(dataDir, 'none')).withFile(MATERIAL, (file) => {
    expect(path.dirname(file)).toBe(dataDir);
  });
});

it('removes what killed processes left behind, and nothing else', async () => {
  const folder = await temporaryFolder();
  for (const name of ['waymark-key-old', 'waymark-key-new', 'other-old']) {
    writeFileSync(path.join(folder, name), 'key');
    if (name.endsWith('old')) utimesSync(path.join(folder, name), 0, 0);
  }
  createKeyFiles('/none', folder);
  expect(readdirSync(folder).toSorted()).toEqual(['other-old', 'waymark-key-new']);
});
