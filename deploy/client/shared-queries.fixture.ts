import { objectOf } from './types-of-schema.fixture.js';

/** Minimum parameters of a query that gets a name. */
const MIN_SHARED = 5;

interface Query {
  /** Operation that takes it. */
  readonly name: string;
  /** Text of each parameter, indented as in a type at the top level. */
  readonly members: readonly string[];
}

/** Types of queries that several operations take. The first of these operations gives the name. */
export interface SharedQueries {
  /** Definitions of the types. */
  readonly types: readonly string[];
  /** Returns the type of a query: a shared type, with the members that it lacks. Undefined without members. */
  typeOf(members: readonly string[], indent: string): string | undefined;
}

export function createSharedQueries(queries: readonly Query[]): SharedQueries {
  const textOf = ({ members }: Query) => members.join('');
  const isFirstOfSeveral = (query: Query, index: number) => {
    const same = queries.filter((other) => textOf(other) === textOf(query));
    return same.length > 1 && same[0] === queries[index];
  };
  const shared = queries
    .filter((query, index) => query.members.length >= MIN_SHARED && isFirstOfSeveral(query, index))
    .map(({ name, members }) => ({ name: `${name.charAt(0).toUpperCase()}${name.slice(1)}Query`, members }))
    .sort((one, other) => other.members.length - one.members.length);
  return {
    types: shared.map(({ name, members }) => `export type ${name} = ${objectOf(members, '')};\n`),
    typeOf(members, indent) {
      if (members.length === 0) return undefined;
      const base = shared.find((one) => one.members.every((member) => members.includes(member)));
      const own = members.filter((member) => !base?.members.includes(member));
      const rest = own.length === 0 ? [] : [objectOf(indented(own, indent), indent)];
      return [...(base === undefined ? [] : [base.name]), ...rest].join(' & ');
    },
  };
}

const indented = (members: readonly string[], indent: string) =>
  members.map((member) => member.replace(/^(?=.)/gm, indent));
