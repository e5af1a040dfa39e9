import { objectOf } from './types-of-schema.fixture.js';

/** Minimum members of a type that others extend, and of a query that gets the name of its operation. */
const MIN_SHARED = 5;
/** Names for the query parameters that two operations have in common. */
const GROUPS = { HitFilter: ['getErrorStats', 'listHits'], ForceQuery: ['createRedirectRule', 'rollBack'] };

/** An object type. Each member is its text, indented as in a type at the top level. */
export interface ObjectType {
  readonly name: string;
  readonly members: readonly string[];
}

/** Returns the types for the queries that several operations take. `queries` have the names of their operations. */
export function sharedQueries(queries: readonly ObjectType[]): ObjectType[] {
  const membersOf = (operation = '') => queries.find(({ name }) => name === operation)?.members ?? [];
  const groups = Object.entries(GROUPS).map(([name, [one, other]]) => ({
    name,
    members: membersOf(one).filter((member) => membersOf(other).includes(member)),
  }));
  const sameAs = (query: ObjectType) =>
    queries.filter((other) => other.members.join('') === query.members.join(''));
  const repeated = queries
    .filter((query) => query.members.length >= MIN_SHARED)
    .filter((query) => sameAs(query).length > 1 && sameAs(query)[0] === query)
    .map(({ name, members }) => ({ name: `${name.charAt(0).toUpperCase()}${name.slice(1)}Query`, members }));
  return [...groups, ...repeated];
}

/** Returns the type of each of `types`. A type with all members of a smaller or earlier one extends it. */
export function objectTypes(types: readonly ObjectType[]): Map<string, string> {
  const bases = types.filter(({ members }) => members.length >= MIN_SHARED);
  return new Map(
    types.map((type) => {
      const isBefore = (base: ObjectType) =>
        base.members.length < type.members.length ||
        (base.members.length === type.members.length && types.indexOf(base) < types.indexOf(type));
      return [type.name, extended(type.members, bases.filter(isBefore), '')];
    }),
  );
}

/** Returns the type of an object: the largest base whose members it has all, and the members that the base lacks. */
export function extended(members: readonly string[], bases: readonly ObjectType[], indent: string): string {
  const [base] = bases
    .filter((one) => one.members.every((member) => members.includes(member)))
    .sort((one, other) => other.members.length - one.members.length);
  if (base === undefined) return objectOf(indented(members, indent), indent);
  const own = members.filter((member) => !base.members.includes(member));
  return own.length === 0 ? base.name : `${base.name} & ${objectOf(indented(own, indent), indent)}`;
}

const indented = (members: readonly string[], indent: string) =>
  members.map((member) => member.replace(/^(?=.)/gm, indent));
