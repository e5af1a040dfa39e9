import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox';

/** An id of a resource in a path. */
export const idInPath = Type.String({ minLength: 1, maxLength: 128 });
export const IdParamSchema = Type.Object({ id: idInPath });
export const MessageSchema = Type.Object({ message: Type.String() }, { title: 'Message' });
export const time = Type.String({ format: 'date-time' });

/** @param title name of the component, for members that several components share */
export const nullable = <Schema extends TSchema>(schema: Schema, description?: string, title?: string) =>
  Type.Union([schema, Type.Null()], {
    ...(description !== undefined && { description }),
    ...(title !== undefined && { title }),
  });

/** The shape `Shown`, but times may be `Date` objects and lists may be read-only. */
type RecordSource<Shown> = {
  readonly [Name in keyof Shown]: Shown[Name] extends (infer Item)[]
    ? readonly Item[]
    : Shown[Name] | (string extends Shown[Name] ? Date : never);
};

/** Returns the members of `source` that the schema has, as the API shows them: times in ISO 8601. */
export function recordOf<Schema extends TObject>(
  schema: Schema,
  source: RecordSource<Static<Schema>>,
): Static<Schema> {
  const values: Readonly<Record<string, unknown>> = source;
  const members = Object.keys(schema.properties).map((name) => {
    const value = values[name];
    return [name, value instanceof Date ? value.toISOString() : value];
  });
  return Object.fromEntries(members);
}

/** Returns the schema of a request body, which refuses unknown members. */
export const bodyOf = <Members extends TProperties>(members: Members, example: object) =>
  Type.Object(members, { additionalProperties: false, examples: [example] });

/** Query of a list that `page-cursor.ts` cuts into pages. */
export const paging = {
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  cursor: Type.Optional(
    Type.String({
      maxLength: 300,
      description: '`nextCursor` of the previous page. Default: the first page.',
    }),
  ),
};
export const PageSchema = Type.Object({
  limit: Type.Integer(),
  nextCursor: nullable(Type.String(), '`null` on the last page.'),
});
/** Returns the schema of a page of such a list. */
export const pageOf = <Item extends TSchema>(item: Item) =>
  Type.Object({ data: Type.Array(item), page: PageSchema });

/** Query of a list with numbered pages. */
export const NumberedPageQuerySchema = Type.Object({
  page: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 }),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
});
export type NumberedPageQuery = Static<typeof NumberedPageQuerySchema>;
export const PaginationSchema = Type.Object({
  page: Type.Integer(),
  limit: Type.Integer(),
  total: Type.Integer(),
  totalPages: Type.Integer(),
});
