import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../../shared/process/error-facts.js';
import { parseVersion } from '../../../shared/ruleset/ruleset-codec.js';
import { compareVersions } from '../../../shared/ruleset/ruleset-version.js';
import { type Client, type Schemas, WaymarkError } from '../../client/src/index.js';
import { counted } from '../charts.js';
import { type Finding, failed, ok, warning } from './finding.js';

/** Time after which a data plane that is behind is not just slow. */
const MAX_AGE_MS = 60_000;
/** Longest time until the report of a change: data planes report over Redis every 2 to 6 s. */
const REPORT_LIMIT_MS = 7_000;
const LOOK_AGAIN_MS = 500;
const HIGH_USE = 0.9;

/** Checks the API and the parts that it needs. */
export async function checkApi(client: Client): Promise<Finding[]> {
  try {
    await client.request('GET', '/readyz');
    return [ok('api', 'The API is ready.')];
  } catch (error) {
    const body =
      error instanceof WaymarkError ? (error.body as Partial<Schemas.GetReadinessResponse503>) : undefined;
    if (body?.parts === undefined) {
      return [failed('api', messageOf(error), 'Start Waymark, and name its API with --url or WAYMARK_URL.')];
    }
    const broken = Object.entries(body.parts).filter(([, isReady]) => !isReady);
    return broken.map(([part]) =>
      failed(
        'api',
        `${part} is not ready.`,
        body.reasons?.[part] ?? 'Look into the log of the control plane.',
      ),
    );
  }
}

/** Checks the token and the use of the plan. */
export async function checkAccount(client: Client): Promise<Finding[]> {
  try {
    const { user, plan, usage } = await client.account.get();
    const { redirects, maxRedirects } = usage;
    const account = ok('account', `The token is one of ${user.email}, on the plan ${plan.name}.`);
    if (maxRedirects < 0 || redirects < maxRedirects * HIGH_USE) return [account];
    const use = `${redirects} of ${maxRedirects} redirects of the plan are used.`;
    return [
      account,
      warning('account', use, 'Delete redirects that you do not need, or choose a larger plan.'),
    ];
  } catch (error) {
    return [failed('account', messageOf(error), 'Run: waymark login')];
  }
}

/** Checks the data planes. Only operators see them. */
export async function checkDataplanes(client: Client): Promise<Finding[]> {
  try {
    const dataplanes = await readDataplanes(client);
    if (dataplanes.length === 0) {
      return [failed('data planes', 'No data plane has reported.', 'Start one: npm run start:dataplane')];
    }
    return dataplanes.map(dataplaneFinding);
  } catch (error) {
    const isHidden = error instanceof WaymarkError && error.status === 403;
    if (isHidden) return [ok('data planes', 'Not checked: only operators see the data planes.')];
    return [failed('data planes', messageOf(error), 'Look into the log of the control plane.')];
  }
}

/** Reads the data planes. Waits until they have reported the current ruleset, within a limit. */
async function readDataplanes(client: Client): Promise<readonly Schemas.Dataplane[]> {
  const deadlineMs = performance.now() + REPORT_LIMIT_MS;
  const { head, ...first } = await client.request('GET', '/admin/dataplanes');
  const newest = parseVersion(head);
  const isBehind = ({ state, version }: Schemas.Dataplane) => {
    const served = parseVersion(version ?? '');
    return state === 'live' && newest && served && compareVersions(served, newest) < 0;
  };
  /** A data plane that has just started reports no ruleset at first. */
  const isWaiting = (one: Schemas.Dataplane) => one.state === 'cold' || isBehind(one);
  let { dataplanes } = first;
  while ((dataplanes.length === 0 || dataplanes.some(isWaiting)) && performance.now() < deadlineMs) {
    await delay(LOOK_AGAIN_MS);
    ({ dataplanes } = await client.request('GET', '/admin/dataplanes'));
  }
  // Later changes do not count.
  return dataplanes.map((one) => (one.state === 'live' && !isBehind(one) ? { ...one, behind: 0 } : one));
}

function dataplaneFinding({ host, pid, state, behind, ageMs, lastError, hosts }: Schemas.Dataplane): Finding {
  const name = `${host}, process ${pid}`;
  const detail = lastError === undefined ? '' : ` (${lastError})`;
  if (state === 'live' && (behind ?? 0) === 0) {
    return ok(
      'data planes',
      `${name} serves the newest ruleset${hosts === undefined ? '' : `: ${counted(hosts, 'host')}`}.`,
    );
  }
  const message = `${name} is ${state}, ${behind === null ? 'an unknown number of changes' : counted(behind, 'change')} behind${detail}.`;
  const isSlow = state !== 'cold' && (ageMs ?? 0) < MAX_AGE_MS;
  const advice =
    'Check that it reaches Redis or the control plane (REDIS_URL, CONTROL_PLANE_URL), and read its log.';
  return isSlow ? warning('data planes', message, advice) : failed('data planes', message, advice);
}
