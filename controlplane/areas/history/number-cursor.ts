import { AppError } from '../../errors/app-error.js';

/** @param position undefined after the last page */
export function encodeNumber(position: number | undefined): string | null {
  return position === undefined ? null : Buffer.from(String(position)).toString('base64url');
}

/** @throws {AppError} INVALID_REQUEST when the cursor was not made by `encodeNumber` */
export function decodeNumber(cursor: string | undefined, start: number): number {
  if (cursor === undefined) return start;
  const text = Buffer.from(cursor, 'base64url').toString();
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new AppError('INVALID_REQUEST', {
    field: 'cursor',
    message: 'cursor must be the nextCursor of an earlier page, or be left out.',
  });
}
