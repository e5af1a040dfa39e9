import type { CurrentUser } from '../../http/current-user.js';

/** Changes related to a redirect that do not affect visitors. They create no version. */
const WITHOUT_VERSION = [
  'draft.written',
  'draft.scheduled',
  'draft.deleted',
  'paths.staged',
  'paths.discarded',
  'examples.replaced',
] as const;

/** Actions by the type of the resource that entries name. Changes of rules and paths are changes of their redirect. */
export const ACTIONS = {
  redirect: [
    'redirect.created',
    'redirect.updated',
    'redirect.deleted',
    'redirect.restored',
    'redirect.verified',
    'redirect.unverified',
    'redirect.switched_off',
    'redirect.switched_on',
    'redirect.taken_down',
    'redirect.takedown_lifted',
    'redirect.rolled_back',
    'rule.created',
    'rule.updated',
    'rule.duplicated',
    'rule.deleted',
    'rule.reordered',
    'path.created',
    'path.updated',
    'path.deleted',
    'paths.replaced',
    'paths.imported',
    'paths.published',
    'paths.restored',
    'draft.published',
    ...WITHOUT_VERSION,
  ],
  token: ['token.created', 'token.deleted'],
  session: ['session.created', 'session.deleted'],
  account: [
    'account.created',
    'account.email_verified',
    'account.password_changed',
    'account.deletion_requested',
    'account.restored',
    'account.fallback_changed',
    'account.suspended',
    'account.resumed',
  ],
  webhook_endpoint: [
    'webhook_endpoint.created',
    'webhook_endpoint.updated',
    'webhook_endpoint.deleted',
    'webhook_endpoint.secret_rotated',
  ],
  certificate: ['certificate.uploaded', 'certificate.deleted'],
  import: ['import.created', 'import.canceled'],
  subscription: ['subscription.changed'],
  payment: ['payment.changed'],
} as const;

export type ResourceType = keyof typeof ACTIONS;
export type AuditAction = (typeof ACTIONS)[ResourceType][number];
/** Actions that create a version of a redirect. */
export type VersionAction = Exclude<(typeof ACTIONS)['redirect'][number], (typeof WITHOUT_VERSION)[number]>;

/** Actor of a change, with the address and the permissions of the request. */
export type Actor = Pick<CurrentUser, 'id' | 'email' | 'tokenId' | 'address' | 'mayBreakExamples'>;

/** Content of an entry. It never holds a secret. */
export interface AuditEntry {
  /** Owner of the resource, whose log this is. */
  readonly userId: string;
  /** Null for the service itself. */
  readonly by: Actor | null;
  readonly action: AuditAction;
  /** Null if the entry is about several resources. */
  readonly resourceId: string | null;
  /** Name that people know: a domain, the name of a token, a URL. */
  readonly resourceName: string | null;
  readonly resourceCount: number;
  readonly summary: string;
}

const TYPE_OF_ACTION = new Map<AuditAction, ResourceType>(
  (Object.keys(ACTIONS) as ResourceType[]).flatMap((type) =>
    ACTIONS[type].map((action): [AuditAction, ResourceType] => [action, type]),
  ),
);

export const RESOURCE_TYPES = Object.keys(ACTIONS) as readonly ResourceType[];
export const AUDIT_ACTIONS: readonly AuditAction[] = [...TYPE_OF_ACTION.keys()];

/** Names longer than this are cut. */
const MAX_NAME_LENGTH = 300;
const MAX_SUMMARY_LENGTH = 500;

/** Columns of `auditValues`. */
export const AUDIT_COLUMNS = `user_id, action, resource_type, resource_id, resource_name, resource_count, summary,
  by_user_id, by_email, by_token_id, by_address`;
/** Number of `auditValues`. */
export const AUDIT_VALUES = 11;
/** Index of the only resource that is a number. */
export const RESOURCE_COUNT = 5;

export function auditValues(entry: AuditEntry): unknown[] {
  const { by } = entry;
  return [
    entry.userId,
    entry.action,
    TYPE_OF_ACTION.get(entry.action),
    entry.resourceId,
    entry.resourceName?.slice(0, MAX_NAME_LENGTH) ?? null,
    entry.resourceCount,
    entry.summary.slice(0, MAX_SUMMARY_LENGTH),
    by?.id ?? null,
    by?.email ?? null,
    by?.tokenId ?? null,
    by?.address ?? null,
  ];
}
