import type { Committed, RulesetOutbox } from '../../publishing/ruleset-outbox.js';
import type { Database } from '../../storage/postgres/database.js';
import type { TableStatistics } from '../../storage/postgres/table-statistics.js';
import type { OperationBatches } from '../redirects/public.js';
import { applyRows, type PreparedRows, prepareRows } from './apply-rows.js';
import type { Import } from './import.js';
import { decodeRows, type RowOutcome } from './import-part.js';
import { importRepository } from './import-repository.js';
import { finishImport, type ImportWork, type Turn } from './import-turn.js';

/** Parts of a dry run that are checked together. A row is compared only with earlier rows of these parts. */
const DRY_PARTS = 20;

export interface PartByPartDeps {
  readonly database: Database;
  readonly outbox: RulesetOutbox;
  readonly batches: OperationBatches;
  readonly statistics: TableStatistics;
}

interface ReadPart extends PreparedRows {
  readonly position: number;
}

/** Thrown to roll back a dry run after its outcomes are known. */
class DryRun extends Error {
  constructor(readonly outcomes: readonly (readonly RowOutcome[])[]) {
    super('nothing is changed');
  }
}

/** Applies the redirects of a file, a part per transaction, until the turn or the import ends. */
export function createPartByPart(deps: PartByPartDeps): ImportWork {
  const { database, outbox, batches, statistics } = deps;

  async function readParts(id: string, position: number, count: number): Promise<ReadPart[]> {
    const parts = await importRepository.partsFrom(database, id, position, count);
    return Promise.all(
      parts.map(async ({ position, content }) => ({
        position,
        ...prepareRows(batches, await decodeRows(content)),
      })),
    );
  }

  /**
   * Applies a part and stores the outcomes in the same transaction. Resolves to whether this process still has the
   * claim.
   */
  function apply(one: Import, part: ReadPart, { claimant, user, signal }: Turn): Promise<Committed<boolean>> {
    return outbox.commitAhead(async (tx, record) => {
      await batches.lock(tx);
      const held = await importRepository.hold(tx, one.id, claimant);
      if (held?.nextPosition !== part.position) return false;
      const outcomes = await applyRows(
        batches,
        part,
        { tx, record, user, onExisting: one.onExisting },
        signal,
      );
      await importRepository.finishPart(tx, one.id, part.position, outcomes);
      return true;
    });
  }

  /** Computes the outcomes that parts would have, and stores them. */
  async function tryOut(one: Import, parts: readonly ReadPart[], turn: Turn): Promise<Committed<boolean>> {
    const outcomes = await outcomesOf(one, parts, turn);
    const value = await database.transaction(async (tx) => {
      const held = await importRepository.hold(tx, one.id, turn.claimant);
      if (held?.nextPosition !== parts[0]?.position) return false;
      for (const [at, { position }] of parts.entries()) {
        await importRepository.finishPart(tx, one.id, position, outcomes[at] ?? []);
      }
      return true;
    });
    return { value, carried: Promise.resolve() };
  }

  async function outcomesOf(
    { onExisting }: Import,
    parts: readonly ReadPart[],
    { user, signal }: Turn,
  ): Promise<readonly (readonly RowOutcome[])[]> {
    try {
      return await database.transaction(async (tx) => {
        await batches.lock(tx);
        const outcomes: (readonly RowOutcome[])[] = [];
        const context = { tx, record: () => undefined, user, onExisting };
        for (const part of parts) outcomes.push(await applyRows(batches, part, context, signal));
        throw new DryRun(outcomes);
      });
    } catch (error) {
      if (error instanceof DryRun) return error.outcomes;
      throw error;
    }
  }

  return async (one, turn) => {
    const count = one.dryRun ? DRY_PARTS : 1;
    let position = one.nextPosition;
    let next = readParts(one.id, position, count);
    let carried: Promise<void> = Promise.resolve();
    do {
      const parts = await next;
      const [first] = parts;
      if (first === undefined) {
        await carried;
        return database.transaction((tx) => finishImport(tx, one.id, turn.claimant, 'finished'));
      }
      position += parts.length;
      // The database works on a part while this process reads the next one.
      next = readParts(one.id, position, count);
      next.catch(() => undefined);
      const done = one.dryRun ? await tryOut(one, parts, turn) : await apply(one, first, turn);
      // Data planes get a part while the next one is applied, and are at most one part behind.
      await carried;
      carried = done.carried;
      if (!done.value) return;
      if (!one.dryRun) await statistics.noteNewRows(first.operations.length);
    } while (Date.now() < turn.untilMs && !turn.signal.aborted);
    await carried;
  };
}
