import { pino } from 'pino';
import { createShutdown } from './shutdown.js';

/** Blocks its main thread for ever while it stops, as an embedded database can. Argument: its time limit in ms. */
const shutdown = createShutdown(pino(), { limitMs: Number(process.argv[2]) });
shutdown.add(async () => {
  for (;;);
});
await shutdown.run('SIGTERM', Promise.resolve());
