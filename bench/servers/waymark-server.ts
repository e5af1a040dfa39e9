import pino from 'pino';
import { createDataplane } from '../../dataplane/dataplane.js';
import { createHitRecorder } from '../../dataplane/hits/hit-recorder.js';
import type { RulesetFeed, RulesetSnapshot } from '../../shared/ruleset/ruleset-feed.js';
import { createDeviceDetection } from '../../shared/visitor/device.js';
import { openPlaces } from '../../shared/visitor/place.js';
import { createVisitorIdentification } from '../../shared/visitor/visitor-identity.js';
import { benchRedirects } from '../traffic/bench-request.js';
import { createChannelSink } from './channel-sink.js';
import type { ServerSetup } from './server-kind.js';
import { serve } from './server-process.js';

/** The product's default. */
const FLUSH_INTERVAL_MS = 250;

// The product's data plane as it is, with a ruleset that never changes and the benchmark for a control plane.
await serve(async (setup) => {
  const logger = pino({ level: 'warn' }, pino.destination({ dest: 2, sync: true }));
  const secretKey = Buffer.alloc(32);
  const places = await openPlaces({ geoipDb: undefined });
  const detectDevice = createDeviceDetection();
  const dataplane = createDataplane({
    config: {
      redirectHost: '127.0.0.1',
      redirectPort: 0,
      adminHost: '127.0.0.1',
      adminPort: 0,
      dataDir: setup.workFolder,
      trustedProxies: [],
    },
    feed: fixedFeed(snapshotFor(setup)),
    recorder: createHitRecorder({
      dataDir: setup.workFolder,
      sink: createChannelSink(),
      secretKey,
      places,
      detectDevice,
      flushIntervalMs: FLUSH_INTERVAL_MS,
      logger,
    }),
    visitorSources: { places, detectDevice, identify: createVisitorIdentification(secretKey) },
    logger,
  });
  const { redirectAddress } = await dataplane.start();
  return { port: redirectAddress.port, stop: () => dataplane.drain() };
});

function snapshotFor({ hostCount, samplingRate }: ServerSetup): RulesetSnapshot {
  return {
    version: { epoch: 1, seq: hostCount },
    redirects: benchRedirects(hostCount).map((redirect) => ({
      ...redirect,
      redirectType: 'permanent',
      pathForwarding: true,
      queryForwarding: true,
      samplingRate,
    })),
  };
}

function fixedFeed(snapshot: RulesetSnapshot): RulesetFeed {
  let send = () => {};
  return {
    start(listener) {
      send = () => listener.onSnapshot(snapshot);
      send();
    },
    requestSnapshot: () => send(),
    stop() {
      send = () => {};
    },
  };
}
