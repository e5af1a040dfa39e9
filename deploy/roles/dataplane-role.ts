import { processEnvironment } from '../../shared/config/process-environment.js';
import { parseDataplaneRoleConfig } from '../../shared/config/role-config.js';
import { reachableUrl } from '../../shared/process/reachable-url.js';
import { lockDataDir } from '../process/data-dir-lock.js';
import { poolEndAfter } from '../process/pool-end.js';
import type { RollRequests } from '../process/rolling-restart.js';
import { runProcess } from '../process/run-process.js';
import { createWorkerPool } from '../workers/worker-pool.js';
import { warnOfOwnKey } from './own-key-warning.js';

/** Data planes on one port of one machine, with rulesets from Redis and hits to Kafka. */
export async function runDataplaneRole(rolls: RollRequests): Promise<void> {
  await runProcess({
    name: 'waymark-dataplane',
    configure: () => parseDataplaneRoleConfig(processEnvironment()),
    async start({ config, logger, shutdown }) {
      warnOfOwnKey(config, logger);
      const { signal } = shutdown;
      const lock = await lockDataDir(config.dataDir, { say: (line) => logger.info(line), signal });
      shutdown.add(() => lock.release());
      signal.throwIfAborted();
      let isWhole = false;
      const pool = createWorkerPool({
        config,
        logger,
        signal,
        leaving: shutdown.leaving,
        poolEnd: () => poolEndAfter(shutdown.cause, isWhole, config.handoverMs),
      });
      shutdown.add(() => pool.stop());
      const { redirectAddress, tlsAddress, adminAddress } = await pool.start();
      const https = tlsAddress ? `\n  HTTPS            ${reachableUrl(tlsAddress, 'https')}` : '';
      isWhole = true;
      pool.takeOver();
      rolls.serveWith(pool);
      return `Waymark data plane is running.

  Redirects        ${reachableUrl(redirectAddress)}${https}
  Health, metrics  ${reachableUrl(adminAddress)}
`;
    },
  });
}
