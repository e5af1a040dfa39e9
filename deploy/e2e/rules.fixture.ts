import { expect } from 'vitest';
import type { Product } from './product.fixture.js';

/** Visitors set X-Forwarded-For to their address, which is trusted from this machine. */
export const RULES_ENVIRONMENT = { TRUSTED_PROXIES: '127.0.0.0/8' };

export interface RuleAnswer {
  readonly id: number;
  readonly name: string;
  readonly priority: number;
  readonly status: string;
  readonly hitCount: number;
}

/** Creates a redirect that is verified immediately. */
export async function createRedirect(product: Product, host: string, settings: object = {}): Promise<string> {
  const { status, body } = await product.api<{ id: string }>('POST', '/add-redirect', {
    fromDomain: host,
    toDomain: 'https://default.example/',
    redirectType: 'temporary',
    ...settings,
  });
  expect(status).toBe(201);
  return body.id;
}

/** Creates an active rule; by default one that sends everybody to `https://<name>.example/`. */
export async function createRule(product: Product, redirectId: string, rule: object): Promise<RuleAnswer> {
  const { status, body } = await product.api<{ rule: RuleAnswer }>('POST', `/rules/redirect/${redirectId}`, {
    type: 'force',
    status: 'active',
    ...rule,
  });
  expect(body, JSON.stringify(body)).toHaveProperty('rule');
  expect(status).toBe(201);
  return body.rule;
}

export async function rulesOf(product: Product, redirectId: string): Promise<readonly RuleAnswer[]> {
  const { status, body } = await product.api<{ rules: RuleAnswer[] }>('GET', `/rules/redirect/${redirectId}`);
  expect(status).toBe(200);
  return body.rules;
}

export const redirectTo = (url: string) => ({ type: 'redirect', url });
