import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { packageRoot } from '../../../shared/config/package-root.js';
import { processEnvironment } from '../../../shared/config/process-environment.js';
import type { TestUser } from '../../http/api.fixture.js';
import { openDatabase } from '../../storage/postgres/open-database.js';
import { createTestSchema } from '../../storage/postgres/test-database.fixture.js';
import { type CertificatesApi, SECRET, startCertificatesApi } from './certificates-api.fixture.js';
import type { OrderingProcessOptions } from './ordering-process.fixture.js';
import {
  type ChallengeDns,
  type ChallengeListener,
  PEBBLE_BIN,
  type Pebble,
  startChallengeDns,
  startChallengeListener,
  startPebble,
} from './pebble.fixture.js';

const ENTRY = path.join(packageRoot(), 'dist/controlplane/areas/certificates/ordering-process.fixture.js');

describe.skipIf(PEBBLE_BIN === undefined)('a control plane that is killed during an order', () => {
  let dns: ChallengeDns;
  let listener: ChallengeListener;
  let pebble: Pebble;
  let schema: Awaited<ReturnType<typeof createTestSchema>>;
  let service: CertificatesApi;
  let user: TestUser;

  beforeAll(async () => {
    [dns, listener] = await Promise.all([startChallengeDns(), startChallengeListener()]);
    pebble = await startPebble({ httpPort: listener.port, dnsServer: dns.address });
    schema = await createTestSchema(processEnvironment().DATABASE_URL ?? '');
    const database = await openDatabase(
      { databaseUrl: schema.databaseUrl, dataDir: '' },
      pino({ level: 'silent' }),
    );
    const { directoryUrl, caFile } = pebble;
    const authorities = [{ directoryUrl, variable: 'ACME_DIRECTORY_URL', eab: undefined } as const];
    const acme = { email: 'operator@waymark.example', namesPerWildcard: 20, authorities, caFile };
    // It shows certificates and answers data planes. Its own jobs never begin to order.
    service = await startCertificatesApi({ database, acme, knownForSeconds: 1_000_000 });
    listener.thumbprint = (await service.certificates.answer([])).challengeThumbprints[0] ?? '';
    user = await service.api.createUser();
  });
  afterAll(async () => {
    await service.close();
    await service.database.close();
    await schema.drop();
    await Promise.all([dns.end(), listener.close(), pebble.end()]);
  });

  function startProcess(holds?: OrderingProcessOptions['holds']): ChildProcess {
    const options: OrderingProcessOptions = {
      ...{ databaseUrl: schema.databaseUrl, directoryUrl: pebble.directoryUrl, caFile: pebble.caFile },
      ...{ dnsServer: dns.address, secret: SECRET.toString(), leaseSeconds: 2, holds },
    };
    const child = fork(ENTRY, [JSON.stringify(options)]);
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  }

  async function kill(child: ChildProcess): Promise<void> {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  async function expectOneOrder(host: string): Promise<void> {
    await service.until(user, host, 'issued');
    const orders = await service.database.query('SELECT failed_at FROM certificate_orders WHERE host = $1', [
      host,
    ]);
    expect(orders).toEqual([{ failed_at: null }]);
  }

  it('while the host is validated leaves the order to the next one, which continues it', async () => {
    const host = 'killed-early.localhost';
    await service.createVerified(user, host);
    const release = listener.hold();
    const first = startProcess();
    await expect.poll(() => listener.validated.has(host)).toBe(true);
    await kill(first);
    release();
    startProcess();
    await expectOneOrder(host);
  });

  it('before it knows the URL of its order leaves the order to the next one, which finds it', async () => {
    const host = 'killed-first.localhost';
    await service.createVerified(user, host);
    const first = startProcess('order');
    await once(first, 'message');
    expect(listener.validated.has(host)).toBe(false);
    await kill(first);
    startProcess();
    await expectOneOrder(host);
  });

  it('with an issued certificate that is not stored leaves it to the next one, which fetches it', async () => {
    const host = 'killed-late.localhost';
    await service.createVerified(user, host);
    const first = startProcess('certificate');
    await once(first, 'message');
    expect(await service.get(user, host)).toMatchObject({ issuer: null });
    await kill(first);
    startProcess();
    await expectOneOrder(host);
  });
});
