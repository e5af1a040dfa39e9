import { randomInt } from 'node:crypto';
import { asMembers } from '../../storage/postgres/as-members.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { Rule, RuleSettings } from './rule.js';
import type { RulePlace } from './rule-priorities.js';
import { BYTES_BESIDE_CONTENT, type RulesSize } from './rule-size.js';

const COLUMNS = asMembers(
  `id, redirect_id, name, description, type, conditions, condition_logic, action, priority, status,
  start_date, end_date, metadata, created_by, created_at, updated_at, version`,
);

export interface NewRule extends RuleSettings {
  /** Id that the rule had before it was deleted. If it is taken, another one is chosen. */
  readonly id?: number | undefined;
  readonly redirectId: string;
  readonly priority: number;
  readonly createdBy: string;
}

/**
 * Upper bound of ids. Ids are random and do not reveal the number of rules. V8 holds numbers below this in 32 bits, and
 * data planes read the id of a rule for each visit that it decides.
 */
const MAX_ID = 2 ** 31;
/** Number of attempts to find a free id. Among ten million rules, one in two hundred ids is taken. */
const MAX_ID_ATTEMPTS = 20;

/**
 * SQL of rules, except the queries for data planes. Each function takes the transaction or the database to use. Writers
 * must hold the lock of the redirect's row.
 */
export const ruleRepository = {
  async insert(tx: Queryable, rule: NewRule): Promise<Rule> {
    for (let attempt = 0; attempt < MAX_ID_ATTEMPTS; attempt += 1) {
      const id = attempt === 0 && rule.id !== undefined ? rule.id : randomInt(1, MAX_ID);
      const rows = await tx.query<Rule>(
        `INSERT INTO rules (name, description, type, conditions, condition_logic, action, status, start_date,
           end_date, metadata, redirect_id, priority, created_by, id)
         OVERRIDING SYSTEM VALUE
         VALUES ($1, $2, $3, $4::jsonb, $5, $6::jsonb, $7, $8, $9, $10::jsonb, $11, $12, $13, $14)
         ON CONFLICT (id) DO NOTHING RETURNING ${COLUMNS}`,
        [...settingsColumns(rule), rule.redirectId, rule.priority, rule.createdBy, id],
      );
      if (rows.length > 0) return onlyRow(rows);
    }
    throw new Error('no free id was found for a rule');
  },

  async update(tx: Queryable, id: number, settings: RuleSettings): Promise<Rule> {
    const rows = await tx.query<Rule>(
      `UPDATE rules SET name = $1, description = $2, type = $3, conditions = $4::jsonb, condition_logic = $5,
         action = $6::jsonb, status = $7, start_date = $8, end_date = $9, metadata = $10::jsonb, updated_at = now(),
         version = version + 1
       WHERE id = $11 RETURNING ${COLUMNS}`,
      [...settingsColumns(settings), id],
    );
    return onlyRow(rows);
  },

  /** Sets priorities. Rules may exchange numbers: these must be distinct only when the transaction ends. */
  async setPriorities(tx: Queryable, places: readonly RulePlace[]): Promise<void> {
    if (places.length === 0) return;
    await tx.query(
      `UPDATE rules SET priority = place.priority, version = version + 1
       FROM unnest($1::bigint[], $2::integer[]) AS place (id, priority)
       WHERE rules.id = place.id AND rules.priority <> place.priority`,
      [places.map(({ id }) => id), places.map(({ priority }) => priority)],
    );
  },

  async deleteMany(tx: Queryable, ids: readonly number[]): Promise<void> {
    if (ids.length > 0) await tx.query('DELETE FROM rules WHERE id = ANY ($1::bigint[])', [ids]);
  },

  async findById(source: Queryable, id: number): Promise<Rule | undefined> {
    const [row] = await source.query<Rule>(`SELECT ${COLUMNS} FROM rules WHERE id = $1`, [id]);
    return row;
  },

  /** Returns the names of a redirect's rules by id. */
  async namesOfRedirect(source: Queryable, redirectId: string): Promise<ReadonlyMap<number, string>> {
    const rows = await source.query<Pick<Rule, 'id' | 'name'>>(
      'SELECT id, name FROM rules WHERE redirect_id = $1',
      [redirectId],
    );
    return new Map(rows.map(({ id, name }) => [id, name]));
  },

  /** Returns the rules in the order of evaluation. */
  async listOfRedirect(source: Queryable, redirectId: string): Promise<Rule[]> {
    return source.query<Rule>(`SELECT ${COLUMNS} FROM rules WHERE redirect_id = $1 ORDER BY priority`, [
      redirectId,
    ]);
  },

  /** @returns the totals over all rules of a redirect */
  async sizeOfRules(source: Queryable, redirectId: string): Promise<RulesSize> {
    const [size] = await source.query<RulesSize>(
      `SELECT coalesce(sum(jsonb_array_length(conditions)), 0)::int AS conditions,
         coalesce(sum(content_bytes + $2::int), 0)::bigint AS bytes
       FROM rules WHERE redirect_id = $1`,
      [redirectId, BYTES_BESIDE_CONTENT],
    );
    return size ?? { conditions: 0, bytes: 0 };
  },

  /** Returns the rules of a redirect by priority, like `listOfRedirect`, without their content. */
  async listPlaces(source: Queryable, redirectId: string): Promise<RulePlace[]> {
    return source.query<RulePlace>(
      'SELECT id, priority FROM rules WHERE redirect_id = $1 ORDER BY priority',
      [redirectId],
    );
  },
};

/** Values for $1 to $10. */
function settingsColumns(settings: RuleSettings): unknown[] {
  return [
    settings.name,
    settings.description,
    settings.type,
    JSON.stringify(settings.conditions),
    settings.conditionLogic,
    JSON.stringify(settings.action),
    settings.status,
    settings.startDate,
    settings.endDate,
    JSON.stringify(settings.metadata),
  ];
}

function onlyRow(rows: readonly Rule[]): Rule {
  const [row] = rows;
  if (row === undefined) throw new Error('a statement that returns one rule returned none');
  return row;
}
