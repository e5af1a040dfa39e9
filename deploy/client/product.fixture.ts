import { afterAll, beforeAll } from 'vitest';
import {
  type RunningControlplane,
  startControlplane,
} from '../../controlplane/running-controlplane.fixture.js';

export const TEST_TOKEN = `wm_${'t'.repeat(40)}`;

/** Starts a control plane for the tests of a file, with a user whose token is `TEST_TOKEN`. */
export function useControlplane(
  environment: Readonly<Record<string, string>> = {},
): Pick<RunningControlplane, 'url' | 'takeReport'> {
  let controlplane: RunningControlplane | undefined;
  beforeAll(async () => {
    controlplane = await startControlplane({
      BOOTSTRAP_EMAIL: 'owner@example.com',
      BOOTSTRAP_TOKEN: TEST_TOKEN,
      RATE_LIMIT_MULTIPLIER: '1000',
      DEFAULT_PLAN: 'business',
      ...environment,
    });
  });
  afterAll(() => controlplane?.stop());
  return {
    get url() {
      return controlplane!.url;
    },
    takeReport: (report) => controlplane!.takeReport(report),
  };
}
