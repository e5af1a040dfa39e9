import { pino } from 'pino';
import { expect, it } from 'vitest';
import { areStringsQuick } from '../shared/process/quick-strings.fixture.js';
import { createDataplane } from './dataplane.js';
import { createKeptHits } from './http/kept-hits.fixture.js';
import { createScriptedFeed } from './sync/scripted-feed.fixture.js';
import { temporaryFolder } from './temporary-folder.fixture.js';
import { testVisitorSources } from './visitor/visitor-sources.fixture.js';

it('has methods of texts compiled into what calls them, which they are not for what it imports', async () => {
  expect(areStringsQuick()).toBe(false);
  createDataplane({
    config: {
      redirectHost: '127.0.0.1',
      redirectPort: 0,
      adminHost: '127.0.0.1',
      keepAliveSeconds: 75,
      adminPort: 0,
      dataDir: await temporaryFolder(),
      trustedProxies: [],
    },
    feed: createScriptedFeed(),
    recorder: createKeptHits(),
    visitorSources: testVisitorSources(),
    logger: pino({ level: 'silent' }),
  });
  expect(areStringsQuick()).toBe(true);
});
