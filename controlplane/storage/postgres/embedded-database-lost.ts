import { ConfigError } from '../../../shared/config/environment.js';

/**
 * Reaction to a missing or damaged embedded database. `replace` renames a damaged one and creates a new one. `create`
 * creates one only if it is missing. `refuse` does neither, because a new database would lack redirects that are
 * served.
 */
export type WhenUnusable = 'replace' | 'create' | 'refuse';

/** The embedded PostgreSQL cannot be used, and must not be replaced by an empty one unasked. */
export class EmbeddedDatabaseLost extends ConfigError {
  override name = 'EmbeddedDatabaseLost';

  /** @param waitsForRoom whether the database may be intact, and only the disk is full or not writable */
  constructor(
    message: string,
    readonly waitsForRoom: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
