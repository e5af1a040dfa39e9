import type { Queryable } from '../../storage/postgres/database.js';
import {
  type Actor,
  AUDIT_COLUMNS,
  AUDIT_VALUES,
  type AuditAction,
  auditValues,
  type VersionAction,
} from './audit-entry.js';

/** A change of a resource that has no versions. */
export interface RecordedEvent {
  readonly userId: string;
  /** Null for the service itself. */
  readonly by: Actor | null;
  readonly action: Exclude<AuditAction, VersionAction>;
  readonly resourceId: string;
  /** Name that people know. Never a secret. */
  readonly resourceName: string | null;
  readonly summary: string;
}

const values = Array.from({ length: AUDIT_VALUES }, (_, index) => `$${index + 1}`).join(', ');

/** Adds an entry to the audit log of a user, in the transaction of the change. */
export async function recordAudit(tx: Queryable, event: RecordedEvent): Promise<void> {
  await tx.query(
    `INSERT INTO audit_log (${AUDIT_COLUMNS}) VALUES (${values})`,
    auditValues({ ...event, resourceCount: 1 }),
  );
}
