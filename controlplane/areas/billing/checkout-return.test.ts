import { describe, expect, it } from 'vitest';
import { createReadReturnUrl, withCheckoutId } from './checkout-return.js';

const ID = '0123456789abcdef';
const read = createReadReturnUrl({
  dashboardUrl: 'https://app.example/billing',
  corsOrigins: ['http://localhost:5173', 'https://other.example'],
});
const refusal = { code: 'INVALID_REQUEST', field: 'successUrl' };

describe('the address that a checkout leads to', () => {
  it.each([
    ['https://app.example', 'https://app.example/'],
    ['https://app.example/a?b=c#d', 'https://app.example/a?b=c#d'],
    ['http://localhost:5173/done', 'http://localhost:5173/done'],
    ['https://other.example/{CHECKOUT_ID}?id={CHECKOUT_ID}', `https://other.example/${ID}?id=${ID}`],
    ['https://app.example/%7BCHECKOUT_ID%7D', `https://app.example/${ID}`],
  ])('may be %s, which becomes %s', (url, expected) => {
    expect(read('successUrl', url, ID)).toBe(expected);
  });

  it.each([null, undefined])('is left to the default by %s', (url) => {
    expect(read('cancelUrl', url, ID)).toBeNull();
  });

  it.each([
    'https://evil.example/done',
    'http://app.example/done',
    'https://app.example:8443/done',
    'https://app.example.evil.example/',
    'https://app.example@evil.example/',
    'https://user:secret@app.example/',
    '//app.example/done',
    '/done',
    'javascript:alert(1)//https://app.example',
    'null',
    '',
  ])('may not be %j, and the refusal names what is accepted', (url) => {
    expect(() => read('successUrl', url, ID)).toThrow(expect.objectContaining(refusal));
    expect(() => read('successUrl', url, ID)).toThrow(
      /https:\/\/app\.example, http:\/\/localhost:5173, https:\/\/other\.example/,
    );
  });

  it.each([[[]], [['*']]])('cannot be set where no origin is known: %j', (corsOrigins) => {
    const readNone = createReadReturnUrl({ dashboardUrl: undefined, corsOrigins });
    expect(() => readNone('successUrl', 'https://app.example/', ID)).toThrow(/DASHBOARD_URL.*CORS_ORIGINS/);
  });
});

it('the default address carries the id beside its own query', () => {
  expect(withCheckoutId('https://app.example/billing?tab=plan', ID)).toBe(
    `https://app.example/billing?tab=plan&checkout_id=${ID}`,
  );
});
