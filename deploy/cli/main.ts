import { processEnvironment } from '../../shared/config/process-environment.js';
import { runCli } from './cli.js';

/** The command line of Waymark. */
const controller = new AbortController();
process.once('SIGINT', () => controller.abort());
// The reader of a pipe may close it early: `waymark redirects list | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});
const { stdin, stdout, stderr } = process;
process.exitCode = await runCli({
  argv: process.argv.slice(2),
  streams: { stdin, stdout, stderr },
  environment: processEnvironment(),
  signal: controller.signal,
});
