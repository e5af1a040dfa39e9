import { readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Damage to files as by broken disks and by mistakes of operators. */
export const DAMAGES = {
  'cut to half'(file: string) {
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.subarray(0, Math.floor(bytes.length / 2)));
  },
  flipped(file: string) {
    const bytes = readFileSync(file);
    const step = Math.max(1, Math.floor(bytes.length / 200));
    for (let at = 0; at < bytes.length; at += step) bytes[at] = (bytes[at] ?? 0) ^ 0xff;
    writeFileSync(file, bytes);
  },
  empty(file: string) {
    writeFileSync(file, '');
  },
  removed(file: string) {
    rmSync(file);
  },
} as const satisfies Record<string, (file: string) => void>;

const ENDED_PID = 4_194_303;
const PRODUCER = 'abcdefghijkl';

/** Writes a file that a product at rest does not leave behind. */
function made(content: string | Buffer, ...names: string[]) {
  return (dataDir: string): string => {
    const file = path.join(dataDir, ...names);
    writeFileSync(file, content);
    return file;
  };
}

function existing(...names: string[]) {
  return (dataDir: string): string => realpathSync(path.join(dataDir, ...names));
}

function largestBelow(...names: string[]) {
  return (dataDir: string): string => {
    const folder = path.join(dataDir, ...names);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => path.join(folder, name))
      .filter((file) => statSync(file).isFile());
    return files.sort((a, b) => statSync(b).size - statSync(a).size)[0] ?? '';
  };
}

/** A file of the newest part of the table of hits. */
function partFile(name: string) {
  return (dataDir: string): string => {
    const table = realpathSync(path.join(dataDir, 'clickhouse/data/default/hits'));
    const [part = ''] = readdirSync(table).filter((entry) => /^\d+_\d+_\d+_\d+$/.test(entry));
    return path.join(table, part, name);
  };
}

const deadProcess = JSON.stringify({ pid: ENDED_PID, startTicks: '1', scope: 'gone', port: 1, version: '0' });

/** One file of each kind that DATA_DIR holds. */
export const FILES: Readonly<Record<string, (dataDir: string) => string>> = {
  'the WAL': largestBelow('postgres/pg_wal'),
  pg_control: existing('postgres/global/pg_control'),
  'a file of a table': largestBelow('postgres/base'),
  'the version of the database': existing('postgres/PG_VERSION'),
  'data of statistics': partFile('data.bin'),
  'checksums of statistics': partFile('checksums.txt'),
  'a definition of statistics': existing('clickhouse/metadata/default/hits.sql'),
  'the format of statistics': existing('clickhouse/data/default/hits/format_version.txt'),
  'the ruleset': existing('ruleset.snapshot'),
  'a segment of hits': made(Buffer.alloc(4_096, 7), 'hits', `${PRODUCER}.1.spool`),
  'totals of hits': made(Buffer.alloc(40, 7), 'hits', `${PRODUCER}.totals`),
  'the secret key': existing('secret.key'),
  'the lock': made(deadProcess, 'waymark.lock'),
  'the record of a worker': (dataDir) => {
    const file = path.join(dataDir, 'workers', `${ENDED_PID}.json`);
    writeFileSync(file, deadProcess);
    return file;
  },
};
