import { appendFile, copyFile, readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../temporary-folder.fixture.js';
import { loadEdited } from './addon/load-file.js';
import { knowledgeOf } from './addon/prepare-addon.js';
import { createListener } from './listener.js';
import { loadUws, UwsUnavailableError, uwsDefective, uwsUnavailable } from './load-uws.js';
import { openConnection, request } from './raw-client.fixture.js';
import { visitorTarget } from './visitor-port.fixture.js';

const FILE_NAME = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;
const installed = path.join(
  path.dirname(createRequire(import.meta.url).resolve('uWebSockets.js')),
  FILE_NAME,
);

describe('loading the HTTP server', () => {
  it.runIf(process.platform === 'linux')('leaves no file behind', async () => {
    const filesOf = async () =>
      (await readdir(tmpdir())).filter((name) => name.startsWith('waymark-http-')).sort();
    const before = await filesOf();
    const uws = loadUws({ keepAliveSeconds: 60, warn: expect.unreachable });
    expect(uws.App).toBeTypeOf('function');
    // Other processes load the same way meanwhile: only a new file would be ours.
    expect((await filesOf()).filter((name) => !before.includes(name))).toEqual([]);
  });

  it('warns that the keep-alive has no effect when the binary is not known', async () => {
    const addonFolder = await temporaryFolder();
    await copyFile(installed, path.join(addonFolder, FILE_NAME));
    await appendFile(path.join(addonFolder, FILE_NAME), 'x');
    const warnings: string[] = [];
    const load = () =>
      loadUws({ keepAliveSeconds: 61, addonFolder, warn: (message) => warnings.push(message) });
    try {
      expect(load().App).toBeTypeOf('function');
    } catch (error) {
      // Unedited, it needs glibc 2.38.
      expect(error).toBeInstanceOf(UwsUnavailableError);
      expect(String(error)).toContain('GLIBC_2.38');
    }
    expect(warnings).toEqual([expect.stringContaining('KEEP_ALIVE_SECONDS has no effect')]);
  });

  it('says in one line where the server runs when there is no binary', async () => {
    const addonFolder = await temporaryFolder();
    const load = () => loadUws({ keepAliveSeconds: 62, addonFolder, warn: expect.unreachable });
    expect(load).toThrow(UwsUnavailableError);
    expect(load).toThrow(/ENOENT.*It runs with Node 20, 22, 24 or 25/);
    expect(uwsUnavailable(new Error('one\ntwo')).message).not.toContain('\n');
  });

  it('refuses a binary that is known to be defective, and says what to do', () => {
    const oldBinary = 'f4fa5d7b697529b45ac8aa3d57385d9af51bc1d2b26aa9f5b68ca4361542e665';
    expect(knowledgeOf('uws_linux_x64_115.node', oldBinary)).toBe('defective');
    expect(knowledgeOf('any-name.node', oldBinary)).toBe('defective');
    expect(uwsDefective().message).toMatch(/505.*npm ci/);
  });
});

describe('loading from memory', () => {
  it('goes on to the next folder where one does not work', async () => {
    const folder = await temporaryFolder();
    expect(() => loadEdited(Buffer.from('no library'), [path.join(folder, 'missing'), folder])).toThrow(
      AggregateError,
    );
    expect(await readdir(folder)).toEqual([]);
  });
});

it.runIf(process.platform === 'linux')(
  'an idle connection is closed after the configured time, and not before',
  async () => {
    const listener = createListener({
      onRequest: (res) => void res.endWithoutBody(0),
      onForbiddenMethod: () => {},
      uws: { keepAliveSeconds: 5, warn: expect.unreachable },
    });
    const { port } = await listener.listen(visitorTarget());
    onTestFinished(() => listener.drain(0));
    const connection = await openConnection(port);
    connection.send(request('/', 'a.example'));
    await connection.answer();
    const idleSinceMs = performance.now();
    expect(await connection.closed()).toBe('');
    const idleMs = performance.now() - idleSinceMs;
    // Unedited, it would be 28 to 32 s.
    expect(idleMs).toBeGreaterThan(4_900);
    expect(idleMs).toBeLessThan(15_000);
  },
);
