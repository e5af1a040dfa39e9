import { SINGLE_TEXTS, type SingleTextAttribute, type Visitor } from './attributes.js';

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** The methods of a visitor that read one text: the names of the attributes in camel case. */
export type TextMethod = CamelCase<SingleTextAttribute>;

export function methodOf(attribute: SingleTextAttribute): TextMethod {
  return attribute.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()) as TextMethod;
}

type TextTraits = { readonly [Method in TextMethod]?: string | undefined };

/** Known values of a visitor; all others are unknown. */
export interface TestVisitorTraits extends TextTraits {
  /** Host and domains above it; none when absent. */
  readonly referrerDomains?: readonly string[] | undefined;
  readonly address?: string | undefined;
  readonly query?: Readonly<Record<string, readonly string[]>>;
  /** 0 when absent. */
  readonly hourOfDay?: number;
  /** 0 when absent. */
  readonly dayOfWeek?: number;
  /** Hours and days in other time zones than UTC, by `timeZoneKey`; 0 when absent. */
  readonly clocks?: Readonly<Record<string, { readonly hourOfDay: number; readonly dayOfWeek: number }>>;
  /** 0 when absent. */
  readonly nowMs?: number;
  readonly cookies?: Readonly<Record<string, string>>;
  readonly visitorId?: string;
  /** Result of each draw; 0.5 when absent. */
  readonly draw?: (seed: number) => number;
}

export interface TestVisitor extends Visitor {
  /** Names of the called methods, in order, with repetitions. */
  readonly reads: readonly (keyof Visitor)[];
}

/** A visitor with given values, which records the values that are read. */
export function createTestVisitor(traits: TestVisitorTraits = {}): TestVisitor {
  const reads: (keyof Visitor)[] = [];
  const noting =
    <Args extends readonly unknown[], Result>(name: keyof Visitor, read: (...args: Args) => Result) =>
    (...args: Args) => {
      reads.push(name);
      return read(...args);
    };
  const texts = Object.fromEntries(
    SINGLE_TEXTS.map(methodOf).map((method) => [method, noting(method, () => traits[method])]),
  ) as Pick<Visitor, TextMethod>;
  return {
    reads,
    ...texts,
    referrerDomains: noting('referrerDomains', () => traits.referrerDomains ?? []),
    address: noting('address', () => traits.address),
    queryValues: noting('queryValues', (param: string) =>
      traits.query !== undefined && Object.hasOwn(traits.query, param) ? (traits.query[param] ?? []) : [],
    ),
    hourOfDay: noting('hourOfDay', (zone?: string) => clockOf(traits, zone).hourOfDay ?? 0),
    dayOfWeek: noting('dayOfWeek', (zone?: string) => clockOf(traits, zone).dayOfWeek ?? 0),
    nowMs: noting('nowMs', () => traits.nowMs ?? 0),
    cookie: noting('cookie', (name: string) =>
      traits.cookies !== undefined && Object.hasOwn(traits.cookies, name) ? traits.cookies[name] : undefined,
    ),
    visitorId: noting('visitorId', () => traits.visitorId ?? '0123456789abcdef'),
    draw: noting('draw', (seed: number) => traits.draw?.(seed) ?? 0.5),
  };
}

function clockOf(traits: TestVisitorTraits, timeZone: string | undefined) {
  return timeZone === undefined ? traits : (traits.clocks?.[timeZone] ?? {});
}
