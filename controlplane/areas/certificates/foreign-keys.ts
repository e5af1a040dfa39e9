import type { AreaParts } from '../../area.js';
import type { BackgroundWork } from '../../jobs/background-work.js';
import { certificateQueue } from './certificate-queue.js';
import type { SealingKeys } from './sealing-keys.js';
import { setAsideRepository } from './set-aside-repository.js';

/** Time for an operator to correct SECRET_KEY, before certificates that it cannot decrypt are ordered again. */
const GRACE_MS = 3_600_000;

export interface ForeignKeysDeps extends Pick<AreaParts, 'database' | 'outbox' | 'logger'> {
  readonly keys: SealingKeys;
  /** Default: an hour. */
  readonly graceMs?: number | undefined;
}

/**
 * Handles certificates that another SECRET_KEY encrypted. None of their data is deleted, because the key may be wrong
 * by mistake. Ordered certificates are ordered again after a grace period. A start with the right key uses the former
 * ones again.
 */
export interface ForeignKeys extends BackgroundWork {
  /** Seconds until such certificates are ordered again. */
  graceSeconds(): number;
}

export function createForeignKeys(deps: ForeignKeysDeps): ForeignKeys {
  const { database, outbox, keys, logger, graceMs = GRACE_MS } = deps;
  const graceEndsMs = performance.now() + graceMs;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isStopping = false;

  async function restore(): Promise<void> {
    for (let count = -1; count !== 0 && !isStopping; ) {
      count = await outbox.commit(async (tx, record) => {
        const hosts = await setAsideRepository.restore(tx, keys.knownKeyIds);
        for (const host of hosts) record(host);
        return hosts.length;
      });
      if (count > 0) logger.info({ count }, 'certificates of this SECRET_KEY are used again');
    }
  }

  async function begin(): Promise<void> {
    await restore();
    const count = await setAsideRepository.countUnreadable(database, keys.knownKeyIds);
    if (count === 0 || isStopping) return;
    logger.error(
      { count },
      'certificates cannot be decrypted: another SECRET_KEY encrypted them. Start with that key, or name it in SECRET_KEY_PREVIOUS. Otherwise certificates that were ordered are ordered anew in an hour, and uploaded ones must be uploaded again.',
    );
    timer = setTimeout(() => run(orderAnew), Math.max(0, graceEndsMs - performance.now()));
    timer.unref();
  }

  const orderAnew = () => certificateQueue.makeUnreadableDue(database, keys.knownKeyIds);

  function run(work: () => Promise<void>): void {
    running = work().catch((error: unknown) => {
      logger.warn({ err: error }, 'certificates of another SECRET_KEY could not be looked for');
    });
  }

  return {
    graceSeconds: () => Math.max(0, (graceEndsMs - performance.now()) / 1_000),
    start: () => run(begin),
    async stop() {
      isStopping = true;
      clearTimeout(timer);
      await running;
    },
  };
}
