import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { type Answer, type Operation, type Rule, type Schemas, WaymarkError } from '@waymark/client';
import type { PathChanges } from './paths';
import { useChange } from './queries';
import { redirectKeys } from './redirects';
import { request, requestTagged } from './request';
import type { EditableRule } from './rules';

/** A rule of a draft. A rule that has no id is new. */
export type DraftedRule = EditableRule & { readonly id?: number };

/** Changes in a draft. Publishing leaves absent parts unchanged. */
export interface DraftContent {
  readonly redirect?: Readonly<Record<string, unknown>>;
  /** All rules, in their order. */
  readonly rules?: readonly DraftedRule[];
  /** The whole table. */
  readonly paths?: {
    readonly options?: Partial<Schemas.PathOptions>;
    readonly entries: readonly PathChanges[];
  };
}

/** A draft. The OpenAPI document has no type for the values of conditions. */
export type Draft = Omit<Schemas.Draft, keyof DraftContent> & DraftContent;

/** Changes that others made since the draft was begun. */
export interface OutdatedDraft {
  readonly currentVersion: number;
  /** null if the changes are no longer known. */
  readonly changes: readonly Schemas.StateDifference[] | null;
}

const draftKey = (id: string) => ['draft', id] as const;
const MAX_DRAFTED_ENTRIES = 5_000;
/** Maximum attempts to save a change while others change the draft. */
const MAX_ATTEMPTS = 5;

interface TaggedDraft {
  readonly draft: Draft | null;
  readonly etag: string | undefined;
}

async function readDraft(id: string, signal?: AbortSignal): Promise<TaggedDraft> {
  try {
    const { data, etag } = await requestTagged('GET', '/redirects/{id}/draft', {
      params: { id },
      signal,
    });
    return { draft: data as Draft, etag };
  } catch (error) {
    if (error instanceof WaymarkError && error.status === 404) return { draft: null, etag: undefined };
    throw error;
  }
}

/** The draft of a redirect, or null. */
export function useDraft(id: string) {
  return useQuery({
    queryKey: draftKey(id),
    queryFn: async ({ signal }) => (await readDraft(id, signal)).draft,
  });
}

const contentOf = ({ redirect, rules, paths }: DraftContent): DraftContent => ({
  ...(redirect && { redirect }),
  ...(rules && { rules }),
  ...(paths && { paths }),
});

export function useDraftChanges(id: string) {
  const client = useQueryClient();
  const params = { id };

  /**
   * Changes the draft, or creates one. If another user saves the draft first, applies the change again to the newer
   * draft.
   */
  async function edit(change: (content: DraftContent) => DraftContent | Promise<DraftContent>) {
    for (let attempt = 1; ; attempt += 1) {
      const { draft: found, etag } = await readDraft(id);
      client.setQueryData(draftKey(id), found);
      const body = await change(contentOf(found ?? {}));
      try {
        const options = { params, body, ifMatch: etag };
        const draft = (await request('PUT', '/redirects/{id}/draft', options)) as Draft;
        client.setQueryData(draftKey(id), draft);
        return draft;
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !(error instanceof WaymarkError) || error.status !== 412) throw error;
      }
    }
  }

  return {
    edit,
    /** Publishes the draft. @param at ISO time, or null for now */
    publish: useChange(
      (at: string | null) =>
        request('POST', '/redirects/{id}/draft/publish', { params, body: at === null ? {} : { at } }),
      ...[draftKey(id), ['rules', id], ['paths', id], ['versions', id], redirectKeys.all],
    ),
    discard: useChange(async () => {
      await request('DELETE', '/redirects/{id}/draft', { params });
      client.setQueryData(draftKey(id), null);
    }),
    /** Stores the same content as a draft based on the current version. */
    rebase: useChange(async (draft: Draft & { readonly baseVersion: number }) => {
      const body = { ...contentOf(draft), baseVersion: draft.baseVersion };
      const rebased = await request('PUT', '/redirects/{id}/draft', { params, body });
      client.setQueryData(draftKey(id), rebased);
    }),
  };
}

/** Returns the changes since a draft was begun, if the API refused to publish the draft because of them. */
export function outdatedOf(error: unknown): OutdatedDraft | undefined {
  if (!(error instanceof WaymarkError) || error.status !== 412) return undefined;
  return error.body as OutdatedDraft;
}

/**
 * Converts a rule into a rule of a draft: omits counts, dates and the priority. Its position in the list is its
 * priority.
 */
export function draftedRule(rule: Rule): DraftedRule {
  const { hitCount, redirectId, createdBy, createdAt, updatedAt, priority, ...kept } = rule;
  return kept;
}

/**
 * Reads the whole path table, as the start of a draft.
 *
 * @returns undefined for a table that is too large to be edited by hand
 */
export async function readPathTable(id: string): Promise<DraftContent['paths'] | undefined> {
  const entries: PathChanges[] = [];
  let cursor: string | null | undefined;
  let options: Schemas.PathOptions | undefined;
  while (cursor !== null) {
    const page: Answer<Operation<'GET', '/redirects/{id}/paths'>> = await request(
      'GET',
      '/redirects/{id}/paths',
      {
        params: { id },
        query: { limit: 200, cursor },
      },
    );
    entries.push(...page.data.map(({ id: _, hitCount, lastHitAt, ...settings }) => settingsOf(settings)));
    if (entries.length > MAX_DRAFTED_ENTRIES) return undefined;
    options = page.options;
    cursor = page.page.nextCursor;
  }
  return { entries, ...(options && { options }) };
}

function settingsOf(entry: PathChanges): PathChanges {
  const { source, query, destination, statusCode, queryForwarding, pathEnding, enabled, note } = entry;
  const settings = { source, query, destination, statusCode, queryForwarding, pathEnding, enabled, note };
  return settings as PathChanges;
}
