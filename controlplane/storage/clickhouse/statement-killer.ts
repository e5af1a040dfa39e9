import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClickHouseClient } from '@clickhouse/client';

/** Interval of attempts. The first one misses a statement that is about to begin. */
const KILL_INTERVAL_MS = 200;
/** Maximum attempts for one statement. A server may be away, and ends statements after their time limit. */
const MAX_ATTEMPTS = 20;

/** Ends statements whose callers have left. */
export interface StatementKiller {
  /**
   * Runs a statement with a tag, its setting `log_comment`, and ends it when the signal is aborted.
   *
   * @param statement settles when the store has finished it
   */
  during<Result>(
    signal: AbortSignal | undefined,
    statement: (tag: string | undefined) => Promise<Result>,
  ): Promise<Result>;
  /** Resolves when no attempt is under way. None follows. */
  close(): Promise<void>;
}

/** @param kill ends the running statements with one of these tags */
export function createStatementKiller(kill: (tags: readonly string[]) => Promise<void>): StatementKiller {
  const prefix = randomUUID();
  const attempts = new Map<string, number>();
  let statements = 0;
  let isClosed = false;
  let killing: Promise<void> | undefined;

  async function killAll(): Promise<void> {
    while (attempts.size > 0 && !isClosed) {
      // A statement that could not be ended is tried again.
      await kill([...attempts.keys()]).catch(() => undefined);
      for (const [tag, made] of attempts) {
        if (made + 1 >= MAX_ATTEMPTS) attempts.delete(tag);
        else attempts.set(tag, made + 1);
      }
      await delay(KILL_INTERVAL_MS, undefined, { ref: false });
    }
    killing = undefined;
  }

  return {
    async during(signal, statement) {
      if (signal === undefined) return statement(undefined);
      statements += 1;
      const tag = `${prefix}-${statements}`;
      const begin = () => {
        attempts.set(tag, 0);
        killing ??= killAll();
      };
      signal.addEventListener('abort', begin, { once: true });
      try {
        return await statement(tag);
      } finally {
        signal.removeEventListener('abort', begin);
        attempts.delete(tag);
      }
    },
    async close() {
      isClosed = true;
      await killing;
    },
  };
}

/** Ends the running statements of this user with these tags. */
export async function killTagged(client: ClickHouseClient, tags: readonly string[]): Promise<void> {
  await client.command({
    query: "KILL QUERY WHERE Settings['log_comment'] IN {tags:Array(String)} ASYNC",
    query_params: { tags },
  });
}
