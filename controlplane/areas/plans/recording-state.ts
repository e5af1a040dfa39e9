import { recordsNothing } from '../../plan.js';
import type { PlanParts } from './plan-parts.js';
import { recordingPauseRepository } from './recording-pause-repository.js';

/** Returns a function that tells whether the plan keeps a redirect from recording visits now. */
export function createRecordingState({ database, access }: Pick<PlanParts, 'database' | 'access'>) {
  return async (userId: string, redirectId: string): Promise<boolean> =>
    recordsNothing(await access.planOf(userId)) || recordingPauseRepository.isPaused(database, redirectId);
}
