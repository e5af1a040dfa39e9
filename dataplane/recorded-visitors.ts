import { createDeviceDetection } from '../shared/visitor/device.js';
import { createVisitorIdentification, rememberVisitors } from '../shared/visitor/visitor-identity.js';
import type { DataplaneDeps } from './dataplane.js';
import { createHitRecorder, type HitRecorderDeps } from './hits/hit-recorder.js';

/**
 * What a data plane decides about visitors by, and what it records them with. Both know them by the same places, devices
 * and secret: a choice that sticks to a visitor is counted for the one who made it.
 */
export function createRecordedVisitors(
  deps: Omit<HitRecorderDeps, 'detectDevice'>,
): Pick<DataplaneDeps, 'recorder' | 'visitorSources'> {
  const { places, secretKey } = deps;
  const detectDevice = createDeviceDetection();
  return {
    recorder: createHitRecorder({ ...deps, detectDevice }),
    visitorSources: {
      places,
      detectDevice,
      identify: rememberVisitors(createVisitorIdentification(secretKey)),
    },
  };
}
