import type { Logger } from 'pino';
import type { SecretKeyConfig } from '../../shared/config/secret-key.js';

/**
 * A key that was created in DATA_DIR is enough for one machine. If other machines have other keys, only wrong figures
 * show it.
 */
export function warnOfOwnKey({ secretKey, dataDir }: SecretKeyConfig, logger: Logger): void {
  if (secretKey !== undefined) return;
  logger.warn(
    { dataDir },
    'SECRET_KEY is not set, so the key in DATA_DIR is used: give all roles the same SECRET_KEY, else a visitor counts once per key, control planes cannot read what others have kept, and no data plane gets rulesets over HTTP',
  );
}
