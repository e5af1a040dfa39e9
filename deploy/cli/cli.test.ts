import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TEST_TOKEN, useControlplane } from '../client/product.fixture.js';
import { createClient } from '../client/src/index.js';
import { COMMANDS } from './commands.js';
import { type RunOptions, runCommand } from './run-command.fixture.js';

const product = useControlplane();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'waymark-cli-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const environment = () => ({ WAYMARK_URL: product.url, WAYMARK_TOKEN: TEST_TOKEN, HOME: folder });
/** Runs a command line, in which spaces separate arguments. */
const waymark = (line: string, options: RunOptions = {}) =>
  runCommand(line.split(' '), { environment: environment(), ...options });
const file = (name: string) => path.join(folder, name);
const client = () => createClient({ url: product.url, token: TEST_TOKEN });

describe('help and usage', () => {
  it('lists all commands, those of a group, and the options of one', async () => {
    const { code, stdout } = await waymark('help');
    expect(code).toBe(0);
    for (const { name } of COMMANDS) expect(stdout).toContain(`  ${name} `);
    expect((await waymark('rules')).stdout).toContain('rules enable RULE');
    expect((await waymark('redirects list --help')).stdout).toMatch(
      /--status STATUS .*One of pending, active/,
    );
  });

  it.each([
    ['nonsense', 'There is no command "nonsense"'],
    ['redirects nonsense', 'There is no command "redirects nonsense"'],
    ['redirects create a.localhost', 'URL is missing. Usage: waymark redirects create HOST URL'],
    ['redirects restore a b', '"b" is too much'],
    ['redirects list --colour', "Unknown option '--colour'"],
    [
      'redirects list --status lost',
      '--status must be one of pending, active, disabled, scheduled, ended (got "lost")',
    ],
    ['redirects list --limit 0', '--limit must be a whole number from 1 to 1000000 (got "0")'],
    ['redirects verify', 'Name hosts, or use --all'],
    ['rules delete x', 'RULE must be the number of a rule (got "x")'],
  ])('refuses `waymark %s` with code 2', async (line, message) => {
    const { code, stdout, stderr } = await waymark(line);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });

  it('completes commands and options in bash', async () => {
    const { stdout } = await waymark('completion bash');
    const complete = async (...words: string[]) => {
      const list = words.map((word) => `'${word}'`).join(' ');
      const script = `${stdout}\nCOMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _waymark; echo "\${COMPREPLY[@]}"`;
      return (await promisify(execFile)('bash', ['-c', script])).stdout.trim().split(' ');
    };
    expect(await complete('waymark', 'red')).toEqual(['redirects']);
    expect(await complete('waymark', 'redirects', 'ver')).toEqual(['verify']);
    expect(await complete('waymark', 'redirects', 'list', '--st')).toEqual(['--status']);
    expect(await complete('waymark', 'plan', '--o')).toEqual(['--out']);
    expect((await waymark('completion fish')).stdout).toContain('complete -c waymark');
    expect((await waymark('completion tcsh')).code).toBe(2);
  });
});

