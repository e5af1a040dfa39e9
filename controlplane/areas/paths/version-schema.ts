import { Type } from 'typebox';
import { PageSchema } from '../../http/schema-parts.js';
import { EntrySettingsSchema, ListQuerySchema, OptionsSchema } from './path-schema.js';

export const PageQuerySchema = Type.Object(
  { limit: ListQuerySchema.properties.limit, cursor: ListQuerySchema.properties.cursor },
  { additionalProperties: false },
);

export const StagedListSchema = Type.Object({
  data: Type.Array(EntrySettingsSchema),
  page: PageSchema,
  options: OptionsSchema,
  summary: Type.Object({ total: Type.Integer() }),
  createdAt: Type.String({ format: 'date-time' }),
});

const side = (description: string) => Type.Union([EntrySettingsSchema, Type.Null()], { description });

export const DiffSchema = Type.Object({
  summary: Type.Object({
    added: Type.Integer(),
    changed: Type.Integer(),
    removed: Type.Integer(),
    unchanged: Type.Integer(),
  }),
  options: Type.Object({ live: OptionsSchema, staged: OptionsSchema }),
  data: Type.Array(
    Type.Object(
      {
        kind: Type.Enum(['added', 'changed', 'removed']),
        live: side('Null for an added entry.'),
        staged: side('Null for a removed entry.'),
      },
      { title: 'PathDifference' },
    ),
    { description: 'Changed entries, sorted by source.' },
  ),
  page: PageSchema,
});
