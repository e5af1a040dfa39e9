import { expect, it } from 'vitest';
import { reportOf } from '../../controlplane/publishing/dataplane-report.fixture.js';
import { TEST_TOKEN, useControlplane } from '../client/product.fixture.js';
import { createClient } from '../client/src/index.js';
import { checkDataplanes } from './doctor/server-checks.js';
import { runCommand } from './run-command.fixture.js';

const product = useControlplane();
const client = () => createClient({ url: product.url, token: TEST_TOKEN });

/** Reports again and again, while `during` runs, a version that is `behind` changes older than the newest one. */
async function report<T>(behind: number, during: (reportNewest: () => void) => Promise<T>): Promise<T> {
  const { head } = await client().request('GET', '/admin/dataplanes');
  const [epoch = 0, seq = 0] = head.split('.').map(Number);
  let late = behind;
  const send = () => product.takeReport(reportOf('a', { version: { epoch, seq: seq - late }, hosts: 1 }));
  const timer = setInterval(send, 1_000);
  send();
  try {
    return await during(() => {
      late = 0;
    });
  } finally {
    clearInterval(timer);
  }
}

it('waits for a data plane that has not reported the newest ruleset yet', async () => {
  await client().redirects.create({ fromDomain: 'a.localhost', toDomain: 'https://a.example' });
  const findings = await report(1, async (reportNewest) => {
    setTimeout(reportNewest, 2_000);
    return checkDataplanes(client());
  });
  expect(findings).toEqual([
    {
      check: 'data planes',
      state: 'ok',
      message: 'edge-1, process 100 serves the newest ruleset: 1 host.',
    },
  ]);
});

it.each([
  [1, '1 change'],
  [2, '2 changes'],
])('warns of a data plane that stays %d behind', async (behind, changes) => {
  for (const number of Array(behind).keys()) {
    await client().redirects.create({
      fromDomain: `${behind}-${number}.localhost`,
      toDomain: 'https://b.example',
    });
  }
  const environment = { WAYMARK_URL: product.url, WAYMARK_TOKEN: TEST_TOKEN };
  const { stdout } = await report(behind, () => runCommand(['doctor'], { environment }));
  expect(stdout).toContain(`! data planes: edge-1, process 100 is live, ${changes} behind.\n`);
  expect(stdout).toMatch(/\n\d+ fine, 1 warning, \d+ failed\.\n$/);
});
