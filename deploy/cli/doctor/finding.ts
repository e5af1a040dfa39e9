/** The result of one check. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'failed';
  readonly message: string;
  /** Remedy. */
  readonly advice?: string;
}

export const ok = (check: string, message: string): Finding => ({ check, state: 'ok', message });

const withAdvice =
  (state: 'warning' | 'failed') =>
  (check: string, message: string, advice: string): Finding => ({ check, state, message, advice });
export const warning = withAdvice('warning');
export const failed = withAdvice('failed');
