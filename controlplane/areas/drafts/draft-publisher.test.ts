import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import { type DraftsApi, startDraftsApi } from './drafts-api.fixture.js';

let drafts: DraftsApi;
let user: TestUser;

beforeAll(async () => {
  drafts = await startDraftsApi();
  user = await drafts.api.createUser();
  const events = ['draft.failed', 'redirect.updated', 'rule.created'];
  await ask('POST', '/webhook-endpoints', { url: 'http://127.0.0.1:9999/hook', events });
});
afterAll(() => drafts.close());

const call = (method: string, path: string, body?: unknown) =>
  drafts.api.call(method, path, { token: user.token, body });
const ask = (method: string, path: string, body?: unknown) => drafts.ask(user, method, path, body);
const draftOf = (id: string) => ask('GET', `/redirects/${id}/draft`);
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

/** Creates a redirect with a draft that is scheduled for publication in an hour. */
async function schedule(definition: object = { redirect: { note: 'published' } }) {
  const { id, host } = await drafts.createRedirect(user);
  await ask('PUT', `/redirects/${id}/draft`, definition);
  const answer = await call('POST', `/redirects/${id}/draft/publish`, { at: inAnHour() });
  expect(answer, answer.body).toMatchObject({ status: 202 });
  return { id, host, draft: answer.json };
}

/** Makes a scheduled draft due. */
const comes = (id: string) =>
  drafts.api.database.query(
    "UPDATE redirect_drafts SET publish_at = now() - interval '1 second' WHERE redirect_id = $1",
    [id],
  );

async function eventsAbout(id: string, type: string) {
  const rows = await drafts.api.database.query<{ payload: string }>(
    'SELECT payload FROM webhook_events WHERE type = $1 AND payload LIKE $2',
    [type, `%${id}%`],
  );
  return rows.map(({ payload }) => JSON.parse(payload).data);
}

