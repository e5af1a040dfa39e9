import { type Static, Type } from 'typebox';
import { bodyOf, nullable, pageOf, paging, recordOf, time } from '../../http/schema-parts.js';
import { periodSchema } from '../history/public.js';
import { OPERATOR_ACTIONS, type OperatorLogEntry } from './operator-log.js';
import type { Takedown } from './takedown-repository.js';
import type { ListedUser } from './user-admin-repository.js';

export const PageQuerySchema = Type.Object(paging);
export const UserQuerySchema = Type.Object({
  ...paging,
  search: Type.Optional(
    Type.String({ minLength: 1, maxLength: 254, description: 'Part of an e-mail address, or an id.' }),
  ),
  status: Type.Optional(Type.Enum(['active', 'suspended'])),
});

export const LogQuerySchema = Type.Object({
  ...paging,
  action: Type.Optional(Type.Enum([...OPERATOR_ACTIONS])),
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 254,
      description: 'Part of the subject or of the address of the operator.',
    }),
  ),
  ...periodSchema,
});

export const DomainParamSchema = Type.Object({ domain: Type.String({ minLength: 1, maxLength: 253 }) });

const reasonOptions = { maxLength: 500, description: 'Reason for the log and for the owner.' };

export const SuspendSchema = bodyOf(
  { reason: Type.String({ ...reasonOptions, default: '' }) },
  { reason: 'Phishing reported by a registrar.' },
);

export const TakedownInputSchema = bodyOf(
  {
    host: Type.Optional(Type.String({ maxLength: 300, description: 'Host of redirects.' })),
    destinationHost: Type.Optional(
      Type.String({ maxLength: 300, description: 'Destination host of redirects or their rules.' }),
    ),
    reason: Type.String({ minLength: 1, ...reasonOptions }),
  },
  { destinationHost: 'phishing.example', reason: 'Reported by a registrar.' },
);

export const UserRecordSchema = Type.Object(
  {
    id: Type.String(),
    email: nullable(Type.String()),
    isEmailVerified: Type.Boolean(),
    createdAt: time,
    redirects: Type.Integer(),
    suspendedAt: nullable(time),
    suspensionReason: nullable(Type.String()),
    eraseAt: nullable(time, 'Time when the account will be erased after its deletion.'),
  },
  { title: 'ListedUser' },
);

export const TakedownRecordSchema = Type.Object(
  {
    id: Type.String(),
    host: nullable(Type.String()),
    destinationHost: nullable(Type.String()),
    reason: Type.String(),
    createdBy: Type.String(),
    createdAt: time,
    liftedBy: nullable(Type.String()),
    liftedAt: nullable(time, 'Null while it is active.'),
  },
  { title: 'Takedown' },
);

export const CreatedTakedownSchema = Type.Object(
  {
    ...TakedownRecordSchema.properties,
    redirects: Type.Integer({ description: 'Number of published redirects that it concerns.' }),
  },
  { title: 'CreatedTakedown' },
);

const LogEntrySchema = Type.Object(
  {
    id: Type.String(),
    at: time,
    operatorId: Type.String(),
    operatorEmail: nullable(Type.String()),
    tokenId: nullable(Type.String()),
    action: Type.Enum([...OPERATOR_ACTIONS]),
    subject: Type.String({ description: 'Id of the user, host or new ruleset.' }),
    detail: Type.Record(Type.String(), Type.Unknown()),
  },
  { title: 'OperatorLogEntry' },
);

export const UserPageSchema = pageOf(UserRecordSchema);
export const TakedownPageSchema = pageOf(TakedownRecordSchema);
export const LogPageSchema = pageOf(LogEntrySchema);

export function userRecord(user: ListedUser): Static<typeof UserRecordSchema> {
  return recordOf(UserRecordSchema, user);
}

export function takedownRecord(takedown: Takedown): Static<typeof TakedownRecordSchema> {
  return recordOf(TakedownRecordSchema, takedown);
}

export function logRecord(entry: OperatorLogEntry): Static<typeof LogEntrySchema> {
  return recordOf(LogEntrySchema, { ...entry, at: entry.time });
}
