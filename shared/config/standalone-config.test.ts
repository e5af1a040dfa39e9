import { describe, expect, it } from 'vitest';
import { ConfigError } from './environment.js';
import { parseStandaloneConfig } from './standalone-config.js';

type Variables = Readonly<Record<string, string>>;

/** The variables that the refusal names, in its order; none when there is no refusal. */
function refused(environment: Variables): string[] {
  try {
    parseStandaloneConfig(environment);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.split('\n').map((line) => line.split(' ', 1).join());
  }
}

describe('the configuration of everything in one command', () => {
  it('has the variables of both parts', () => {
    const environment = { API_PORT: '3001', REDIRECT_PORT: '8081', LOG_LEVEL: 'warn' };
    expect(parseStandaloneConfig(environment)).toMatchObject({
      apiPort: 3001,
      redirectPort: 8081,
      adminPort: 9090,
      logLevel: 'warn',
    });
  });

  it('cannot be changed', () => {
    expect(Object.isFrozen(parseStandaloneConfig({}))).toBe(true);
  });

  it.each<[string, Variables, string[]]>([
    ['of the data plane alone', { REDIRECT_PORT: 'x', ADMIN_PORT: 'y' }, ['REDIRECT_PORT', 'ADMIN_PORT']],
    ['of the control plane alone', { API_PORT: 'y', DATABASE_URL: 'z' }, ['API_PORT', 'DATABASE_URL']],
    [
      'of both',
      { REDIRECT_PORT: 'x', API_PORT: 'y', DATABASE_URL: 'z' },
      ['REDIRECT_PORT', 'API_PORT', 'DATABASE_URL'],
    ],
    [
      'that only a second look shows, with one of the other part',
      { CONTROL_PLANE_URL: 'http://user:password@control.example', DEFAULT_PLAN: 'gold' },
      ['CONTROL_PLANE_URL', 'DEFAULT_PLAN'],
    ],
    ['that both take, once', { LOG_LEVEL: 'loud', API_PORT: 'y' }, ['LOG_LEVEL', 'API_PORT']],
  ])('names each variable that is wrong: those %s', (_which, environment, names) => {
    expect(refused(environment)).toEqual(names);
  });

  it('compares ports only if each one is valid', () => {
    expect(refused({ API_PORT: '8080', DATABASE_URL: 'z' })).toEqual(['DATABASE_URL']);
    expect(() => parseStandaloneConfig({ API_PORT: '8080' })).toThrow('API_PORT and REDIRECT_PORT');
  });
});
