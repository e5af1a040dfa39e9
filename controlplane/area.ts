import type { FastifyPluginAsync } from 'fastify';
import type { BackgroundWork } from './jobs/background-work.js';

/** What an area adds to the control plane. */
export interface Area {
  readonly routes: readonly FastifyPluginAsync[];
  readonly jobs: readonly BackgroundWork[];
}
