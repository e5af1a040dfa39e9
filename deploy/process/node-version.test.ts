import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../shared/config/package-root.js';
import { nodeProblem } from './node-version.js';

it.each(['18.20.8', '20.14.0', '16.0.0'])('Node %s is refused in one line', (version) => {
  expect(nodeProblem(version)).toMatch(
    /^Waymark needs Node 20\.15 or newer, and this is Node [\d.]+: install .+$/,
  );
});

it.each(['20.15.0', '20.20.2', '22.0.0', '24.1.0', process.versions.node])('Node %s is taken', (version) => {
  expect(nodeProblem(version)).toBeUndefined();
});

const ENTRIES = ['standalone/main', 'roles/controlplane', 'roles/dataplane', 'roles/ingest'];

describe.each(ENTRIES)('the entry %s', (entry) => {
  it('asks for the version before it loads what an older Node cannot load', () => {
    const read = (file: string) => readFileSync(path.join(packageRoot(), 'deploy', file), 'utf8');
    const source = read(`${entry}.ts`);
    expect(source.indexOf('refuseOldNode();')).toBeLessThan(source.indexOf('await import('));
    // Its own imports are loaded before anything runs: they import nothing themselves, but for types.
    const files = [...source.matchAll(/^import .* from '\.\.\/(.+)\.js';$/gm)].map(
      ([, file]) => `${file}.ts`,
    );
    expect(files).toContain('process/node-version.ts');
    for (const file of files) expect(read(file)).not.toMatch(/^import (?!type )/m);
  });
});
