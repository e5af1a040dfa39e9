import type { Logger } from 'pino';
import { ConfigError } from '../../shared/config/environment.js';
import { processEnvironment } from '../../shared/config/process-environment.js';
import { parseStandaloneConfig, type StandaloneConfig } from '../../shared/config/standalone-config.js';
import { OWNER_ONLY_UMASK } from '../../shared/process/owner-only.js';
import { createProcessLogger } from '../process/process-logger.js';
import { BackupError } from './manifest.js';

export interface CommandParts {
  readonly file: string;
  readonly config: StandaloneConfig;
  readonly logger: Logger;
  /** Aborted by SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
}

/** Runs `npm run NAME -- FILE`. Prints the reason in one line and sets exit code 1 if it fails. */
export async function runCommand(
  name: string,
  command: (parts: CommandParts) => Promise<string>,
): Promise<void> {
  process.umask(OWNER_ONLY_UMASK);
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort());
  try {
    const [file, ...rest] = process.argv.slice(2);
    if (file === undefined || file.startsWith('-') || rest.length > 0) {
      throw new BackupError(`npm run ${name} takes the path of one file: npm run ${name} -- FILE`);
    }
    const config = parseStandaloneConfig(processEnvironment());
    const logger = createProcessLogger(`waymark ${name}`, 'warn');
    process.stdout.write(await command({ file, config, logger, signal: stopping.signal }));
  } catch (error) {
    const isExplained = error instanceof ConfigError;
    process.stderr.write(`${error instanceof Error ? (isExplained ? error.message : error.stack) : error}\n`);
    process.exitCode = 1;
  }
}
