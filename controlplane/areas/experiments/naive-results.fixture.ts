/** Members of a recorded hit that affect results. */
export interface NaiveHit {
  readonly redirectId: string;
  readonly ruleId: number;
  readonly variant: string;
  readonly visitor: string;
  readonly atMs: number;
  readonly isBot: boolean;
  readonly path: string;
  readonly status: number;
}

export interface NaiveConversion {
  readonly id: string;
  readonly visitor: string;
  readonly goal: string;
  readonly atMs: number;
  readonly value: number;
}

export interface NaiveQuestion {
  readonly ruleId: number;
  readonly redirectId: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly includeBots: boolean;
  readonly windowMs: number;
  readonly goal:
    | { readonly name: string | undefined }
    | { readonly redirectId: string; readonly matches: (path: string) => boolean };
}

export interface NaiveArm {
  visitors: number;
  mixed: number;
  conversions: number;
  total: number;
}

/** Counts visitors and conversions one by one, independent of the SQL. */
export function naiveResults(
  question: NaiveQuestion,
  hits: readonly NaiveHit[],
  conversions: readonly NaiveConversion[],
): Map<string, NaiveArm> {
  const { startMs, endMs, windowMs, goal } = question;
  const counted = hits
    .filter(({ atMs, isBot }) => atMs >= startMs && atMs <= endMs && (question.includeBots || !isBot))
    .sort((one, other) => one.atMs - other.atMs);
  const arms = new Map<string, NaiveArm>();
  const visitors = new Set(counted.map(({ visitor }) => visitor));
  for (const visitor of visitors) {
    const own = counted.filter((hit) => hit.visitor === visitor);
    const seen = own.filter(
      ({ ruleId, redirectId, status }) =>
        ruleId === question.ruleId && redirectId === question.redirectId && status >= 300 && status < 400,
    );
    const [first] = seen;
    if (first === undefined) continue;
    const arm = arms.get(first.variant) ?? { visitors: 0, mixed: 0, conversions: 0, total: 0 };
    arms.set(first.variant, arm);
    arm.visitors += 1;
    if (seen.some(({ variant }) => variant !== first.variant)) arm.mixed += 1;
    const isInTime = (atMs: number) => atMs - first.atMs <= windowMs && atMs <= endMs;
    if ('name' in goal) {
      const ids = new Set<string>();
      const converted = conversions.filter((conversion) => {
        if (ids.has(conversion.id)) return false;
        ids.add(conversion.id);
        const isWanted = goal.name === undefined || conversion.goal === goal.name;
        return (
          isWanted &&
          conversion.visitor === visitor &&
          conversion.atMs >= first.atMs &&
          isInTime(conversion.atMs)
        );
      });
      if (converted.length > 0) arm.conversions += 1;
      for (const { value } of converted) arm.total += value;
    } else {
      const visits = own.filter(
        ({ redirectId, path, status, atMs }) =>
          redirectId === goal.redirectId &&
          goal.matches(path) &&
          status < 400 &&
          atMs > first.atMs &&
          isInTime(atMs),
      );
      if (visits.length > 0) arm.conversions += 1;
    }
  }
  return arms;
}
