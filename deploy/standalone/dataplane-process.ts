import pino from 'pino';
import { createDataplane } from '../../dataplane/dataplane.js';
import { createHitRecorder } from '../../dataplane/hits/hit-recorder.js';
import { parseDataplaneConfig } from '../../shared/config/config.js';
import { processEnvironment } from '../../shared/config/process-environment.js';
import { loadSecretKey } from '../../shared/config/secret-key.js';
import { createDeviceDetection } from '../../shared/visitor/device.js';
import { openPlaces } from '../../shared/visitor/place.js';
import { createVisitorIdentification } from '../../shared/visitor/visitor-identity.js';
import { connectToParent } from './parent-channel.js';
import { reachableUrl } from './reachable-url.js';

/** The data plane of the standalone product, in a process of its own, fed by its parent. */
const config = parseDataplaneConfig(processEnvironment());
const logger = pino(
  { level: config.logLevel, name: 'waymark-dataplane' },
  pino.destination({ dest: 2, sync: true }),
);
const parent = connectToParent();

async function run(): Promise<void> {
  const secretKey = await loadSecretKey(config);
  const places = await openPlaces(config);
  const detectDevice = createDeviceDetection();
  const recorder = createHitRecorder({
    dataDir: config.dataDir,
    sink: parent.sink,
    sinkGone: parent.gone,
    secretKey,
    places,
    detectDevice,
    flushIntervalMs: config.hitFlushIntervalMs,
    logger,
  });
  const dataplane = createDataplane({
    config,
    feed: parent.feed,
    recorder,
    visitorSources: { places, detectDevice, identify: createVisitorIdentification(secretKey) },
    logger,
  });
  parent.onEnd(async () => {
    await dataplane.drain();
    process.exit(0);
  });
  const { redirectAddress, adminAddress } = await dataplane.start();
  parent.send({
    type: 'ready',
    redirectAddress: reachableUrl(redirectAddress),
    adminAddress: reachableUrl(adminAddress),
  });
}

// Ctrl-C and a supervisor's SIGTERM reach the whole process group; the parent decides when this one ends.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});

try {
  await run();
} catch (error) {
  parent.send({ type: 'failed', reason: error instanceof Error ? error.message : String(error) });
  process.exitCode = 1;
  if (process.connected) process.disconnect();
}
