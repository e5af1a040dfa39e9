import fc from 'fast-check';
import { afterAll, vi } from 'vitest';
import { TEST_SEED } from './shared/process/test-seed.fixture.js';

fc.configureGlobal({ seed: TEST_SEED });

/** Maximum wait for a condition. A true condition costs no wait; an overloaded machine needs the time. */
const PATIENCE = { timeout: 60_000 };

const { waitFor } = vi;

/** Files of one process share `vi`, so the function is replaced once. */
function patientWaitFor(condition: Parameters<typeof waitFor>[0], options?: Parameters<typeof waitFor>[1]) {
  return waitFor(condition, typeof options === 'number' ? options : { ...PATIENCE, ...options });
}

if (waitFor.name !== patientWaitFor.name) Object.assign(vi, { waitFor: patientWaitFor });

// Files of one process share its clock.
afterAll(() => void vi.useRealTimers());