describe('login', () => {
  /** Signing up opens a session, which is not of the command. */
  const SESSIONS_OF_SIGNUP = 1;
  const stored = () => file('.config/waymark/credentials.json');
  const loggedIn = () => ({ HOME: folder });
  beforeEach(() => rm(file('.config'), { recursive: true, force: true }));

  it('saves a token that only the user can read, for later commands', async () => {
    const outcome = await waymark(`login --url ${product.url}`, {
      environment: loggedIn(),
      stdin: `${TEST_TOKEN}\n`,
    });
    expect(outcome.stdout).toContain('as owner@example.com');
    expect((await stat(stored())).mode & 0o777).toBe(0o600);
    expect((await waymark('whoami', { environment: loggedIn() })).stdout).toContain(
      'owner@example.com, plan Business',
    );
    await chmod(stored(), 0o644);
    const open = await waymark('whoami', { environment: loggedIn() });
    expect(open).toMatchObject({ code: 1, stderr: expect.stringContaining('chmod 600') });
  });

  it('does not show a token that is typed', async () => {
    const options = { environment: loggedIn(), stdin: TEST_TOKEN, isTty: true };
    const { code, stdout, stderr } = await waymark(`login --url ${product.url}`, options);
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain(TEST_TOKEN);
  });

  it('creates a token with a password, and deletes it at logout', async () => {
    const [email, password] = ['cli@example.com', 'correct horse battery staple'];
    await createClient({ url: product.url }).request('POST', '/auth/signup', { body: { email, password } });
    const options = { environment: loggedIn(), stdin: password };
    expect((await waymark(`login --url ${product.url} --email ${email}`, options)).code).toBe(0);
    const { token } = JSON.parse(await readFile(stored(), 'utf8'));
    const { account } = createClient({ url: product.url, token });
    expect((await account.get()).user.email).toBe(email);
    const { sessions } = await createClient({ url: product.url, token }).request('GET', '/auth/sessions');
    expect(sessions).toHaveLength(SESSIONS_OF_SIGNUP);
    expect((await waymark('logout', { environment: loggedIn() })).stdout).toBe('You are logged out.\n');
    await expect(account.get()).rejects.toMatchObject({ code: 'INVALID_TOKEN' });
    expect((await waymark('whoami', { environment: loggedIn() })).stderr).toContain('You are not logged in');
  });

  it('saves no token that does not work, and sends none to another server', async () => {
    const wrong = await waymark(`login --url ${product.url}`, { environment: loggedIn(), stdin: 'wm_wrong' });
    expect(wrong.code).toBe(1);
    await expect(stat(stored())).rejects.toThrow('ENOENT');
    await waymark(`login --url ${product.url}`, { environment: loggedIn(), stdin: TEST_TOKEN });
    const other = await waymark('whoami --url http://127.0.0.1:1', { environment: loggedIn() });
    expect(other.stderr).toContain(`You are logged in at ${product.url}`);
  });
});

describe('redirects', () => {
  it('live from their creation to their deletion', async () => {
    const created = await waymark(
      'redirects create life.localhost https://new.example --path --code 302 --tag a',
    );
    expect(created).toMatchObject({
      code: 0,
      stdout: 'Created: life.localhost → https://new.example (active)\n',
    });
    expect((await waymark('redirects list --search life')).stdout).toMatch(
      /^HOST +DESTINATION +CODE +STATUS +TAGS +ID\nlife\.localhost +https:\/\/new\.example +302 +active +a +\S+\n$/,
    );
    const changed = await waymark(
      'redirects update life.localhost --to https://other.example --enabled off --json',
    );
    expect(changed.json).toMatchObject({
      toDomain: 'https://other.example',
      enabled: false,
      statusCode: 302,
    });
    const { id } = (await waymark('redirects show LIFE.localhost --json')).json;
    expect((await waymark('redirects delete life.localhost')).code).toBe(2);
    const refused = await waymark('redirects delete life.localhost', { isTty: true, stdin: 'n' });
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Delete life.localhost? [y/N]'),
    });
    expect((await waymark('redirects delete life.localhost', { isTty: true, stdin: 'y' })).code).toBe(0);
    expect(await waymark('redirects show life.localhost')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('You have no redirect "life.localhost"'),
    });
    expect((await waymark('redirects list --deleted --json')).json).toMatchObject([{ id }]);
    expect((await waymark(`redirects restore ${id}`)).stdout).toContain('Restored: life.localhost');
  });

  it('that are not verified come with their DNS record', async () => {
    const { stdout } = await waymark('redirects create pending.invalid https://new.example');
    expect(stdout).toMatch(/_waymark\.pending\.invalid {2}TXT {2}"waymark-verify=\w+"/);
    const verified = await waymark('redirects verify pending.invalid life.localhost');
    expect(verified.code).toBe(1);
    expect(verified.stdout).toMatch(
      /✗ pending\.invalid: .*\n {2}Add this record: _waymark\.pending\.invalid/,
    );
    expect(verified.stdout).toContain('✓ life.localhost is verified.');
  });

  it('fit narrow terminals, and control characters do not reach them', async () => {
    const destination = `https://new.example/${'a'.repeat(100)}`;
    await waymark(`redirects create narrow.localhost ${destination}`);
    const { stdout } = await waymark('redirects list --search narrow', { isTty: true, columns: 80 });
    const lines = stripVTControlCharacters(stdout).trimEnd().split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(stdout).toContain('…');
    await client().redirects.create({
      fromDomain: 'bell.localhost',
      toDomain: 'https://new.example',
      note: '\u001b[31m',
    });
    expect((await waymark('redirects show bell.localhost')).stdout).not.toContain('\u001b');
  });

  it('are exported to a file', async () => {
    const target = file('all.ndjson');
    const { code, stdout } = await waymark(`redirects export -o ${target}`);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^Exported [\d,]+ bytes to /),
    });
    const hosts = (await readFile(target, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).fromDomain);
    expect(hosts).toContain('life.localhost');
    expect((await waymark('redirects export')).stdout).toMatch(/^id,fromDomain,/);
  });
});

