import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import pino, { type Logger } from 'pino';
import { type Controlplane, createControlplane } from '../../controlplane/controlplane.js';
import {
  type ControlplaneConfig,
  parseControlplaneConfig,
  parseDataplaneConfig,
} from '../../shared/config/config.js';
import { ConfigError } from '../../shared/config/environment.js';
import { packageRoot } from '../../shared/config/package-root.js';
import { processEnvironment } from '../../shared/config/process-environment.js';
import { lockDataDir } from './data-dir-lock.js';
import { createDataplaneSupervisor, DataplaneStartError } from './dataplane-supervisor.js';
import { reachableUrl } from './reachable-url.js';
import { createShutdown, type Shutdown } from './shutdown.js';
import { type WelcomeFacts, welcome } from './welcome.js';

async function main(): Promise<void> {
  const environment = processEnvironment();
  const config = parseControlplaneConfig(environment);
  // The data plane reads its own part; said here so that a mistake in it stops the start with one message.
  parseDataplaneConfig(environment);
  const logger = pino({ level: config.logLevel, name: 'waymark' }, pino.destination({ dest: 2, sync: true }));
  const shutdown = createShutdown(logger);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      logger.info({ signal }, 'stopping');
      void shutdown.run(0);
    });
  }
  try {
    process.stdout.write(welcome(await start(config, logger, shutdown)));
  } catch (error) {
    // What is stopped while it is still starting fails to start, which nobody needs to be told.
    if (shutdown.isUnderWay) return;
    complain(error);
    await shutdown.run(1);
  }
}

async function start(config: ControlplaneConfig, logger: Logger, shutdown: Shutdown): Promise<WelcomeFacts> {
  const lock = await lockDataDir(config.dataDir, console.log);
  shutdown.add(() => lock.release());

  if (config.databaseUrl === undefined && !existsSync(path.join(config.dataDir, 'postgres'))) {
    console.log('First start: creating the database, which takes some seconds.');
  }

  // While it is still opening there is nothing to stop: databases opened only by half survive kill -9 as well.
  let opened: Controlplane | undefined;
  shutdown.add(async () => opened?.stop());
  // Stopped before the control plane: the last hits of its visitors go through that one's store.
  const dataplane = createDataplaneSupervisor({ logger });
  shutdown.add(() => dataplane.stop());

  const [addresses, controlplane] = await Promise.all([
    dataplane.start(),
    createControlplane({ config, logger, version: packageVersion() }),
  ]);
  opened = controlplane;
  dataplane.connect({ createFeed: () => controlplane.createFeed(), sink: controlplane.hitSink });

  // A given token works from the first answer on. One made here is made when nothing can fail any more: it is
  // shown only once.
  const tokenIsGiven = config.bootstrapToken !== undefined;
  if (tokenIsGiven) await controlplane.accounts.bootstrap({ generate: false });
  const apiAddress = await controlplane.start();
  const firstUser = tokenIsGiven ? undefined : await controlplane.accounts.bootstrap({ generate: true });
  return {
    apiAddress: config.publicApiUrl ?? reachableUrl(apiAddress),
    ...addresses,
    // A given one stays with whoever gave it: it does not belong on a screen or in a container's log.
    token: firstUser?.token,
    tokenIsGiven,
    dataDir: config.dataDir,
  };
}

function complain(error: unknown): void {
  const isExplained = error instanceof ConfigError || error instanceof DataplaneStartError;
  console.error(isExplained ? error.message : error);
}

function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(path.join(packageRoot(), 'package.json'), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : '0';
}

main().catch((error: unknown) => {
  complain(error);
  process.exit(1);
});
