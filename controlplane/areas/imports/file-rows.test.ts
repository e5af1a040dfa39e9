import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { DEFAULT_PATH_OPTIONS } from '../../../shared/paths/path-entry.js';
import { operationTable } from '../redirects/public.js';
import { readRows } from './file-rows.js';

const PIECES = 3_000;

async function* pieces(): AsyncGenerator<string> {
  yield 'fromDomain,toDomain\n';
  for (let row = 0; row < PIECES; row += 1) {
    yield `h${row}.example,https://new.example/${'x'.repeat(1_000)}\n`;
  }
}

it('reading a file of many pieces leaves no listeners behind', async () => {
  const warnings: string[] = [];
  const note = ({ name }: Error) => void warnings.push(name);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  const options = {
    kind: 'redirects',
    format: 'csv',
    host: undefined,
    pathOptions: DEFAULT_PATH_OPTIONS,
  } as const;
  let rows = 0;
  for await (const { status } of readRows(pieces(), { ...options, table: operationTable })) {
    expect(status).toBe('read');
    rows += 1;
    // The reader is slower than the file, so the file waits for it repeatedly.
    await nextTurn();
  }
  expect(rows).toBe(PIECES);
  await nextTurn();
  expect(warnings).not.toContain('MaxListenersExceededWarning');
});

it('a row of a redirect has the remarks of its line and of the redirect', async () => {
  async function* file() {
    yield 'RewriteEngine On\nRewriteCond %{HTTP_HOST} ^old\\.example$\nRewriteRule ^(.+)$ https://new.example/$1 [R=301]\n';
  }
  const options = { kind: 'redirects', format: 'htaccess', host: undefined } as const;
  const remarks: (string | undefined)[] = [];
  for await (const row of readRows(file(), {
    ...options,
    pathOptions: DEFAULT_PATH_OPTIONS,
    table: operationTable,
  })) {
    if (row.status === 'read') remarks.push(row.remark);
  }
  expect(remarks).toEqual([
    expect.stringMatching(/Without \[L\].*The original does not redirect the path "\/"/),
  ]);
});
