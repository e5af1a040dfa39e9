import { ConfigError } from '../../../shared/config/environment.js';

/**
 * Reaction if there is no usable embedded database. `replace` creates one and puts a damaged one aside. `create`
 * creates one only if there is none. `refuse` does neither, because redirects are served that a new database would
 * lack.
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
