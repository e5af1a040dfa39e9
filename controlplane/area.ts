import type { FastifyPluginAsync } from 'fastify';
import type { BackgroundWork } from './jobs/background-work.js';

/** Parts that an area adds to the control plane. */
export interface Area {
  readonly routes: readonly FastifyPluginAsync[];
  readonly jobs: readonly BackgroundWork[];
}