describe('imports', () => {
  const rows =
    'fromDomain,toDomain\nin-1.localhost,https://new.example\ncom,https://new.example\nin-2.localhost,https://new.example\n';
  const hosts = async () => (await client().redirects.list({ search: 'in-' }).toArray()).length;
  beforeAll(() => writeFile(file('rows.csv'), rows));

  it('of a dry run, and all or nothing, change nothing when a row fails', async () => {
    const dry = await waymark(`redirects import ${file('rows.csv')} --dry-run`);
    expect(dry).toMatchObject({ code: 1, stdout: expect.stringContaining('Would be: 2 created') });
    const none = await waymark(`redirects import ${file('rows.csv')} --all-or-nothing`);
    expect(none).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/row 2, fromDomain: The domain is a single word/),
    });
    expect(await hosts()).toBe(0);
  });

  it('apply the rows that are right, and name the others', async () => {
    const { code, stdout } = await waymark(`redirects import ${file('rows.csv')}`);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^Rows: 2 created, 0 updated, 0 unchanged, 0 skipped, 1 failed\.\n {2}row 2, fromDomain: /,
    );
    expect(await hosts()).toBe(2);
  });

  it('tell where applied rows differ from the original', async () => {
    await waymark('redirects create remarks.localhost https://new.example');
    const text = 'RewriteEngine On\nRewriteRule ^\\d+$ /n [R,L]\nRewriteRule ^a$ /b [R,L]\n';
    await writeFile(file('.htaccess'), text);
    const { stdout } = await waymark(`redirects import ${file('.htaccess')} --paths remarks.localhost`);
    expect(stdout).toContain('Rows: 1 created, 0 updated, 0 unchanged, 1 skipped, 1 failed.');
    expect(stdout).toContain('Remarks, of the first 1 created rows:\n  row 3: Line 2 is not in the table.');
  });

  it('need a file that is there, and a format', async () => {
    expect((await waymark(`redirects import ${file('none.csv')}`)).stderr).toContain('cannot be read');
    await writeFile(file('redirects.txt'), '');
    expect((await waymark(`redirects import ${file('redirects.txt')}`)).stderr).toContain(
      '--format csv|ndjson|json|nginx',
    );
  });
});

it('prints errors as JSON with their code, and says what to do', async () => {
  const { code, json } = await waymark('redirects create com https://new.example --json');
  expect({ code, json }).toMatchObject({
    code: 1,
    json: { error: { code: 'VALIDATION_ERROR', field: 'fromDomain', status: 422 } },
  });
  const { stderr } = await waymark('whoami', {
    environment: { ...environment(), WAYMARK_TOKEN: 'wm_wrong' },
  });
  expect(stderr).toContain('Log in again with: waymark login');
});

