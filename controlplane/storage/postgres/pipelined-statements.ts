import pg from 'pg';

/** One of several statements that are sent together. */
export interface PipelinedStatement {
  readonly sql: string;
  readonly params: readonly unknown[];
  /** Name of the prepared statement, whose plan the connection keeps. Undefined: PostgreSQL plans it each time. */
  readonly name: string | undefined;
  readonly resolve: (rows: object[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Connection of the driver, with the texts of its prepared statements, and of those that are being prepared, by name. */
type Connection = pg.Connection & {
  readonly stream: { cork(): void; uncork(): void };
  readonly parsedStatements: Record<string, string>;
  readonly submittedNamedStatements: Record<string, string>;
};

/** The protocol's part of a query of the driver. */
interface DriverQuery {
  readonly name?: string | undefined;
  readonly text: string;
  prepare(connection: pg.Connection): void;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: pg.Connection): void;
  handleReadyForQuery(connection: pg.Connection): void;
}

const newQuery = pg.Query as unknown as new (
  config: pg.QueryConfig,
  callback: (error: Error | null, result: pg.QueryResult) => void,
) => DriverQuery;

/** Error of the statements after one that has failed. PostgreSQL does not execute them. */
export class SkippedStatementError extends Error {
  override name = 'SkippedStatementError';
}

const SKIPPED = 'an earlier statement of the transaction has failed';

/**
 * Sends statements to PostgreSQL in one packet, with one Sync at the end: a pipeline, see
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING. After an error, PostgreSQL skips
 * the others. So a COMMIT is executed only after everything before it. The driver calls the members of this class as if
 * it were one of its own queries.
 */
export class PipelinedStatements {
  /** The driver wraps it to bound the time until the answer. */
  callback: (error?: Error) => void;
  readonly #statements: readonly PipelinedStatement[];
  readonly #queries: readonly DriverQuery[];
  /** Index of the statement whose answer comes next. */
  #at = 0;
  /** Whether a parameter could not be sent. */
  #isRefused = false;

  /** @param onEnd called once all statements have succeeded or failed */
  constructor(statements: readonly PipelinedStatement[], types: pg.CustomTypesConfig, onEnd: () => void) {
    this.#statements = statements;
    this.callback = onEnd;
    this.#queries = statements.map(({ sql, params, name, resolve, reject }) => {
      const config = { text: sql, values: [...params], types, queryMode: 'extended', ...(name && { name }) };
      return new newQuery(config, (error, result) => {
        if (error !== null) {
          this.#isRefused = true;
          return reject(error);
        }
        // PostgreSQL answers COMMIT with ROLLBACK if a statement before has failed.
        const isRolledBack = sql === 'COMMIT' && result.command === 'ROLLBACK';
        if (isRolledBack) reject(new SkippedStatementError(SKIPPED));
        else resolve(result.rows);
      });
    });
  }

  /** Name and text of the statement whose answer comes next. By them the driver notes which statements the connection knows. */
  get name(): string | undefined {
    return this.#queries[this.#at]?.name;
  }
  get text(): string | undefined {
    return this.#queries[this.#at]?.text;
  }

  submit(given: pg.Connection): void {
    const connection = given as Connection;
    // Each query of the driver ends with a Sync.
    const withoutSync = Object.create(connection, { sync: { value: () => undefined } });
    connection.stream.cork();
    try {
      for (const query of this.#queries) if (!this.#isRefused) query.prepare(withoutSync);
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
  }

  handleRowDescription(message: unknown): void {
    this.#queries[this.#at]?.handleRowDescription(message);
  }

  handleDataRow(message: unknown): void {
    this.#queries[this.#at]?.handleDataRow(message);
  }

  handleCommandComplete(message: unknown, connection: Connection): void {
    const query = this.#queries[this.#at];
    query?.handleCommandComplete(message, connection);
    query?.handleReadyForQuery(connection);
    this.#at += 1;
  }

  handleEmptyQuery(connection: Connection): void {
    this.#queries[this.#at]?.handleReadyForQuery(connection);
    this.#at += 1;
  }

  handlePortalSuspended(): void {}

  handleError(error: Error, connection: Connection): void {
    this.#statements[this.#at]?.reject(error);
    this.#end(connection);
  }

  handleReadyForQuery(connection: Connection): void {
    // The driver closes a statement whose parameters cannot be sent.
    const { name } = this.#queries[this.#at] ?? {};
    if (name !== undefined) delete connection.parsedStatements[name];
    this.#end(connection);
  }

  /** Fails the statements without an answer. The connection has not prepared them, so their names are removed. */
  #end(connection: Connection): void {
    const skipped = new SkippedStatementError(SKIPPED);
    for (let at = this.#at; at < this.#queries.length; at += 1) {
      const { name } = this.#queries[at] ?? {};
      if (name !== undefined) delete connection.submittedNamedStatements[name];
      this.#statements[at]?.reject(skipped);
    }
    this.#at = this.#queries.length;
    this.callback();
  }
}
