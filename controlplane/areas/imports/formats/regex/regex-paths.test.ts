import { describe, expect, it } from 'vitest';
import { everyPath, regexPaths } from './regex-paths.js';

describe('a regular expression', () => {
  it.each([
    ['^/a$', ['/a exact']],
    ['^/a/?$', ['/a/ exact', '/a exact']],
    ['^/a\\.html$', ['/a.html exact']],
    ['^/a/(.*)$', ['/a/* exact']],
    ['^/a/.+', ['/a/* below']],
    ['^/a/', ['/a/* exact']],
    ['^/a(/.*)?$', ['/a/* exact', '/a exact']],
    ['^/([^/]+)/b/([^/?]+)/?$', ['/:p1/b/:p2/ exact', '/:p1/b/:p2 exact']],
    ['^/a/([^/]+)', ['/a/:p1/* inherit']],
    ['^/(a|b)(c)?$', ['/ac exact', '/a exact', '/bc exact', '/b exact']],
    ['^/a$|^/b$', ['/a exact', '/b exact']],
    ['^/[ab]x?$', ['/ax exact', '/a exact', '/bx exact', '/b exact']],
    ['^/a b$', ['/a%20b exact']],
    ['^/a{2}$', ['/aa exact']],
    ['^(.*)$', ['/* exact']],
    ['^(.+)$', ['/* exact']],
    ['.*', ['/* exact']],
    ['^', ['/* exact']],
  ])('%j becomes the patterns %j', (expression, expected) => {
    const paths = regexPaths(expression);
    expect(paths.map(({ path, ending }) => `${path} ${ending}`)).toEqual(expected);
  });

  it.each([
    ['/a$', 'Without "^"'],
    ['^/a', 'also matches longer names such as "/ax"'],
    ['^/a(.*)$', 'can only stand at the end, after a slash'],
    ['^/a/(.*)/b$', 'can only stand at the end'],
    ['^/a-([^/]+)$', 'must be a whole segment'],
    ['^/(\\d+)$', 'any segment, not only some characters'],
    ['^/a.html$', 'Write "\\." for a dot'],
    ['^/(?!a)b$', 'Groups like'],
    ['^/a\\b$', 'has no equivalent'],
    ['^/(a|b)*$', 'A repeated part'],
    ['^/a/([^/]*)$', 'no empty segment'],
    ['^/[a-z][a-z]$', 'more than 64 paths'],
    ['^/a/\\*$', 'cannot be taken as text'],
    ['^a$', 'Paths start with "/"'],
    ['^/(a$', 'is not closed'],
    ['^/a)$', 'has no "("'],
    ['^/[a$', 'is not closed'],
    [`^/${'a'.repeat(2_000)}$`, 'at most 1024 characters'],
  ])('%j is refused', (expression, message) => {
    expect(() => regexPaths(expression)).toThrow(message);
  });

  it('has its groups as placeholders of the pattern', () => {
    const [first] = regexPaths('^/(a|b)/(?<name>[^/]+)(/(.*))$');
    expect(Object.fromEntries(first?.captures ?? [])).toEqual({
      1: 'a',
      2: ':p1',
      name: ':p1',
      3: '/*',
      4: '*',
    });
  });

  it('is compared without the folder of an .htaccess file', () => {
    expect(regexPaths('^old/(.*)$', { folder: '/blog/' })).toMatchObject([{ path: '/blog/old/*' }]);
    expect(() => regexPaths('^/old$', { folder: '/' })).toThrow('In .htaccess');
    expect(everyPath('^(.*)$', { folder: '/' })?.captures.get('1')).toBe('*');
    expect(everyPath('^(.*)$')?.captures.get('1')).toBe('/*');
  });

  it('ignores case only if it has no letters', () => {
    expect(regexPaths('^/1/(.*)$', { ignoresCase: true })).toMatchObject([{ path: '/1/*' }]);
    expect(regexPaths('^/1/(.*)$', { ignoresCase: true })).not.toMatchObject([{ ignoresCase: true }]);
    expect(regexPaths('^/(a|1)$', { ignoresCase: true })).toMatchObject([
      { path: '/a', ignoresCase: true },
      { path: '/1' },
    ]);
  });
});
