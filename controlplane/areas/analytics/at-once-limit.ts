import { AppError } from '../../errors/app-error.js';
import { tooManyRequests } from '../../http/too-many-requests.js';

export interface AtOnceOptions {
  /** Plural of the counted things: `exports`. */
  readonly what: string;
  readonly maxOfUser: number;
  /** Default: no limit. */
  readonly maxOfAll?: number;
  /** Sent as `Retry-After`. */
  readonly retryAfterSeconds: number;
}

/** Limits the concurrent work of each user and of all users. Counts in this process only. */
export function createAtOnceLimit(options: AtOnceOptions) {
  const { what, maxOfUser, maxOfAll = Infinity, retryAfterSeconds } = options;
  const underWay = new Map<string, number>();
  let total = 0;

  function refuse(count: number): void {
    if (count >= maxOfUser) {
      const reason = `You have ${count} ${what} under way, and ${maxOfUser} at a time are the limit.`;
      throw tooManyRequests(reason, retryAfterSeconds * 1_000);
    }
    if (total >= maxOfAll) {
      const message = `Too many ${what} are under way. Retry in ${retryAfterSeconds} s.`;
      throw new AppError('SERVICE_UNAVAILABLE', { message, retryAfterSeconds });
    }
  }

  function leave(userId: string): void {
    total -= 1;
    const left = (underWay.get(userId) ?? 1) - 1;
    if (left === 0) underWay.delete(userId);
    else underWay.set(userId, left);
  }

  /**
   * Counts one more running work of a user.
   *
   * @returns a function that ends it; later calls do nothing
   * @throws AppError RATE_LIMIT_EXCEEDED when the user has reached the limit, SERVICE_UNAVAILABLE when all users
   * together have reached theirs
   */
  function enter(userId: string): () => void {
    const count = underWay.get(userId) ?? 0;
    refuse(count);
    underWay.set(userId, count + 1);
    total += 1;
    let isOpen = true;
    return () => {
      if (isOpen) leave(userId);
      isOpen = false;
    };
  }

  return {
    enter,
    /** Counts one more of a user while `work` runs. @throws as `enter` */
    async during<Result>(userId: string, work: () => Promise<Result>): Promise<Result> {
      const end = enter(userId);
      try {
        return await work();
      } finally {
        end();
      }
    },
  };
}
