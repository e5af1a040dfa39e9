import type { Logger } from 'pino';
import { ListenError } from '../../dataplane/http/listen-address.js';
import { KNOWN_VARIABLES } from '../../shared/config/config.js';
import { ConfigError } from '../../shared/config/environment.js';
import { misspeltVariables } from '../../shared/config/misspelt-variables.js';
import { processEnvironment } from '../../shared/config/process-environment.js';
import { OWNER_ONLY_UMASK } from '../../shared/process/owner-only.js';
import { keepStringsQuick } from '../../shared/process/quick-strings.js';
import { WorkerStartError } from '../workers/running-worker.js';
import { closeDataDir } from './data-dir-rights.js';
import { createProcessLogger } from './process-logger.js';
import { createShutdown, type Shutdown } from './shutdown.js';

export interface ProcessPlan<Config> {
  /** In logs. */
  readonly name: string;
  /** @throws {ConfigError} */
  readonly configure: () => Config;
  /**
   * Starts everything, adding to `shutdown` what it starts; resolves to what to print when all of it runs. Rejects soon
   * when the signal of `shutdown` is aborted.
   */
  readonly start: (parts: {
    readonly config: Config;
    readonly logger: Logger;
    readonly shutdown: Shutdown;
  }) => Promise<string>;
}

/**
 * The life of a process of ours: it is configured, starts, says so, and ends in order by SIGTERM or SIGINT with
 * exit code 0. What keeps it from starting is said in one line, and then the exit code is 1. So it is after an error that
 * nobody caught, which is logged and ends it in order too.
 */
export async function runProcess<Config extends { readonly logLevel: string; readonly dataDir: string }>(
  plan: ProcessPlan<Config>,
): Promise<void> {
  keepStringsQuick();
  process.umask(OWNER_ONLY_UMASK);
  const misspelt = misspeltVariables(processEnvironment(), KNOWN_VARIABLES);
  const config = configured(plan);
  if (config === undefined) {
    // They may be why another variable is missing.
    for (const warning of misspelt) process.stderr.write(`${warning}\n`);
    return;
  }
  const logger = createProcessLogger(plan.name, config.logLevel);
  for (const warning of misspelt) logger.warn(warning);
  closeDataDir(config.dataDir, logger);
  const shutdown = createShutdown(logger);
  let starting: Promise<string> = Promise.resolve('');
  // It replaces workers, where there are any and once they run; until then it must not end the process.
  process.on('SIGUSR2', () => {});
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      logger.info({ signal }, 'stopping');
      void shutdown.run(0, starting);
    });
  }
  // Node would end the process at once, and the embedded ClickHouse does not survive that in the middle of its work.
  // Rejections that nobody handles come here too.
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'an error that nobody caught: stopping');
    void shutdown.run(1, starting);
  });
  try {
    starting = plan.start({ config, logger, shutdown });
    process.stdout.write(await starting);
  } catch (error) {
    // What is stopped while it is still starting fails to start, which nobody needs to be told.
    if (shutdown.signal.aborted) return;
    complain(error);
    await shutdown.run(1, starting);
  }
}

function configured<Config>({ configure }: ProcessPlan<Config>): Config | undefined {
  try {
    return configure();
  } catch (error) {
    complain(error);
    process.exitCode = 1;
    return undefined;
  }
}

const EXPLAINED = [ConfigError, ListenError, WorkerStartError];

function complain(error: unknown): void {
  const isExplained = error instanceof Error && EXPLAINED.some((kind) => error instanceof kind);
  const text = error instanceof Error ? (isExplained ? error.message : error.stack) : String(error);
  process.stderr.write(`${text}\n`);
}
