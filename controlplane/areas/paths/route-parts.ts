import type { FastifyReply } from 'fastify';
import { AppError } from '../../errors/app-error.js';
import { entityTag } from '../../http/entity-tags.js';
import type { NewEntry, NewTable, TableReplacedRecord } from './path-schema.js';
import type { EntrySettings, GivenTable } from './path-table.js';
import type { TableReplaced } from './table-replacement.js';

/** Maximum size of a table: 100,000 entries of usual length, and a margin. */
export const TABLE_LIMIT_BYTES = 64 * 1024 * 1024;
/** Maximum size of a test: 10,000 URLs of usual length. */
export const URLS_LIMIT_BYTES = 8 * 1024 * 1024;
export const DEFAULT_LIMIT = 50;
export const PATH = '/redirects/:id/paths';

export function tableOf({ options = {}, entries }: NewTable): GivenTable {
  return { options, entries: entries.map(settingsOf) };
}

export function settingsOf(input: NewEntry): EntrySettings {
  const { source, query = null, destination = null, statusCode = 301 } = input;
  const { queryForwarding = 'inherit', pathEnding = 'inherit', enabled = true, note = '' } = input;
  return { source, query, destination, statusCode, queryForwarding, pathEnding, enabled, note };
}

/** Answers a replacement, with the tag of the new version. */
export function replaced(reply: FastifyReply, table: TableReplaced): TableReplacedRecord {
  const body = replacedBody(table);
  reply.header('ETag', entityTag(table.version, body));
  return body;
}

export function replacedBody({ total, diagnostics }: TableReplaced): TableReplacedRecord {
  return { summary: { total }, diagnostics: [...diagnostics] };
}

/** Encodes the number after which the next page begins. */
export function writeCursor(after: number): string {
  return Buffer.from(String(after)).toString('base64url');
}

/** @throws {AppError} INVALID_REQUEST */
export function readCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const after = Buffer.from(cursor, 'base64url').toString('latin1');
  if (/^\d{1,15}$/.test(after)) return Number(after);
  const message = 'cursor must be the nextCursor of an earlier page.';
  throw new AppError('INVALID_REQUEST', { field: 'cursor', message });
}
