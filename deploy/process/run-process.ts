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
  /** Name in logs. */
  readonly name: string;
  /** @throws {ConfigError} */
  readonly configure: () => Config;
  /**
   * Starts everything and adds each part to `shutdown`. Resolves to the start message when all of it runs. Rejects
   * soon when the signal of `shutdown` is aborted.
   */
  readonly start: (parts: {
    readonly config: Config;
    readonly logger: Logger;
    readonly shutdown: Shutdown;
  }) => Promise<string>;
}

/** Settings of every process. */
export interface ProcessConfig {
  readonly logLevel: string;
  readonly dataDir: string;
  /** Time after SIGTERM during which everything continues while `/readyz` answers 503. Default: 0. */
  readonly drainDelayMs?: number;
  /** Above 0, workers continue after SIGTERM, so no delay is needed. Default: 0. */
  readonly handoverMs?: number;
}

/**
 * Runs one process from its configuration to its end. SIGTERM and SIGINT end it in order with exit code 0. A failed
 * start prints the reason, in one line if the cause is known, and ends with 1. An uncaught error is logged and ends
 * the process in order with 1.
 */
export async function runProcess<Config extends ProcessConfig>(plan: ProcessPlan<Config>): Promise<void> {
  keepStringsQuick();
  process.umask(OWNER_ONLY_UMASK);
  const misspelt = misspeltVariables(processEnvironment(), KNOWN_VARIABLES);
  const config = configured(plan);
  if (config === undefined) {
    // They may explain why another variable is missing.
    for (const warning of misspelt) process.stderr.write(`${warning}\n`);
    return;
  }
  const logger = createProcessLogger(plan.name, config.logLevel);
  for (const warning of misspelt) logger.warn(warning);
  closeDataDir(config.dataDir, logger);
  const shutdown = createShutdown(logger);
  let starting: Promise<string> = Promise.resolve('');
  let hasStarted = false;
  // The signal replaces workers. A process without workers must ignore it instead of ending.
  process.on('SIGUSR2', () => {});
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      logger.info({ signal }, 'stopping');
      const isDelayed = hasStarted && signal === 'SIGTERM' && !config.handoverMs;
      void shutdown.run(signal, starting, isDelayed ? config.drainDelayMs : 0);
    });
  }
  // Node would end the process immediately. The embedded ClickHouse does not survive that during its work.
  // Unhandled rejections arrive here too.
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'an error that nobody caught: this process ends in order');
    void shutdown.run(hasStarted ? 'error' : 'failed-start', starting);
  });
  try {
    starting = plan.start({ config, logger, shutdown });
    process.stdout.write(await starting);
    hasStarted = true;
  } catch (error) {
    // A start that was asked to stop always fails.
    if (shutdown.signal.aborted) return;
    complain(error);
    await shutdown.run('failed-start', starting);
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
