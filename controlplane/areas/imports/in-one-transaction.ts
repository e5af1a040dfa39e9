import { AppError } from '../../errors/app-error.js';
import type { RecordChange, RulesetOutbox } from '../../publishing/ruleset-outbox.js';
import type { Database, Queryable } from '../../storage/postgres/database.js';
import type { TableStatistics } from '../../storage/postgres/table-statistics.js';
import type { MergedEntry, MergePaths } from '../paths/public.js';
import type { OperationBatches } from '../redirects/public.js';
import { applyRows, prepareRows, unread } from './apply-rows.js';
import { type Import, type ImportKind, ROWS_PER_PART } from './import.js';
import { decodeRows, type FileRow, noted, type RowOutcome } from './import-part.js';
import { importRepository } from './import-repository.js';
import { finishImport, type ImportWork, type Turn } from './import-turn.js';

export interface InOneTransactionDeps {
  readonly database: Database;
  readonly outbox: RulesetOutbox;
  readonly batches: OperationBatches;
  readonly mergePaths: MergePaths;
  /** Statistics of the tables that each kind of import writes. */
  readonly statistics: Readonly<Record<ImportKind, TableStatistics>>;
}

const NOT_APPLIED: RowOutcome = {
  status: 'skipped',
  message: 'The row is fine. It was not applied, because other rows failed.',
};

/** Thrown to roll back rows after their outcomes are known. */
class NotApplied extends Error {
  constructor(readonly outcomes: readonly RowOutcome[]) {
    super('nothing is changed');
  }
}

/** Applies a whole file in one transaction: a table of paths, or redirects with the mode `all_or_nothing`. */
export function createInOneTransaction(deps: InOneTransactionDeps): ImportWork {
  const { database, outbox, batches, mergePaths, statistics } = deps;

  async function applyRedirects(
    tx: Queryable,
    record: RecordChange,
    rows: readonly FileRow[],
    { onExisting }: Import,
    { user, signal }: Turn,
  ): Promise<RowOutcome[]> {
    const outcomes: RowOutcome[] = [];
    for (let at = 0; at < rows.length; at += ROWS_PER_PART) {
      const some = rows.slice(at, at + ROWS_PER_PART);
      const prepared = prepareRows(batches, some);
      outcomes.push(...(await applyRows(batches, prepared, { tx, record, user, onExisting }, signal)));
    }
    return outcomes;
  }

  async function applyPaths(
    tx: Queryable,
    record: RecordChange,
    rows: readonly FileRow[],
    { redirectId, collapse }: { readonly redirectId: string; readonly collapse: boolean },
    { user }: Turn,
  ): Promise<RowOutcome[]> {
    const values = rows.flatMap((row) => (row.status === 'read' ? [row.value] : []));
    const merged = (await mergePaths(tx, record, user, { redirectId, values, collapse })).values();
    return rows.map((row) =>
      row.status === 'read' ? noted(outcomeOf(merged.next().value), row) : unread(row),
    );
  }

  /** Stores the outcomes of all rows, and ends the import. */
  async function report(
    tx: Queryable,
    one: Import,
    outcomes: readonly RowOutcome[],
    turn: Turn,
  ): Promise<void> {
    for (let at = 0; at < outcomes.length; at += ROWS_PER_PART) {
      await importRepository.finishPart(
        tx,
        one.id,
        at / ROWS_PER_PART,
        outcomes.slice(at, at + ROWS_PER_PART),
      );
    }
    const failed = outcomes.filter(({ status }) => status === 'failed').length;
    const isRefused = one.mode === 'all_or_nothing' && failed > 0 && !one.dryRun;
    const refusal = isRefused ? rejected(failed, one.total) : null;
    await finishImport(tx, one.id, turn.claimant, isRefused ? 'failed' : 'finished', refusal);
  }

  return async (one, turn) => {
    const rows = await readAll(one.id);
    try {
      await outbox.commit(async (tx, record) => {
        if (one.kind === 'redirects') await batches.lock(tx);
        const outcomes =
          one.redirectId === null
            ? await applyRedirects(tx, record, rows, one, turn)
            : await applyPaths(
                tx,
                record,
                rows,
                { redirectId: one.redirectId, collapse: one.collapse },
                turn,
              );
        turn.signal.throwIfAborted();
        const isWanted = one.mode === 'best_effort' || outcomes.every(({ status }) => status !== 'failed');
        if (one.dryRun || !isWanted) throw new NotApplied(outcomes);
        // From here on, the import cannot be canceled.
        if ((await importRepository.hold(tx, one.id, turn.claimant)) === undefined) throw new NotApplied([]);
        await report(tx, one, outcomes, turn);
      });
      await statistics[one.kind].noteNewRows(rows.length);
    } catch (error) {
      if (!(error instanceof NotApplied)) throw error;
      const { outcomes } = error;
      await database.transaction(async (tx) => {
        if ((await importRepository.hold(tx, one.id, turn.claimant)) === undefined) return;
        await report(tx, one, one.dryRun ? outcomes : outcomes.map(notApplied), turn);
      });
    }
  };

  async function readAll(id: string): Promise<FileRow[]> {
    const rows: FileRow[] = [];
    for (let position = 0; ; position += 1) {
      const [part] = await importRepository.partsFrom(database, id, position, 1);
      if (part === undefined) return rows;
      rows.push(...(await decodeRows(part.content)));
    }
  }
}

function notApplied(outcome: RowOutcome): RowOutcome {
  return outcome.status === 'failed' || outcome.status === 'skipped' ? outcome : NOT_APPLIED;
}

function outcomeOf(merged: MergedEntry | undefined): RowOutcome {
  if (merged === undefined) throw new Error('an entry has no outcome');
  const { status, error, message: remark } = merged;
  if (error === undefined) return { status, ...(remark !== undefined && { message: remark }) };
  return { status, message: error.message, ...(error.field !== undefined && { field: error.field }) };
}

function rejected(failed: number, total: number) {
  const { code, message } = new AppError('BULK_REJECTED', {
    message: `${failed} of ${total} rows failed, and nothing was changed. GET /imports/{id}/rows?status=failed says which and why.`,
  });
  return { code, message };
}
