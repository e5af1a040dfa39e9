import type { AreaParts } from '../../area.js';
import { createBackgroundWork, type RoundWork } from '../../jobs/background-work.js';
import { conversionRepository } from './conversion-repository.js';

const ROUND_INTERVAL_MS = 10 * 60_000;
/** Ids per statement. */
const IDS_AT_ONCE = 5_000;
/** Rules whose conversions are erased together. The store rewrites its data for each such batch. */
const SETS_AT_ONCE = 500;

/** Erases conversions of deleted rules, and ids of conversions that the plan no longer keeps. */
export type ConversionUpkeep = RoundWork;

export function createConversionUpkeep({
  database,
  store,
  logger,
}: Pick<AreaParts, 'database' | 'store' | 'logger'>): ConversionUpkeep {
  async function allOf(deleteSome: () => Promise<number>): Promise<void> {
    while (!work.isStopping() && (await deleteSome()) === IDS_AT_ONCE);
  }

  async function runRound(): Promise<void> {
    const sets = await conversionRepository.leftSets(database, SETS_AT_ONCE);
    if (sets.length > 0) await conversionRepository.erase(store, sets);
    for (const { ruleId } of sets) {
      await allOf(() => conversionRepository.deleteIds(database, ruleId, IDS_AT_ONCE));
      if (work.isStopping()) return;
      await conversionRepository.deleteSet(database, ruleId);
    }
    await allOf(() => conversionRepository.deleteExpired(database, IDS_AT_ONCE));
  }

  const work = createBackgroundWork({
    intervalMs: ROUND_INTERVAL_MS,
    runRound,
    logger,
    failure: 'conversions of deleted rules could not be erased; trying again later',
  });
  return work;
}
