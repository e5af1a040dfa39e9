import { createControlplane } from '../../controlplane/controlplane.js';
import { processEnvironment } from '../../shared/config/process-environment.js';
import { parseControlplaneRoleConfig } from '../../shared/config/role-config.js';
import { reachableUrl } from '../../shared/process/reachable-url.js';
import { packageVersion } from '../process/package-version.js';
import { runProcess } from '../process/run-process.js';
import { parseStartArguments } from '../process/start-arguments.js';
import { warnOfOwnKey } from './own-key-warning.js';

/** The API and the publisher of rulesets. Several of these may run side by side. */
export async function runControlplaneRole(): Promise<void> {
  await runProcess({
    name: 'waymark-controlplane',
    configure: () => ({
      ...parseControlplaneRoleConfig(processEnvironment()),
      ...parseStartArguments(process.argv.slice(2)),
    }),
    async start({ config, logger, shutdown }) {
      warnOfOwnKey(config, logger);
      const opening = createControlplane({
        config,
        logger,
        version: packageVersion(),
        signal: shutdown.signal,
        leaving: shutdown.leaving,
        acceptsAnyLoss: config.acceptsAnyLoss,
      });
      shutdown.add(async () => (await opening.catch(() => undefined))?.stop());
      const controlplane = await opening;
      // No token is created here, because the output of this process ends in logs.
      await controlplane.accounts.bootstrap({ generate: false });
      const apiAddress = reachableUrl(await controlplane.start());
      return `Waymark control plane is running.\n\n  API              ${config.publicApiUrl ?? apiAddress}\n`;
    },
  });
}
