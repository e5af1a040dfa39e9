import pg from 'pg';
import { codeOf } from '../../../shared/process/error-facts.js';
import type { Queryable } from './database.js';
import { asDatabaseError, DatabaseUnavailableError } from './database-unavailable.js';
import {
  type PipelinedStatement,
  PipelinedStatements,
  SkippedStatementError,
} from './pipelined-statements.js';

/** PostgreSQL's code of a statement after another one of the transaction has failed. */
const FAILED_BEFORE = '25P02';
/**
 * Makes PostgreSQL use one plan for all parameters. By default it makes a new plan as long as it estimates a lower cost
 * for that. It would do so for each short list of hosts, and planning takes longer than the statement.
 */
const KEEP_PLANS = 'SET LOCAL plan_cache_mode = force_generic_plan';

const planNames = new Map<string, string>();

/** The name of the prepared statement for `sql`. Statements are constants of the program, so there are few. */
function planName(sql: string): string {
  const known = planNames.get(sql);
  if (known !== undefined) return known;
  const name = `plan_${planNames.size}`;
  planNames.set(sql, name);
  return name;
}

/** A transaction that sends the statements of one event-loop turn as a group. It sends one group after the other. */
export interface PipelinedTransaction extends Required<Queryable> {
  /** Whether PostgreSQL has received a statement. */
  readonly hasBegun: boolean;
  /** Whether answers are missing. The state of the connection is then unknown. */
  readonly isLost: boolean;
  /**
   * Commits, unless there was no statement. Later statements fail.
   *
   * @throws the error of a statement whose result was not awaited
   */
  commit(): Promise<void>;
  /** Rejects all statements that were not sent yet. None of them must follow a ROLLBACK. */
  end(): void;
}

export interface PipelineOptions {
  readonly isolation: string;
  readonly keepsPlans: boolean;
  readonly types: pg.CustomTypesConfig;
}

/** Begins a transaction on a connection. BEGIN is sent with the first statement. */
export function beginPipelined(client: pg.ClientBase, options: PipelineOptions): PipelinedTransaction {
  const { isolation, keepsPlans, types } = options;
  let waiting: PipelinedStatement[] = [];
  /** Whether somebody waits for the rows of a waiting statement. */
  let isDue = false;
  let isSending = false;
  let hasBegun = false;
  let isEmpty = true;
  let isEnded = false;
  let isLost = false;
  let failure: unknown;

  function sendAll(): void {
    const statements = waiting;
    waiting = [];
    isDue = false;
    if (statements.length === 0) {
      isSending = false;
      return;
    }
    hasBegun = true;
    const onEnd = () => {
      isSending = false;
      sendSoon();
    };
    client.query(new PipelinedStatements(statements, types, onEnd));
  }

  function sendSoon(): void {
    if (!isDue || isSending) return;
    isSending = true;
    process.nextTick(sendAll);
  }

  /** Returns the first error of the transaction. Later errors do not name the cause. */
  function firstFailure(error: unknown, errorOf: (error: unknown) => unknown): unknown {
    const isLater =
      error instanceof SkippedStatementError || (error instanceof Error && codeOf(error) === FAILED_BEFORE);
    if (isLater && failure !== undefined) return failure;
    const cause = asDatabaseError(error);
    isLost ||= cause instanceof DatabaseUnavailableError && !(error instanceof pg.DatabaseError);
    failure = errorOf(cause);
    return failure;
  }

  function add<Row extends object>(
    sql: string,
    params: readonly unknown[] = [],
    errorOf: (error: unknown) => unknown = (error) => error,
  ): Promise<Row[]> {
    if (isEnded) return Promise.reject(new Error('the transaction has ended'));
    return new Promise((resolve, reject) => {
      const name = keepsPlans ? planName(sql) : undefined;
      waiting.push({
        ...{ sql, params, name },
        resolve: (rows) => resolve(rows as Row[]),
        reject: (error) => reject(firstFailure(error, errorOf)),
      });
    });
  }

  const tx: PipelinedTransaction = {
    get hasBegun() {
      return hasBegun;
    },
    get isLost() {
      return isLost;
    },
    query<Row extends object>(sql: string, params?: readonly unknown[]) {
      isEmpty = false;
      const rows = add<Row>(sql, params);
      // A caller that fails by another statement does not wait for this one any more.
      rows.catch(() => undefined);
      isDue = true;
      sendSoon();
      return rows;
    },
    send(sql, params, errorOf) {
      isEmpty = false;
      // The next statement fails with the same error.
      add(sql, params, errorOf).catch(() => undefined);
    },
    async commit() {
      const committed = isEmpty ? undefined : tx.query('COMMIT');
      isEnded = true;
      await committed;
    },
    end() {
      isEnded = true;
      const dropped = waiting;
      waiting = [];
      for (const { reject } of dropped) reject(new SkippedStatementError('the transaction has ended'));
    },
  };
  tx.send(`BEGIN ISOLATION LEVEL ${isolation}`);
  if (keepsPlans) tx.send(KEEP_PLANS);
  isEmpty = true;
  return tx;
}
