import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { packageRoot } from '../config/package-root.js';
import { nodeProblem } from './node-version.js';

it.each(['18.20.8', '20.14.0', '16.0.0'])('Node %s is refused in one line', (version) => {
  expect(nodeProblem(version)).toMatch(
    /^Waymark needs Node 20\.15 or newer, and this is Node [\d.]+: install .+$/,
  );
});

it.each(['20.15.0', '20.20.2', '22.0.0', '24.1.0', process.versions.node])('Node %s is taken', (version) => {
  expect(nodeProblem(version)).toBeUndefined();
});

const ENTRIES = [
  'deploy/standalone/main.ts',
  'deploy/roles/controlplane.ts',
  'deploy/roles/dataplane.ts',
  'deploy/roles/ingest.ts',
  'deploy/backup/backup.ts',
  'deploy/backup/restore.ts',
  'controlplane/areas/billing/stripe/command.ts',
];

it.each(ENTRIES)('%s asks for the version before it loads what an older Node cannot load', (entry) => {
  const read = (file: string) => readFileSync(path.join(packageRoot(), file), 'utf8');
  const source = read(entry);
  expect(source).toContain('refuseOldNode();');
  expect(source.indexOf('refuseOldNode();')).toBeLessThan(source.indexOf('await import('));
  // Its own imports are loaded before anything runs: they import nothing themselves, but for types.
  const files = [...source.matchAll(/^import .* from '(.+)\.js';$/gm)].map(([, file]) =>
    path.join(path.dirname(entry), `${file}.ts`),
  );
  expect(files).toContain('shared/process/node-version.ts');
  for (const file of files) expect(read(file)).not.toMatch(/^import (?!type )/m);
});
