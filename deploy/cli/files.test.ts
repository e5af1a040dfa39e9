import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TEST_TOKEN, useControlplane } from '../client/product.fixture.js';
import { createClient } from '../client/src/index.js';
import { runCommand } from './run-command.fixture.js';

const product = useControlplane();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'waymark-files-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const file = (name: string) => path.join(folder, name);
const waymark = (...argv: string[]) =>
  runCommand(argv, { environment: { WAYMARK_URL: product.url, WAYMARK_TOKEN: TEST_TOKEN } });
const client = () => createClient({ url: product.url, token: TEST_TOKEN });
async function yaml(name: string, text: string): Promise<string> {
  await writeFile(file(name), text);
  return file(name);
}
const find = async (host: string) => (await client().redirects.list({ search: host }).toArray())[0];

it('shows the changes and makes none, applies them, and then finds no more', async () => {
  await client().redirects.create({
    fromDomain: 'kept.first.localhost',
    toDomain: 'https://old.example',
    note: 'stays',
  });
  const first = await yaml(
    'first.yaml',
    `redirects:
  New.First.localhost: https://new.example
  kept.first.localhost:
    toDomain: https://changed.example
    statusCode: 302
    tags: [b, a]
    startsAt: 2027-01-01
`,
  );
  const planned = await waymark('plan', first, '--exit-code');
  expect(planned).toMatchObject({ code: 3, stderr: '' });
  expect(planned.stdout).toBe(`~ kept.first.localhost
    toDomain: "https://old.example" → "https://changed.example"
    statusCode: 301 → 302
    tags: [] → ["b","a"]
    startsAt: null → "2027-01-01"
+ new.first.localhost
    toDomain: "https://new.example"
1 to create, 1 to change, 0 to delete, 0 unchanged.
`);
  expect(await find('new.first.localhost')).toBeUndefined();
  expect(await waymark('apply', first)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Add --yes'),
  });
  expect(await waymark('apply', first, '--yes')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/Applied\.\n$/),
  });
  expect(await find('kept.first.localhost')).toMatchObject({
    toDomain: 'https://changed.example',
    note: 'stays',
  });
  expect(await waymark('plan', first, '--exit-code')).toMatchObject({
    code: 0,
    stdout: '0 to create, 0 to change, 0 to delete, 2 unchanged.\n',
  });
});

it('deletes redirects with its tag that it lacks, and no others', async () => {
  await client().redirects.create({
    fromDomain: 'other.tag.localhost',
    toDomain: 'https://o.example',
    tags: ['own'],
  });
  const before = await yaml(
    'tag.yaml',
    'tag: git\nredirects:\n  a.tag.localhost: https://a.example\n  other.tag.localhost: https://o.example\n',
  );
  await waymark('apply', before, '--yes');
  expect((await find('other.tag.localhost'))?.tags).toEqual(['own', 'git']);
  await client().redirects.create({ fromDomain: 'c.tag.localhost', toDomain: 'https://c.example' });
  const after = await yaml('tag.yaml', 'tag: git\nredirects:\n  b.tag.localhost: https://b.example\n');
  await waymark('apply', after, '--yes');
  const left = await client().redirects.list({ search: '.tag.localhost', sort: 'fromDomain' }).toArray();
  expect(left.map(({ fromDomain }) => fromDomain)).toEqual(['b.tag.localhost', 'c.tag.localhost']);
});

it('applies nothing if the server refuses a change', async () => {
  const refused = await yaml(
    'refused.yaml',
    'redirects:\n  fine.refused.localhost: https://a.example\n  com: https://b.example\n',
  );
  for (const command of [['plan'], ['apply', '--yes']]) {
    const { code, stderr } = await waymark(...command, refused);
    expect(code).toBe(1);
    expect(stderr).toMatch(/refuses 1 of 2 changes, so it makes none:\n {2}com: .*\(fromDomain\)/);
  }
  expect(await find('fine.refused.localhost')).toBeUndefined();
});

it('applies a saved plan only while nothing has drifted', async () => {
  const wanted = await yaml(
    'drift.yaml',
    'redirects:\n  drift.localhost:\n    toDomain: https://b.example\n',
  );
  const { id } = await client().redirects.create({
    fromDomain: 'drift.localhost',
    toDomain: 'https://a.example',
  });
  await waymark('plan', wanted, '--out', file('plan.json'));
  await client().redirects.update(id, { note: 'changed by somebody' });
  const drifted = await waymark('apply', wanted, '--plan', file('plan.json'));
  expect(drifted).toMatchObject({ code: 3, stderr: expect.stringContaining('drift.localhost') });
  expect((await find('drift.localhost'))?.toDomain).toBe('https://a.example');
  await waymark('plan', wanted, '--out', file('plan.json'));
  expect((await waymark('apply', wanted, '--plan', file('plan.json'))).code).toBe(0);
  expect((await find('drift.localhost'))?.toDomain).toBe('https://b.example');
});

it('compares more hosts than it would look up one by one', async () => {
  const toDomain = 'https://new.example';
  await client().redirects.bulk(
    ['h1', 'h2'].map((name) => ({ fromDomain: `${name}.many.localhost`, toDomain })),
  );
  const entries = Array.from({ length: 201 }, (_, index) => `  h${index}.many.localhost: ${toDomain}\n`);
  const many = await yaml('many.yaml', `redirects:\n${entries.join('')}`);
  expect((await waymark('plan', many)).stdout).toMatch(
    /199 to create, 0 to change, 0 to delete, 2 unchanged\.\n$/,
  );
});

describe('refuses', () => {
  it.each([
    ['what is not YAML', 'redirects:\n  a: [\n', /bad\.yaml:\d+: /],
    [
      'a host that is there twice',
      'redirects:\n  a.localhost: https://a.example\n  a.localhost: https://b.example\n',
      /bad\.yaml:3: .*unique/,
    ],
    [
      'a host that is there twice in different letters',
      'redirects:\n  a.localhost: https://a.example\n  A.localhost: https://b.example\n',
      /a\.localhost is there twice/,
    ],
    ['a file without redirects', 'tag: x\n', /must have `redirects`/],
    [
      'an unknown member',
      'redirects:\n  a.localhost: {toDomian: "https://a.example"}\n',
      /has `toDomian`\. Known: toDomain, /,
    ],
    ['an unknown member of the file', 'redirects: {}\nrules: {}\n', /`rules` is not known/],
    [
      'a redirect without a destination',
      'redirects:\n  a.localhost: {note: x}\n',
      /a\.localhost needs toDomain/,
    ],
  ])('%s', async (_, text, message) => {
    const { code, stderr } = await waymark('plan', await yaml('bad.yaml', text));
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
  });

  it('a file that is not there or not UTF-8', async () => {
    expect((await waymark('plan', file('none.yaml'))).stderr).toContain('cannot be read');
    await writeFile(file('latin.yaml'), Buffer.from([0x61, 0xff]));
    expect(await waymark('plan', file('latin.yaml'))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cannot be read'),
    });
  });
});
