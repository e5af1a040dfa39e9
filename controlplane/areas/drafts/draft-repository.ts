import { packText, unpackText } from '../../storage/packed-text.js';
import { asMembers } from '../../storage/postgres/as-members.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { Actor } from '../history/public.js';
import type { Definition } from './definition.js';
import type { Draft, DraftError } from './draft.js';

interface DraftRow extends Omit<Draft, 'definition'> {
  readonly content: Uint8Array;
}

const COLUMNS =
  asMembers(`redirect_id, user_id, version, content, base_version, written_by, created_at, updated_at,
  publish_at, publish_by, last_error, attempts`);
const NEXT_VERSION = "nextval('redirect_draft_versions')";
const UNSCHEDULED = 'publish_at = NULL, publish_by = NULL, claimed_until = NULL, attempts = 0';

export interface WrittenDraft {
  readonly redirectId: string;
  readonly userId: string;
  readonly definition: Definition;
  readonly baseVersion: number;
  readonly writtenBy: Actor;
}

/** Identifies a state of a draft. */
export type DraftState = Pick<Draft, 'redirectId' | 'version'>;

/** All SQL about drafts. Writers of a draft, except of its claim, hold the lock of the redirect's row or of the draft's. */
export const draftRepository = {
  async find(source: Queryable, redirectId: string): Promise<Draft | undefined> {
    const [row] = await source.query<DraftRow>(
      `SELECT ${COLUMNS} FROM redirect_drafts WHERE redirect_id = $1`,
      [redirectId],
    );
    return row && toDraft(row);
  },

  /** Returns the facts about a draft without its content, and locks it until the transaction ends. */
  async lock(
    tx: Queryable,
    redirectId: string,
  ): Promise<Pick<Draft, 'version' | 'baseVersion' | 'publishAt'> | undefined> {
    const [draft] = await tx.query<Pick<Draft, 'version' | 'baseVersion' | 'publishAt'>>(
      `SELECT ${asMembers('version, base_version, publish_at')} FROM redirect_drafts WHERE redirect_id = $1 FOR UPDATE`,
      [redirectId],
    );
    return draft;
  },

  /** Writes a draft, and cancels its publication. */
  async write(tx: Queryable, draft: WrittenDraft): Promise<void> {
    await tx.query(
      `INSERT INTO redirect_drafts (redirect_id, user_id, content, base_version, written_by)
       VALUES ($1, $2, $3, $4, $5::jsonb)
       ON CONFLICT (redirect_id) DO UPDATE SET content = $3, base_version = $4, written_by = $5::jsonb,
         version = ${NEXT_VERSION}, updated_at = now(), last_error = NULL, ${UNSCHEDULED}`,
      [
        draft.redirectId,
        draft.userId,
        await packText(JSON.stringify(draft.definition)),
        draft.baseVersion,
        JSON.stringify(draft.writtenBy),
      ],
    );
  },

  async delete(tx: Queryable, redirectId: string): Promise<void> {
    await tx.query('DELETE FROM redirect_drafts WHERE redirect_id = $1', [redirectId]);
  },

  /** Schedules the publication of a draft that is based on `baseVersion`. */
  async schedule(
    tx: Queryable,
    redirectId: string,
    { at, by, baseVersion }: { readonly at: Date; readonly by: Actor; readonly baseVersion: number },
  ): Promise<void> {
    await tx.query(
      `UPDATE redirect_drafts SET publish_at = $2, publish_by = $3::jsonb, base_version = $4, last_error = NULL,
         claimed_until = NULL, attempts = 0, version = ${NEXT_VERSION}
       WHERE redirect_id = $1`,
      [redirectId, at, JSON.stringify(by), baseVersion],
    );
  },

  /** Claims a due draft. Drafts of suspended users and of accounts that wait for their deletion are not claimed. */
  async claimDue(source: Queryable, seconds: number): Promise<Draft | undefined> {
    const [row] = await source.query<DraftRow>(
      `UPDATE redirect_drafts SET claimed_until = now() + make_interval(secs => $1), attempts = attempts + 1
       WHERE redirect_id = (SELECT redirect_id FROM redirect_drafts AS due
         WHERE publish_at <= now() AND (claimed_until IS NULL OR claimed_until < now())
           AND NOT EXISTS (SELECT FROM suspensions WHERE user_id = due.user_id)
           AND NOT EXISTS (SELECT FROM account_deletions WHERE user_id = due.user_id)
         ORDER BY publish_at, redirect_id LIMIT 1 FOR UPDATE SKIP LOCKED)
       RETURNING ${COLUMNS}`,
      [seconds],
    );
    return row && toDraft(row);
  },

  /** Ends a scheduled publication that failed. Resolves to whether it was still scheduled. */
  async fail(tx: Queryable, { redirectId, version }: DraftState, error: DraftError): Promise<boolean> {
    const rows = await tx.query(
      `UPDATE redirect_drafts SET last_error = $3::jsonb, version = ${NEXT_VERSION}, ${UNSCHEDULED}
       WHERE redirect_id = $1 AND version = $2 RETURNING redirect_id`,
      [redirectId, version, JSON.stringify(error)],
    );
    return rows.length > 0;
  },
};

async function toDraft({ content, ...row }: DraftRow): Promise<Draft> {
  return { ...row, definition: JSON.parse(await unpackText(content)) as Definition };
}
