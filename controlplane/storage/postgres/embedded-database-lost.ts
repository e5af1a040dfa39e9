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

  /** @param waitsForRoom whether it may be whole: there is no room to open it, or nothing can be written */
  constructor(
    message: string,
    readonly waitsForRoom: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
