import { AppError } from './app-error.js';

/**
 * Checks a part of a request as if it were a whole one. The fields of errors get the path of the part in front:
 * `action.url` becomes `rules.3.action.url`. An empty field becomes the path.
 */
export async function inPart<T>(path: string, check: () => T | Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof AppError) || error.field === undefined) throw error;
    const { code, message, field, beside, retryAfterSeconds, detail, cause } = error;
    throw new AppError(code, {
      message,
      field: field === '' ? path : `${path}.${field}`,
      ...(beside !== undefined && { beside }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      ...(detail !== undefined && { detail }),
      ...(cause !== undefined && { cause }),
    });
  }
}
