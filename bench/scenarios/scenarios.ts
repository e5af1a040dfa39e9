import { haproxy } from '../servers/haproxy.js';
import { nginx } from '../servers/nginx.js';
import { nodeHttp, uwsConstant, uwsMap, uwsReads, waymark } from '../servers/node-servers.js';
import { analytics, analyticsEndpoints } from './analytics-endpoints.js';
import { analyticsStall } from './analytics-stall.js';
import { bulkImport } from './bulk-import.js';
import { withRedirects } from './comparison.js';
import {
  concludeHosts,
  concludePaths,
  concludeRuleMemory,
  concludeRules,
  concludeWildcards,
} from './conclusions.js';
import { controlPlane } from './control-plane.js';
import { fanOut } from './fan-out.js';
import { ingest } from './ingest.js';
import { list } from './list.js';
import { million } from './million.js';
import { propagation } from './propagation.js';
import { replay } from './replay.js';
import { ruleDecisions } from './rule-decisions.js';
import type { Scenario } from './scenario.js';
import { kafkaDown, redisDown } from './servers-down.js';
import { sideBySide } from './side-by-side.js';
import { tlsNewVisitor } from './tls-new-visitor.js';
import { updates } from './updates.js';

const PLAIN = { hostCount: 10_000, rulesPerHost: 0, samplingRate: 0 };
const PLAIN_SAMPLED = { ...PLAIN, samplingRate: 1 };
const RULES_SAMPLED = { ...PLAIN_SAMPLED, rulesPerHost: 10 };

/** Every scenario, in the order in which they run. A new comparison of servers is a new entry here. */
export const SCENARIOS: readonly Scenario[] = [
  sideBySide({
    name: 'plain',
    summary: 'redirects of 10,000 hosts with path and query forwarded, nothing recorded',
    entrants: (isQuick) =>
      withRedirects(
        PLAIN,
        isQuick ? [waymark, nginx, uwsConstant] : [waymark, nginx, haproxy, uwsConstant, uwsMap, nodeHttp],
      ),
  }),
  sideBySide({
    name: 'plain-sampled',
    summary: 'the same with every hit recorded, spooled to disk and delivered to a sink that counts',
    entrants: () => withRedirects(PLAIN_SAMPLED, [waymark, nginx, uwsConstant]),
  }),
  sideBySide({
    name: 'rules-10-sampled',
    summary: '10,000 hosts with 10 rules each, every hit recorded and delivered; peers know no rules',
    producesHits: true,
    entrants: (isQuick) =>
      isQuick
        ? withRedirects(RULES_SAMPLED, [waymark, nginx])
        : [
            ...withRedirects(RULES_SAMPLED, [waymark, nginx, uwsConstant, uwsReads]),
            {
              name: 'waymark, unlike rules',
              kind: waymark,
              redirects: { ...RULES_SAMPLED, likeness: 'unlike' },
            },
            {
              name: 'waymark, new visitors',
              kind: waymark,
              redirects: { ...RULES_SAMPLED, visitors: 'new' },
            },
            { name: 'waymark, no rules', kind: waymark, redirects: PLAIN_SAMPLED },
          ],
    conclude: concludeRuleMemory,
  }),
  sideBySide({
    name: 'rules-1000',
    summary: 'one host with 1,000 rules against one with 10, nothing recorded',
    entrants: () => [
      { name: 'waymark', kind: waymark, redirects: { hostCount: 1, rulesPerHost: 1_000, samplingRate: 0 } },
      {
        name: 'waymark, 10 rules',
        kind: waymark,
        redirects: { hostCount: 1, rulesPerHost: 10, samplingRate: 0 },
      },
    ],
    conclude: concludeRules,
  }),
  sideBySide({
    name: 'hosts-1m',
    summary: '1,000,000 plain redirects (100,000 with --quick) against 1,000, both started from disk',
    entrants: (isQuick) =>
      [
        { name: 'waymark', hostCount: isQuick ? 100_000 : 1_000_000 },
        { name: 'waymark, 1,000 hosts', hostCount: 1_000 },
      ].map(({ name, hostCount }) => ({
        name,
        kind: waymark,
        redirects: { ...PLAIN, hostCount },
        startsFromDisk: true,
      })),
    conclude: concludeHosts,
  }),
  sideBySide({
    name: 'path-maps',
    summary: 'tables of 10, 1,000 and 100,000 paths on one host, against plain redirects of 10,000 hosts',
    entrants: () => [
      ...[100_000, 1_000, 10].map((pathsPerHost) => ({
        name: pathsPerHost === 100_000 ? 'waymark' : `waymark, ${pathsPerHost.toLocaleString('en-GB')} paths`,
        kind: waymark,
        redirects: { ...PLAIN, hostCount: 1, pathsPerHost },
      })),
      { name: 'waymark, plain', kind: waymark, redirects: PLAIN },
    ],
    conclude: concludePaths,
  }),
  sideBySide({
    name: 'path-maps-1m',
    summary: 'a million paths in the tables of 10,000 hosts, started from disk, against plain redirects',
    runs: 'full',
    entrants: () => [
      {
        name: 'waymark',
        kind: waymark,
        redirects: { ...PLAIN, pathsPerHost: 100 },
        startsFromDisk: true,
      },
      { name: 'waymark, plain', kind: waymark, redirects: PLAIN, startsFromDisk: true },
    ],
    conclude: concludePaths,
  }),
  sideBySide({
    name: 'wildcards',
    summary: '10,000 wildcard hosts against 10,000 exact ones',
    entrants: () => [
      { name: 'waymark', kind: waymark, redirects: { ...PLAIN, areWildcards: true } },
      { name: 'waymark, exact hosts', kind: waymark, redirects: PLAIN },
    ],
    conclude: concludeWildcards,
  }),
  tlsNewVisitor,
  ruleDecisions,
  updates,
  propagation,
  fanOut,
  million,
  list,
  bulkImport,
  kafkaDown,
  redisDown,
  ingest,
  replay,
  analytics,
  controlPlane,
  analyticsStall,
  analyticsEndpoints,
];
