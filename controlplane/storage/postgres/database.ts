/** A target of SQL: the database itself or a transaction. */
export interface Queryable {
  /**
   * Runs one statement with `$1`-style parameters and returns its rows. `bigint` columns come back as numbers,
   * timestamps as `Date`, `jsonb` as parsed values, `bytea` as `Buffer`.
   */
  query<Row extends object>(sql: string, params?: readonly unknown[]): Promise<Row[]>;
  /**
   * Sends one statement together with the next one, or with COMMIT, in the same round trip. Its error is thrown there.
   * Absent outside transactions.
   *
   * @param errorOf replaces the error
   */
  send?(sql: string, params?: readonly unknown[], errorOf?: (error: unknown) => unknown): void;
}

/**
 * Runs a statement whose rows are not needed. Sends it together with the next statement of the transaction if possible.
 */
export async function sendLater(tx: Queryable, sql: string, params?: readonly unknown[]): Promise<void> {
  if (tx.send === undefined) await tx.query(sql, params);
  else tx.send(sql, params);
}

/**
 * PostgreSQL, as a server or embedded; both speak the same SQL. Only this folder knows which one it is.
 */
export interface Database extends Queryable {
  readonly kind: 'embedded' | 'server';
  /** Runs `work` in one transaction: committed when it resolves, rolled back when it throws. */
  transaction<T>(work: (tx: Queryable) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Runs `work` on one connection without time limits, outside the pool. For migrations. The embedded database has one
   * connection only, so its sessions run one after another.
   */
  session<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  /** Runs a script of several statements without parameters. */
  script(sql: string): Promise<void>;
  /**
   * Resolves when the database answers and can be written to.
   *
   * @throws {DatabaseReadOnlyError} when a server can only be read
   */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** One connection. Its statements outside `transaction` commit by themselves. */
export interface Connection extends Queryable {
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
}

export interface TransactionOptions {
  /** `repeatable read` gives every statement of the transaction the same view. Default: `read committed`. */
  readonly isolation?: 'read committed' | 'repeatable read';
  /** Whether the plans of the statements are kept for later transactions of the connection. Default: no. */
  readonly keepsPlans?: boolean;
  /** Whether `work` only reads. Its result is returned before the transaction has ended. Default: no. */
  readonly onlyReads?: boolean;
}
