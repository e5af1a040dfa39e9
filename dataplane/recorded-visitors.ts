import { createClickIds } from '../shared/visitor/click-id.js';
import { createDeviceDetection } from '../shared/visitor/device.js';
import { createVisitorIdentification, rememberVisitors } from '../shared/visitor/visitor-identity.js';
import type { DataplaneDeps } from './dataplane.js';
import { createHitRecorder, type HitRecorderDeps } from './hits/hit-recorder.js';

/**
 * Sources for deciding about visitors and for recording them. Both use the same places, devices and secret, so a
 * sticky choice is recorded for the same visitor.
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
      clickIds: createClickIds(secretKey),
    },
  };
}
