import { createHash } from 'node:crypto';
import { AppError } from '../../errors/app-error.js';

const CHECKSUM_LENGTH = 8;
const MAX_CURSOR_LENGTH = 1_000;

/** Position of a row in a sorted list: its key as text, and its id. */
export interface ListPosition {
  readonly key: string;
  readonly id: string;
  /** Whether a filtered list is read in its order from this position, without the indexes of the filter. */
  readonly isRead?: boolean;
}

/**
 * Encodes a position as an opaque text. The text names the order of the list, because a position is valid only in one
 * order.
 *
 * @param order as in the query parameter `sort`
 */
export function encodeCursor(order: string, { key, id, isRead }: ListPosition): string {
  const content = JSON.stringify(isRead === true ? [order, key, id, true] : [order, key, id]);
  return Buffer.from(checksumOf(content) + content).toString('base64url');
}

/**
 * Decodes a cursor. The checksum detects damage; `isPosition` must refuse forged values.
 *
 * @throws {AppError} INVALID_REQUEST for a text that `encodeCursor` did not return for this order
 */
export function decodeCursor(
  order: string,
  cursor: string,
  isPosition: (position: ListPosition) => boolean,
): ListPosition {
  if (cursor.length > MAX_CURSOR_LENGTH) throw unreadable();
  const text = Buffer.from(cursor, 'base64url').toString();
  const content = text.slice(CHECKSUM_LENGTH);
  const isWhole = text.startsWith(checksumOf(content));
  if (!isWhole || Buffer.from(text).toString('base64url') !== cursor) throw unreadable();
  const position = positionIn(content, order);
  if (position === undefined || !isPosition(position)) throw unreadable();
  return position;
}

function positionIn(content: string, order: string): ListPosition | undefined {
  try {
    const [ofOrder, key, id, isRead]: readonly unknown[] = JSON.parse(content);
    if (ofOrder !== order || typeof key !== 'string' || typeof id !== 'string') return undefined;
    return { key, id, isRead: isRead === true };
  } catch {
    return undefined;
  }
}

function checksumOf(content: string): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, CHECKSUM_LENGTH);
}

function unreadable(): AppError {
  return new AppError('INVALID_REQUEST', {
    field: 'cursor',
    message:
      'cursor must be a nextCursor of this list with the same sort. Leave it out to begin with the first page.',
  });
}
