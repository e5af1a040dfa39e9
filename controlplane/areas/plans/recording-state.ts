import { recordsNothing } from '../../plan.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { PlanAccess } from './plan-access.js';
import { recordingPauseRepository } from './recording-pause-repository.js';

export interface RecordingStateDeps {
  readonly database: Queryable;
  readonly access: PlanAccess;
}

/** Returns a function that tells whether the plan keeps a redirect from recording visits now. */
export function createRecordingState({ database, access }: RecordingStateDeps) {
  return async (userId: string, redirectId: string): Promise<boolean> =>
    recordsNothing(await access.planOf(userId)) || recordingPauseRepository.isPaused(database, redirectId);
}
