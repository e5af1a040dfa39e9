import type { Logger } from 'pino';
import type { SecretKeyConfig } from '../../shared/config/secret-key.js';

/**
 * Warns of a generated key in DATA_DIR. Such a key is enough for one machine. If several machines have different keys,
 * the only symptom is wrong figures.
 */
export function warnOfOwnKey({ secretKey, dataDir }: SecretKeyConfig, logger: Logger): void {
  if (secretKey !== undefined) return;
  logger.warn(
    { dataDir },
    'SECRET_KEY is not set, so the key in DATA_DIR is used: give all roles the same SECRET_KEY, else a visitor counts once per key, control planes cannot read what others have kept, and no data plane gets rulesets over HTTP',
  );
}