it('creates, lists, tests, pauses and deletes rules', async () => {
  await waymark('redirects create rules.localhost https://new.example');
  const rule = {
    name: 'Germany',
    type: 'force',
    status: 'active',
    conditions: [{ attribute: 'country', operator: 'in', value: ['DE', 'AT'] }],
    action: { type: 'redirect', url: 'https://de.example' },
  };
  const stdin = JSON.stringify(rule);
  const { id } = (await waymark('rules create rules.localhost - --json', { stdin })).json;
  expect((await waymark('rules list rules.localhost')).stdout).toMatch(
    /Germany +active +country in DE\|AT +https:\/\/de\.example +0/,
  );
  expect((await waymark('rules test rules.localhost --country DE')).stdout).toContain(
    '→ 301 https://de.example',
  );
  expect((await waymark(`rules disable ${id}`)).stdout).toBe(`Rule ${id} is inactive.\n`);
  expect((await waymark('rules test rules.localhost --country DE')).stdout).toContain(
    '→ https://new.example',
  );
  expect((await waymark(`rules delete ${id} --yes`)).code).toBe(0);
  expect((await waymark('rules list rules.localhost --json')).json).toEqual([]);
  await writeFile(file('rule.json'), '{');
  expect((await waymark(`rules create rules.localhost ${file('rule.json')}`)).stderr).toContain(
    'is not JSON',
  );
  await writeFile(file('rule.json'), '[]');
  expect((await waymark(`rules create rules.localhost ${file('rule.json')}`)).stderr).toMatch(
    /rule\.json must hold a JSON object, not a list\./,
  );
});

describe('examples', () => {
  const HOST = 'examples.localhost';
  const example = (name: string, location: string) => ({
    name,
    request: { url: `https://${HOST}/` },
    expect: { location },
  });

  it('are written, run for a pipeline, and kept by other commands', async () => {
    await waymark(`redirects create ${HOST} https://new.example`);
    const none = await waymark(`examples run ${HOST}`);
    expect([none.code, none.stderr]).toEqual([0, expect.stringContaining('There are no examples.')]);
    const examples = [example('home', 'https://new.example'), example('later', 'https://later.example')];
    await writeFile(file('examples.json'), JSON.stringify({ examples }));
    const written = await waymark(`examples put ${HOST} ${file('examples.json')}`);
    expect(written.stdout).toBe(`Replaced: ${HOST} has 2 examples.\n`);
    const failed = await waymark(`examples run ${HOST}`);
    expect(failed).toMatchObject({ code: 1, stderr: '' });
    expect(failed.stdout).toBe(`✓ home
✗ later
  Expected https://later.example, received 301 https://new.example (the destination of the redirect).
1 of 2 examples pass.
`);
    const { id } = (await waymark(`redirects show ${HOST} --json`)).json;
    const draft = { redirect: { toDomain: 'https://later.example' } };
    await client().request('PUT', '/redirects/{id}/draft', { params: { id }, body: draft });
    const drafted = await waymark(`examples run ${HOST} --draft --json`);
    expect([drafted.code, drafted.json.summary]).toEqual([1, { total: 2, passed: 1, failed: 1 }]);

    const refused = await waymark(`redirects update ${HOST} --to https://later.example`);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('breaks the example "home"');
    await writeFile(file('broken.yaml'), `redirects:\n  ${HOST}: https://later.example\n`);
    expect((await waymark(`plan ${file('broken.yaml')}`)).stderr).toContain('breaks the example "home"');
    expect((await waymark(`plan ${file('broken.yaml')} --force`)).stdout).toContain(`~ ${HOST}`);
    expect((await waymark(`apply ${file('broken.yaml')} --yes --force`)).code).toBe(0);
    expect((await waymark(`redirects update ${HOST} --to https://other.example`)).code).toBe(1);
    expect((await waymark(`redirects update ${HOST} --to https://other.example --force`)).code).toBe(0);
    await waymark(`examples put ${HOST} -`, { stdin: '{"examples":[]}' });
    expect((await waymark(`redirects delete ${HOST} --yes`)).code).toBe(0);
  });
});
