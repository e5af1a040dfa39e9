/** Values for `{name:Type}` placeholders; lists of lists are for `Array(Tuple(…))`. */
export type QueryParams = Readonly<
  Record<string, string | number | readonly string[] | readonly number[] | readonly (readonly string[])[]>
>;

export interface QueryLimits {
  /**
   * Maximum wait for the answer, including the queue. After it, a running statement is cancelled and a waiting one
   * never starts. Default: 30 seconds after the queue. The client never waits for a server's answer for more than 35
   * seconds.
   */
  readonly withinMs?: number;
  /** Whether it waits for its turn even when the queue is full. */
  readonly isBackground?: boolean;
  /** Whether it belongs to the insertion of hits. It then never waits for questions. */
  readonly isIngestion?: boolean;
  /** Whether it continues an earlier statement. It then begins before the other statements of its owner that wait. */
  readonly continues?: boolean;
  /** Owner of the statement. Owners take turns. Default: the product itself. */
  readonly owner?: string | undefined;
  /** Aborted when the caller no longer waits for the answer. The statement is then ended, or never begins. */
  readonly signal?: AbortSignal | undefined;
}

export interface RowInsert {
  readonly table: string;
  readonly columns: readonly string[];
  /**
   * Lines in the format JSONCompactEachRow, with values in the order of `columns`; or a block, which takes a tenth of
   * the time.
   */
  readonly rows: string | NativeRows;
  /**
   * Identifies the insert. Within the table's window, only the first of several inserts with the same token is
   * stored. If there is no token, this applies to inserts of equal rows.
   */
  readonly deduplicationToken?: string;
}

/** Rows as a block of the Native format, with the names and types of its columns in it. */
export interface NativeRows {
  readonly block: Uint8Array;
  /** The block compressed by Brotli, for a remote store. */
  readonly compressed?: Uint8Array;
}

/**
 * ClickHouse, as a server or embedded; both take the same SQL. All its errors are `AnalyticsStoreError`. Callers
 * repeat failed calls.
 */
export interface AnalyticsStore {
  readonly kind: 'embedded' | 'server';
  /**
   * Runs one SELECT, bounded in time, memory and threads, and returns its rows. 64-bit integers are returned as
   * numbers, because ours stay below 2^53. The statement must have neither SETTINGS nor FORMAT.
   */
  query<Row extends object>(sql: string, params?: QueryParams, limits?: QueryLimits): Promise<Row[]>;
  /** Runs one SELECT as `query` does. Returns its rows unparsed: one JSON object per line, in UTF-8. */
  queryLines(sql: string, params?: QueryParams, limits?: QueryLimits): Promise<Buffer>;
  /** Runs one SELECT as `query` does. Returns its rows as blocks of the Native format, which hold columns. */
  queryBlocks(sql: string, params?: QueryParams, limits?: QueryLimits): Promise<Buffer>;
  /** Resolves once the rows are in the table. */
  insertRows(insert: RowInsert): Promise<void>;
  /** Runs one statement without a result. */
  command(sql: string, params?: QueryParams): Promise<void>;
  /** Resolves when the store answers, rejects when it does not. */
  ping(): Promise<void>;
  /**
   * Gives running statements of the embedded store a second, then ends them. Resolves when none runs, because the
   * engine crashes if it is closed during a statement.
   */
  close(): Promise<void>;
}
