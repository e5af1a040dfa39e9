import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { FAILURE_CODES } from '../controlplane/areas/certificates/failures.js';
import { packageRoot } from '../shared/config/package-root.js';
import { ROLES, variablesOf } from './role-variables.fixture.js';
import { readProductFile } from './yaml.fixture.js';

const DOCUMENTS = [
  'README.md',
  'deploy/README.md',
  'deploy/roles/README.md',
  'deploy/standalone/README.md',
  'deploy/services/README.md',
  'deploy/configuration.md',
  'deploy/production.md',
  'deploy/one-node.md',
  'deploy/many-nodes.md',
  'deploy/https.md',
  'deploy/clickhouse/cluster.md',
];

const offered = [...readProductFile('deploy/.env.example').matchAll(/^(\w+)=/gm)].map(
  ([, name = '']) => name,
);

/** Variables that the scripts for test servers read or set. */
const ofScripts = readdirSync(path.join(packageRoot(), 'deploy/services'))
  .filter((name) => /\.(sh|bash)$/.test(name))
  .flatMap((name) => readProductFile('deploy/services', name).match(/(?<=\$\{?)[A-Z_]+|[A-Z_]+(?==)/g) ?? []);

/** Node and the C library read these themselves. */
const ofNode = ['NODE_EXTRA_CA_CERTS', 'MALLOC_ARENA_MAX', 'UV_THREADPOOL_SIZE'];

it.each(DOCUMENTS)('%s names variables that there are', (document) => {
  // In code, in capitals and with an underscore: `NAME_OF_IT`, `NAME_OF_IT=value`.
  const code = readProductFile(document).match(/```[\s\S]*?```|`[^`\n]+`/g) ?? [];
  const named = [
    ...new Set(code.flatMap((part) => part.match(/(?<![\w$.{])[A-Z]+(?:_[A-Z]+)+(?!\w)/g) ?? [])),
  ];
  const known = new Set([
    ...ROLES.flatMap((role) => variablesOf(role, named)),
    ...offered,
    ...ofScripts,
    ...ofNode,
    ...FAILURE_CODES,
  ]);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});
