import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ownProcessMark } from '../../shared/process/process-mark.js';
import { findFormerWorkers } from './former-workers.js';
import { record, startRecorded } from './recorded-process.fixture.js';
import { createOwnRecord, readRecords, workersDirectory } from './worker-record.js';

const logger = pino({ level: 'silent' });

function temporaryDataDir(): string {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'waymark-former-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  return dataDir;
}

const recordsIn = (dataDir: string) => readdirSync(workersDirectory(dataDir));

describe.runIf(process.platform === 'linux')('workers of an earlier supervisor', () => {
  test('are found by what they recorded of themselves', async () => {
    const dataDir = temporaryDataDir();
    const own = createOwnRecord(dataDir, { port: 8081, version: '2.0.0' });
    expect(await own.exists()).toBe(false);
    await own.write();
    expect(await own.exists()).toBe(true);
    expect(await readRecords(dataDir)).toEqual([
      { ...(await ownProcessMark()), port: 8081, version: '2.0.0' },
    ]);
    expect((await findFormerWorkers(dataDir, logger)).pids).toEqual([process.pid]);
    await own.write(); // again, as after a failure
    await own.remove();
    await own.remove();
    expect(recordsIn(dataDir)).toEqual([]);
  });

  test('cannot be recorded in a data directory that was deleted', async () => {
    const dataDir = temporaryDataDir();
    const own = createOwnRecord(dataDir, { port: 8081, version: '2.0.0' });
    rmSync(dataDir, { recursive: true });
    await expect(own.write()).rejects.toThrow('ENOENT');
    expect(await own.exists()).toBe(false);
  });

  test('cannot be recorded where something else has the name of the record', async () => {
    const dataDir = temporaryDataDir();
    const own = createOwnRecord(dataDir, { port: 8081, version: '2.0.0' });
    mkdirSync(path.join(workersDirectory(dataDir), `${process.pid}.json`), { recursive: true });
    await expect(own.write()).rejects.toThrow('EISDIR');
    expect(recordsIn(dataDir), 'nothing unfinished is left').toEqual([`${process.pid}.json`]);
  });

  test('drain when they are retired, and not before', async () => {
    const dataDir = temporaryDataDir();
    const workers = [await startRecorded(dataDir), await startRecorded(dataDir)];
    const former = await findFormerWorkers(dataDir, logger);
    expect([...former.pids].sort()).toEqual(workers.map(({ pid }) => pid).sort());
    expect(workers.map(({ said }) => said())).toEqual(['up\n', 'up\n']);
    await Promise.all([former.retire(), former.retire()]);
    for (const { exited } of workers) expect(await exited).toEqual([0, null]);
    expect(recordsIn(dataDir)).toEqual([]);
  });

  test('are told again if they ignored the first signal', async () => {
    const dataDir = temporaryDataDir();
    const { exited } = await startRecorded(
      dataDir,
      'globalThis.n = (globalThis.n ?? 0) + 1; if (n > 1) process.exit(0)',
    );
    await (await findFormerWorkers(dataDir, logger)).retire();
    expect(await exited).toEqual([0, null]);
  });

  test('are killed when they do not drain in time', async () => {
    const dataDir = temporaryDataDir();
    const { exited } = await startRecorded(dataDir, '');
    await (await findFormerWorkers(dataDir, logger, 300)).retire();
    expect(await exited).toEqual([null, 'SIGKILL']);
    expect(recordsIn(dataDir)).toEqual([]);
  });

  test('are killed at once when they are stopped: they serve nobody', async () => {
    const dataDir = temporaryDataDir();
    const { child, pid, exited } = await startRecorded(dataDir);
    child.kill('SIGSTOP');
    await vi.waitFor(() => expect(readFileSync(`/proc/${pid}/stat`, 'latin1')).toContain(') T '));
    expect((await findFormerWorkers(dataDir, logger)).pids).toEqual([]);
    expect(await exited).toEqual([null, 'SIGKILL']);
    expect(recordsIn(dataDir)).toEqual([]);
  });

  test('are not mistaken for another process with the same id', async () => {
    const dataDir = temporaryDataDir();
    const { child, said } = await startRecorded(dataDir);
    for (const changes of [{ startTicks: '1' }, { scope: 'another boot' }]) {
      await record(dataDir, child, changes);
      const former = await findFormerWorkers(dataDir, logger);
      expect(former.pids).toEqual([]);
      await former.retire();
      expect(recordsIn(dataDir), 'their record is removed').toEqual([]);
    }
    expect(said()).toBe('up\n');
    expect(child.exitCode).toBeNull();
  });

  test.each(['', '{', 'null', '{"pid":1}', '{"pid":-5,"startTicks":"1","scope":"s","port":1,"version":"1"}'])(
    'are not looked for in a record that reads %j',
    async (text) => {
      const dataDir = temporaryDataDir();
      mkdirSync(workersDirectory(dataDir));
      writeFileSync(path.join(workersDirectory(dataDir), '77.json'), text);
      expect(await readRecords(dataDir)).toEqual([]);
    },
  );

  test('are none in a data directory without any', async () => {
    expect((await findFormerWorkers('/nonexistent', logger)).pids).toEqual([]);
  });
});
