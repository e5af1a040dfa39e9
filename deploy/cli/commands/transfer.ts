import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, type Import, WaymarkError } from '../../client/src/index.js';
import { grouped } from '../charts.js';
import { type Command, CommandError, type Context, EXIT, FORCE } from '../command.js';
import { findRedirect } from '../find-redirect.js';
import { FORMATS, formatOfFile, type ImportQuery, isFormat } from '../imports.js';
import { createProgress } from '../progress.js';

const POLL_INTERVAL_MS = 500;
const SHOWN_FAILURES = 20;
/** Maximum number of rows of an import that are searched for remarks. */
const ROWS_WITH_REMARKS = 200;
const ENDS: Readonly<Record<string, string>> = { failed: 'failed', canceled: 'was canceled' };

export const importCommand: Command = {
  name: 'redirects import',
  about: 'Import a file of redirects, or of paths of one redirect.',
  arguments: ['FILE'],
  options: {
    format: { value: 'FORMAT', choices: FORMATS, about: 'Default: by the name of the file.' },
    paths: { value: 'HOST', about: 'Import into the table of paths of this redirect.' },
    'dry-run': { about: 'Change nothing, and say what would change.' },
    existing: {
      value: 'WHAT',
      choices: ['fail', 'skip', 'update'],
      about: 'What becomes of rows for hosts that have a redirect. Default: fail.',
    },
    'all-or-nothing': { about: 'Change nothing if a row fails.' },
    ...FORCE,
  },
  details: 'Ctrl-C cancels the import on the server. Rows that are done stay done.',
  async run(context) {
    const { args, options } = context;
    const [file = ''] = args;
    const { size } = await stat(file).catch((error: Error) => {
      throw new CommandError(`${file} cannot be read: ${error.message}`);
    });
    const format = options.text('format') ?? formatOfFile(file);
    if (format === undefined || !isFormat(format))
      throw new CommandError(`Name the format of ${file}: --format ${FORMATS.join('|')}`);
    const client = await context.client();
    const host = options.text('paths');
    const query: ImportQuery = {
      kind: host === undefined ? 'redirects' : 'paths',
      redirectId: host === undefined ? undefined : (await findRedirect(client, host)).id,
      format,
      mode: options.flag('all-or-nothing') ? 'all_or_nothing' : 'best_effort',
      dryRun: options.flag('dry-run'),
      force: options.flag('force'),
      onExisting: options.choice<'fail' | 'skip' | 'update'>('existing'),
    };
    const started = await start(context, client, { file, size, query });
    return finish(context, client, await follow(context, client, started));
  },
};

async function start(
  { terminal, signal }: Context,
  client: Client,
  { file, size, query }: { readonly file: string; readonly size: number; readonly query: ImportQuery },
): Promise<Import> {
  const progress = createProgress(terminal, 'Sending');
  const source = createReadStream(file).pipe(counter((done) => progress.show(done, size, 'bytes')));
  try {
    return await client.request('POST', '/imports', {
      query,
      body: Readable.toWeb(source) as ReadableStream<Uint8Array>,
      contentType: 'application/octet-stream',
      timeoutMs: 0,
      signal,
    });
  } finally {
    progress.end();
  }
}

function counter(onBytes: (bytes: number) => void): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      onBytes(bytes);
      done(undefined, chunk);
    },
  });
}

async function follow(context: Context, client: Client, started: Import): Promise<Import> {
  const { terminal, signal } = context;
  const progress = createProgress(terminal, 'Importing');
  let record = started;
  try {
    while (record.state === 'queued' || record.state === 'running') {
      const { rows, rowsPerSecond, secondsLeft } = record;
      const left = secondsLeft === null ? '' : `, ${Math.ceil(secondsLeft)} s left`;
      progress.show(
        rows.done,
        rows.total || undefined,
        `rows, ${grouped(Math.round(rowsPerSecond))} per second${left}`,
      );
      await sleep(POLL_INTERVAL_MS, undefined, { signal });
      record = await client.request('GET', '/imports/{id}', { params: { id: record.id } });
    }
    return record;
  } catch (error) {
    if (signal.aborted) {
      const cleaner = await context.client({ cleansUp: true });
      await cleaner.request('POST', '/imports/{id}/cancel', { params: { id: record.id } });
    }
    throw error;
  } finally {
    progress.end();
  }
}

