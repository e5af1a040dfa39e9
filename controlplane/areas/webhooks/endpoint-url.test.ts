import { describe, expect, test } from 'vitest';
import { AppError } from '../../errors/app-error.js';
import { requireEndpointUrl } from './endpoint-url.js';

function fieldRefused(url: string, allowPrivate: boolean): string | undefined {
  try {
    requireEndpointUrl(url, { allowPrivate });
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR' });
    return (error as AppError).field;
  }
}

describe('the URL of an endpoint', () => {
  test.each([
    'https://api.example.com',
    'https://api.example.com:8443/hooks?tenant=7',
    'HTTPS://API.example.com/',
    'https://api.example.com:443/',
    'https://api.example.com:1024/',
    'https://8.8.8.8/hooks',
    'https://[2606:4700:4700::1111]/',
    'https://münchen.example/',
    'https://localhost.example.com/',
  ])('may be %s', (url) => {
    expect(fieldRefused(url, false)).toBeUndefined();
  });

  test.each([
    '',
    'api.example.com',
    'ftp://api.example.com',
    'javascript:alert(1)',
    'https://',
    'https://a b.example',
    'https://example.com/\nHost: x',
    'https://user:secret@example.com/',
    'https://user@example.com/',
    'https://example.com/#part',
    'https://example.com:99999/',
  ])('may never be %j', (url) => {
    expect(fieldRefused(url, false)).toBe('url');
    expect(fieldRefused(url, true)).toBe('url');
  });

  test.each([
    'http://api.example.com/',
    'https://localhost/',
    'https://LOCALHOST./',
    'https://api.localhost/',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://0x7f000001/',
    'https://2130706433/',
    'https://0177.0.0.1/',
    'https://127.0.0.1./',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://169.254.169.254/latest/meta-data/',
    'https://10.0.0.1/',
    'https://0/',
    'https://api.example.com:25/',
    'https://api.example.com:80/',
    'https://api.example.com:1023/',
    'https://api.example.com:0/',
  ])('may be %s only where private networks are allowed', (url) => {
    expect(fieldRefused(url, false)).toBe('url');
    expect(fieldRefused(url, true)).toBeUndefined();
  });
});