describe('a draft with a time', () => {
  it('is published then, by one of two control planes', async () => {
    const { id, draft } = await schedule({
      redirect: { note: 'published' },
      rules: [{ name: 'a', type: 'force', action: { type: 'redirect', url: 'https://a.example' } }],
    });
    expect(draft).toMatchObject({ redirectId: id, baseVersion: 1, lastError: null });
    expect(new Date(draft.publishAt).getTime()).toBeGreaterThan(Date.now() + 3_500_000);
    expect(await drafts.publisher.runRound()).toBe(0);
    expect(await ask('GET', `/redirects/${id}`)).toMatchObject({ version: 1 });
    await comes(id);
    const other = drafts.createPublisher();
    const attempts = await Promise.all([drafts.publisher.runRound(), other.runRound()]);
    expect(attempts.reduce((sum, count) => sum + count)).toBe(1);
    expect(await ask('GET', `/redirects/${id}`)).toMatchObject({ version: 2, note: 'published' });
    expect(await call('GET', `/redirects/${id}/draft`)).toMatchObject({ status: 404 });
    expect(await eventsAbout(id, 'redirect.updated')).toMatchObject([{ redirect: { id, version: 2 } }]);
    expect(await eventsAbout(id, 'rule.created')).toMatchObject([{ rule: { name: 'a' } }]);
    const [recorded] = await drafts.api.database.query(
      `SELECT action, summary, by_user_id, by_email FROM redirect_versions JOIN audit_log ON audit_log.id = audit_id
       WHERE redirect_id = $1 AND version = 2`,
      [id],
    );
    expect(recorded).toMatchObject({
      action: 'draft.published',
      summary: 'Published the draft as scheduled: settings, rules',
      by_user_id: user.id,
      by_email: user.email,
    });
  });

  it('is published once by two control planes that both have claimed it', async () => {
    const { id } = await schedule();
    await comes(id);
    const unclaim = () =>
      drafts.api.database.query('UPDATE redirect_drafts SET claimed_until = NULL WHERE redirect_id = $1', [
        id,
      ]);
    const others = Array.from({ length: 4 }, () => drafts.createPublisher());
    // Claims that are lost while the others work simulate a slow control plane.
    await Promise.all(others.flatMap((publisher) => [publisher.runRound(), unclaim()]));
    await drafts.publisher.runRound();
    expect(await ask('GET', `/redirects/${id}`)).toMatchObject({ version: 2 });
    expect(await eventsAbout(id, 'redirect.updated')).toHaveLength(1);
    expect(await eventsAbout(id, 'draft.failed')).toEqual([]);
  });

  it('is published after a restart', async () => {
    const { id } = await schedule();
    await comes(id);
    // A control plane that was killed leaves its claim.
    const claim =
      "UPDATE redirect_drafts SET attempts = 1, claimed_until = now() + interval '1 hour' WHERE redirect_id = $1";
    await drafts.api.database.query(claim, [id]);
    expect(await drafts.publisher.runRound()).toBe(0);
    await drafts.api.database.query(
      "UPDATE redirect_drafts SET claimed_until = now() - interval '1 second' WHERE redirect_id = $1",
      [id],
    );
    expect(await drafts.createPublisher().runRound()).toBe(1);
    expect(await ask('GET', `/redirects/${id}`)).toMatchObject({ note: 'published' });
  });

  it.each([
    ['writing', (id: string) => ask('PUT', `/redirects/${id}/draft`, { redirect: { note: 'later' } })],
    ['discarding', (id: string) => ask('DELETE', `/redirects/${id}/draft`)],
  ])('is canceled by %s the draft', async (_what, cancel) => {
    const { id } = await schedule();
    await cancel(id);
    const [row] = await drafts.api.database.query(
      'SELECT publish_at FROM redirect_drafts WHERE redirect_id = $1',
      [id],
    );
    expect(row ?? { publish_at: null }).toEqual({ publish_at: null });
    expect(await drafts.publisher.runRound()).toBe(0);
    expect(await ask('GET', `/redirects/${id}`)).toMatchObject({ version: 1 });
  });

  it('is kept with the reason when it is refused', async () => {
    const { id, host } = await schedule({ redirect: { externalId: 'taken' } });
    await drafts.createRedirect(user, { externalId: 'taken' });
    await comes(id);
    await Promise.all([drafts.publisher.runRound(), drafts.createPublisher().runRound()]);
    const error = { code: 'EXTERNAL_ID_EXISTS', field: 'redirect.externalId' };
    expect(await draftOf(id)).toMatchObject({ publishAt: null, lastError: error, errors: [error] });
    const [failed, ...more] = await eventsAbout(id, 'draft.failed');
    expect(failed).toMatchObject({ redirectId: id, domain: host, error });
    expect(more).toEqual([]);
    expect(await drafts.publisher.runRound()).toBe(0);
    expect(await ask('GET', `/redirects/${id}`)).toMatchObject({ version: 1 });
    // The owner corrects the draft and schedules it again.
    expect(await ask('PUT', `/redirects/${id}/draft`, { redirect: { externalId: id } })).toMatchObject({
      lastError: null,
    });
    expect(await call('POST', `/redirects/${id}/draft/publish`)).toMatchObject({ status: 200 });
  });

  it('is refused then if the redirect has changed meanwhile', async () => {
    const { id } = await schedule();
    await ask('PATCH', `/redirects/${id}`, { note: 'theirs' });
    await comes(id);
    await drafts.publisher.runRound();
    expect(await draftOf(id)).toMatchObject({
      baseVersion: 1,
      currentVersion: 2,
      lastError: { code: 'PRECONDITION_FAILED' },
    });
    expect(await eventsAbout(id, 'draft.failed')).toMatchObject([{ error: { code: 'PRECONDITION_FAILED' } }]);
    expect(await ask('GET', `/redirects/${id}`)).toMatchObject({ note: 'theirs' });
  });

  it('takes changes into account that its owner has seen', async () => {
    const { id } = await drafts.createRedirect(user);
    await ask('PUT', `/redirects/${id}/draft`, { redirect: { note: 'mine' } });
    await ask('PATCH', `/redirects/${id}`, { note: 'theirs' });
    const { headers } = await call('GET', `/redirects/${id}`);
    const scheduled = await drafts.api.call('POST', `/redirects/${id}/draft/publish`, {
      token: user.token,
      body: { at: inAnHour() },
      headers: { 'if-match': String(headers.etag) },
    });
    expect(scheduled).toMatchObject({ status: 202, json: { baseVersion: 2 } });
    await comes(id);
    await drafts.publisher.runRound();
    expect(await ask('GET', `/redirects/${id}`)).toMatchObject({ note: 'mine', version: 3 });
  });

  it('fails if the redirect is deleted', async () => {
    const { id } = await schedule();
    await ask('DELETE', `/redirects/${id}`);
    await comes(id);
    await drafts.publisher.runRound();
    expect(await eventsAbout(id, 'draft.failed')).toMatchObject([{ error: { code: 'NOT_FOUND' } }]);
  });

  it('waits while the account is suspended', async () => {
    const { id } = await schedule();
    await comes(id);
    const { database } = drafts.api;
    await database.query("INSERT INTO suspensions (user_id, reason) VALUES ($1, 'spam')", [user.id]);
    expect(await drafts.publisher.runRound()).toBe(0);
    await database.query('DELETE FROM suspensions WHERE user_id = $1', [user.id]);
    expect(await drafts.publisher.runRound()).toBe(1);
    expect(await ask('GET', `/redirects/${id}`)).toMatchObject({ note: 'published' });
  });

  it.each(['yesterday', '2020-01-01', '2099-01-01T00:00:00Z', 5])('cannot be %s', async (at) => {
    const { id } = await drafts.createRedirect(user);
    await ask('PUT', `/redirects/${id}/draft`, {});
    const refused = await call('POST', `/redirects/${id}/draft/publish`, { at });
    expect(refused).toMatchObject({ status: 422, json: { error: { field: 'at' } } });
  });
});