async function finish({ terminal, isJson }: Context, client: Client, record: Import): Promise<number> {
  const { rows, state } = record;
  const failures = rows.failed > 0 ? await rowsOf(client, record.id, 'failed', SHOWN_FAILURES) : [];
  const code = state === 'finished' && rows.failed === 0 ? 0 : EXIT.failed;
  if (isJson) {
    terminal.printJson({ ...record, failures });
    return code;
  }
  const verb = record.dryRun ? 'Would be' : 'Rows';
  terminal.print(
    `${verb}: ${grouped(rows.created)} created, ${grouped(rows.updated)} updated, ${grouped(rows.unchanged)} unchanged, ${grouped(rows.skipped)} skipped, ${grouped(rows.failed)} failed.`,
  );
  for (const { row, field, message } of failures) {
    terminal.print(`  row ${row}${field ? `, ${field}` : ''}: ${message}`);
  }
  if (rows.failed > failures.length) terminal.print(`  and ${grouped(rows.failed - failures.length)} more`);
  await printRemarks(terminal, client, record);
  if (state !== 'finished')
    terminal.note(`The import ${ENDS[state] ?? state}. ${record.error?.message ?? ''}`.trimEnd());
  return code;
}

async function rowsOf(client: Client, id: string, status: 'failed' | 'created', limit: number) {
  const page = await client.request('GET', '/imports/{id}/rows', {
    params: { id },
    query: { status, limit },
  });
  // Only `format=csv` answers with a text.
  return typeof page === 'string' ? [] : page.data;
}

/** Prints where applied rows differ from the original: the first remarks among the first rows. */
async function printRemarks(
  terminal: Context['terminal'],
  client: Client,
  { id, rows }: Import,
): Promise<void> {
  if (rows.created === 0) return;
  const created = await rowsOf(client, id, 'created', ROWS_WITH_REMARKS);
  const remarked = created.filter(({ message }) => message !== null && message !== '');
  if (remarked.length === 0) return;
  terminal.print(`Remarks, of the first ${grouped(created.length)} created rows:`);
  for (const { row, message } of remarked.slice(0, SHOWN_FAILURES))
    terminal.print(`  row ${row}: ${message}`);
  const left = remarked.length - SHOWN_FAILURES;
  if (left > 0) terminal.print(`  and ${grouped(left)} more (GET /imports/${id}/rows?status=created)`);
}

export const exportCommand: Command = {
  name: 'redirects export',
  about: 'Export all redirects.',
  arguments: [],
  options: {
    format: {
      value: 'FORMAT',
      choices: ['csv', 'ndjson', 'json'],
      about: 'Default: by the name of the file, or csv.',
    },
    output: { short: 'o', value: 'FILE', about: 'Default: stdout.' },
  },
  async run({ client, terminal, options, isJson, show }) {
    const output = options.text('output');
    const ofName = ['csv', 'ndjson', 'json'].find((name) => output?.endsWith(`.${name}`));
    const format = (options.text('format') ?? ofName ?? (isJson ? 'json' : 'csv')) as 'csv';
    const { body } = await (await client()).redirects.export({ format });
    if (body === null) throw new CommandError('The server sent no data.');
    const source = Readable.fromWeb(body as WebStream);
    if (output === undefined) {
      await pipeline(source, terminal.streams.stdout, { end: false });
      return;
    }
    const progress = createProgress(terminal, 'Receiving');
    // A file that is not complete must not have the name of one that is.
    const partial = `${path.resolve(output)}.part`;
    let bytes = 0;
    const count = counter((done) => {
      bytes = done;
      progress.show(done, undefined, 'bytes');
    });
    try {
      await pipeline(source, count, createWriteStream(partial));
      await rename(partial, output);
    } catch (error) {
      await rm(partial, { force: true });
      throw error instanceof WaymarkError
        ? error
        : new CommandError(`The export failed: ${(error as Error).message}`);
    } finally {
      progress.end();
    }
    show({ file: output, format, bytes }, `Exported ${grouped(bytes)} bytes to ${output}.`);
  },
};
