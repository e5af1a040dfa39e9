import type { QueryRecording } from '../../../shared/ruleset/redirect-definition.js';

/** Recorded visits that are equal in everything that can decide about them. Columns that cannot are absent. */
export interface VisitGroup {
  readonly visits: number;
  /** Traffic that they represent: the sum of 1 / sampling rate. */
  readonly weight: number;
  /** Sum of the squares of the weights of single visits. */
  readonly squares: number;
  /**
   * A time that represents all of these visits: conditions and dates have the same result for each. Unix milliseconds.
   */
  readonly timeMs: number;
  /** Rule or path entry that decided, as hits name it; 0 for none. */
  readonly rule_id: number;
  readonly variant: string;
  readonly destination_url: string;
  readonly status_code: number;
  /** Number that represents the draw: it is between the same bounds. 0 for none. */
  readonly draw?: number | undefined;
  /** Empty in hits that do not say it. */
  readonly query_recording: QueryRecording | '';
  readonly path?: string | undefined;
  readonly query?: string | undefined;
  readonly referrer?: string | undefined;
  readonly language?: string | undefined;
  readonly user_agent?: string | undefined;
  readonly ip_address?: string | undefined;
  readonly country?: string | undefined;
  readonly region?: string | undefined;
  readonly city?: string | undefined;
  readonly device_type?: string | undefined;
  readonly device_brand?: string | undefined;
  readonly device_model?: string | undefined;
  readonly browser_name?: string | undefined;
  readonly browser_version?: string | undefined;
  readonly os_name?: string | undefined;
  readonly os_version?: string | undefined;
  /** User agent of visits without any device facts; empty for others. */
  readonly unparsed_agent?: string | undefined;
  readonly visitor?: string | undefined;
  /** Empty in hits that do not say it. */
  readonly requested_host?: string | undefined;
  /** One of the visits. */
  readonly example: VisitExample;
}

/** Identifies the visits without identifying the visitor. */
export interface VisitExample {
  readonly timeMs: number;
  readonly path: string;
  readonly country: string;
  readonly deviceType: string;
}

/** Columns of a group that are read only if a definition needs them. */
export type GroupColumn = Exclude<
  keyof VisitGroup,
  | 'visits'
  | 'weight'
  | 'squares'
  | 'timeMs'
  | 'rule_id'
  | 'variant'
  | 'destination_url'
  | 'status_code'
  | 'query_recording'
  | 'example'
>;

const DEVICE = [
  'device_type',
  'device_brand',
  'device_model',
  'browser_name',
  'browser_version',
  'os_name',
  'os_version',
] as const;

/** Expression of ClickHouse for a column that is not one of the table. */
export const EXPRESSIONS: Partial<Record<GroupColumn, string>> = {
  unparsed_agent: `if(${DEVICE.map((column) => `${column} = ''`).join(' AND ')}, user_agent, '')`,
  visitor: 'visitor_hash',
};
