import { nginx } from '../servers/nginx.js';
import { nodeHttp, uwsConstant, uwsMap, waymark } from '../servers/node-servers.js';
import { analyticsEndpoints } from './analytics-endpoints.js';
import { analyticsStall } from './analytics-stall.js';
import { ruleDecisions } from './rule-decisions.js';
import type { Scenario } from './scenario.js';
import { sideBySide } from './side-by-side.js';

/** Every scenario, in the order in which they run. A new comparison of servers is a new entry here. */
export const SCENARIOS: readonly Scenario[] = [
  sideBySide({
    name: 'plain',
    summary: 'redirects of 10,000 hosts with path and query forwarded, nothing recorded',
    hostCount: 10_000,
    samplingRate: 0,
    connections: 64,
    servers: [waymark, nginx, uwsConstant, uwsMap, nodeHttp],
    quickServers: [waymark, nginx, uwsConstant],
  }),
  sideBySide({
    name: 'plain-sampled',
    summary: 'the same with every hit recorded, spooled to disk and delivered to a sink that counts',
    hostCount: 10_000,
    samplingRate: 1,
    connections: 64,
    servers: [waymark, nginx, uwsConstant],
    quickServers: [waymark, nginx],
  }),
  ruleDecisions,
  analyticsStall,
  analyticsEndpoints,
];
