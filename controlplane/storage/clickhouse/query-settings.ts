type Settings = Readonly<Record<string, string | number>>;

/** Default time limit of a statement. */
const MAX_QUERY_SECONDS = 30;
const GIB = 1024 ** 3;

/** Timeout of the client. Longer than the server's limit, so that the server's error arrives first. */
export const REQUEST_TIMEOUT_MS = (MAX_QUERY_SECONDS + 5) * 1000;

const READ: Settings = {
  output_format_json_quote_64bit_integers: 0,
  // Grouping millions of different texts continues on disk when memory is used up.
  max_bytes_before_external_group_by: GIB / 4,
};

const READ_OF_KIND = {
  embedded: { max_memory_usage: 1 * GIB },
  server: { max_memory_usage: 4 * GIB },
} as const satisfies Record<string, Settings>;

export interface ReadBounds {
  /** Maximum duration; 1 or more, because the engine takes 0 as no limit. Default: 30 seconds. */
  readonly limitMs?: number | undefined;
  /** Default: as many as the server likes. */
  readonly maxThreads?: number | undefined;
  /** Names the statement for `KILL QUERY`. */
  readonly tag?: string | undefined;
}

/**
 * Returns the bounds of a SELECT as a clause. Settings are part of the statement, because the embedded store would
 * keep other settings for all later statements.
 */
export function readSettings(
  kind: 'embedded' | 'server',
  { limitMs = MAX_QUERY_SECONDS * 1000, maxThreads, tag }: ReadBounds,
): string {
  return settingsClause({
    max_execution_time: limitMs / 1000,
    ...READ,
    ...READ_OF_KIND[kind],
    ...(maxThreads !== undefined && { max_threads: maxThreads }),
    ...(tag !== undefined && { log_comment: tag }),
  });
}

/** Settings of a synchronous insert. ClickHouse inserts once per token, or without a token once for equal rows. */
export function insertSettings(deduplicationToken: string | undefined): string {
  return settingsClause({
    async_insert: 0,
    insert_deduplicate: 1,
    ...(deduplicationToken !== undefined && { insert_deduplication_token: deduplicationToken }),
    max_execution_time: MAX_QUERY_SECONDS,
    // An insert fails if its block has a column that the table lacks.
    input_format_skip_unknown_fields: 0,
  });
}

function settingsClause(settings: Settings): string {
  const assignments = Object.entries(settings).map(([name, value]) => `${name} = ${literal(value)}`);
  return `SETTINGS ${assignments.join(', ')}`;
}

/** Returns a number or a text as SQL. */
export function literal(value: string | number): string {
  if (typeof value === 'number') return String(value);
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
