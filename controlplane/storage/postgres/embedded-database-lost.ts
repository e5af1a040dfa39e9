import { ConfigError } from '../../../shared/config/environment.js';

/**
 * What to do where there is no usable embedded database: make one, also in place of a damaged one, which is put aside
 * (`replace`); make one only where there is none (`create`); or neither, because redirects are served that a new one
 * would not hold (`refuse`).
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
