import { afterAll, beforeAll, describe } from 'vitest';
import { chromium } from '../browser.fixture.js';
import { testAccounts } from './accounts.fixture.js';
import { testChanges } from './changes.fixture.js';
import { type ConsoleStage, openStage } from './console.fixture.js';
import { testForms } from './forms.fixture.js';
import { testImports } from './imports.fixture.js';
import { testLists } from './lists.fixture.js';
import { testUsers } from './users.fixture.js';
import { testVisits } from './visits.fixture.js';
import { testWholeConsole } from './whole-console.fixture.js';

describe.skipIf(chromium === undefined)('the console in a browser', () => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await openStage(`/usr/bin/${chromium}`);
  });
  afterAll(() => stage?.stop());

  // All tests share one product and one browser, because starting them takes longer than most tests. The first test
  // needs the link of the first start, and tests of the whole console use its redirect.
  for (const addTests of [
    testUsers,
    testForms,
    testImports,
    testVisits,
    testChanges,
    testLists,
    testWholeConsole,
  ]) {
    addTests(() => stage);
  }
  testAccounts(() => stage, `/usr/bin/${chromium}`);
});
