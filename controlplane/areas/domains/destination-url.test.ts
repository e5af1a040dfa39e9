import { describe, expect, it } from 'vitest';
import { parseDestination } from './destination-url.js';

const longest = `https://a.example/${'x'.repeat(2048 - 'https://a.example/'.length)}`;

describe('parseDestination', () => {
  it.each([
    ['https://new.example', 'new.example'],
    ['http://new.example', 'new.example'],
    ['https://new.example/', 'new.example'],
    ['https://new.example/a/', 'new.example'],
    ['HTTPS://New.Example/Path', 'new.example'],
    ['https://new.example./a', 'new.example'],
    ['https://new.example:8443/a', 'new.example'],
    ['http://new.example:80/', 'new.example'],
    ['https://bücher.example/ä', 'xn--bcher-kva.example'],
    ['https://b%C3%BCcher.example/', 'xn--bcher-kva.example'],
    ['http://127.0.0.1:3000/x', '127.0.0.1'],
    ['http://0x7f.1/', '127.0.0.1'],
    ['http://[::1]:3000/x', '[::1]'],
    ['http://[2001:DB8:0::1]/', '[2001:db8::1]'],
    ['http://intranet/a', 'intranet'],
    ['http://localhost:3000', 'localhost'],
    ['https://my_app.example/', 'my_app.example'],
    ['https://x.example/a/../b/./c', 'x.example'],
    ['https://x.example/%7Euser/%2f?q=%20+&q=a;b&=#f%23', 'x.example'],
    ['https://x.example?a=1', 'x.example'],
    ['https://x.example/?u=https://user@y.example/', 'x.example'],
    ['https://x.example/@handle', 'x.example'],
    ['https://x.example/a\\b', 'x.example'],
    ['https://x.example/#a?b', 'x.example'],
    [longest, 'a.example'],
  ])('keeps %j as given, with host %s', (input, host) => {
    const result = parseDestination(` ${input}\n`, { pathForwarding: false });
    expect(result).toEqual({ ok: true, destination: input, host });
  });

  it.each([
    ['https://x.example', 'https://x.example'],
    ['https://x.example/', 'https://x.example'],
    ['https://x.example:8443/', 'https://x.example:8443'],
    ['https://x.example/base', 'https://x.example/base'],
    ['https://x.example/base/', 'https://x.example/base'],
    ['https://x.example/base//', 'https://x.example/base'],
    ['https://x.example//', 'https://x.example'],
    ['https://x.example/a//b/', 'https://x.example/a//b'],
    ['https://x.example/base%2F', 'https://x.example/base%2F'],
    ['https://x.example/?a=1', 'https://x.example?a=1'],
    ['https://x.example/base/?a=1/', 'https://x.example/base?a=1/'],
    ['https://x.example/base/#top/', 'https://x.example/base#top/'],
    ['https://x.example/base/?a#b', 'https://x.example/base?a#b'],
    ['https://x.example?a=/', 'https://x.example?a=/'],
    ['https://x.example#/', 'https://x.example#/'],
  ])('with path forwarding makes %j %j', (input, destination) => {
    expect(parseDestination(input, { pathForwarding: true })).toMatchObject({ ok: true, destination });
  });

  it.each([
    ['', 'is empty'],
    ['  ', 'is empty'],
    ['new.example', 'does not begin with'],
    ['//new.example', 'does not begin with'],
    ['/path', 'does not begin with'],
    ['ftp://new.example', 'does not begin with'],
    ['javascript:alert(1)', 'does not begin with'],
    ['data:text/html,hi', 'does not begin with'],
    ['https:new.example', 'does not begin with'],
    ['https:/new.example', 'does not begin with'],
    ['https:\\\\new.example', 'does not begin with'],
    ['https://', 'has no host'],
    ['https:///new.example', 'has no host'],
    ['https://?a', 'has no host'],
    ['https://#a', 'has no host'],
    ['https://:443/', 'host or a port'],
    ['https://{host.1}.example.net', 'a placeholder in its host'],
    ['https://new.example:{query.port}/', 'a placeholder in its host'],
    ['https://user@new.example', 'user information'],
    ['https://user:pw@new.example/', 'user information'],
    ['https://@new.example/', 'user information'],
    ['https://new.example\\@evil.example/', 'backslash'],
    ['https://new.example\\path', 'backslash'],
    ['https://new.example/a b', 'has a space'],
    ['https://new.example/a\u00a0b', 'has a space'],
    ['https://new.example/a\r\nSet-Cookie: x=1', 'has a space'],
    ['https://new.ex\tample/', 'has a space'],
    ['https://new.example/\u0000', 'control character'],
    ['https://new.example/\u007f', 'control character'],
    ['https://new.example/\u0085', 'control character'],
    ['https://new.example/\ud800', 'control character'],
    ['https://new.example:99999/', 'host or a port'],
    ['https://new.example:port/', 'host or a port'],
    ['https://1.2.3.256/', 'host or a port'],
    ['https://[::1/', 'host or a port'],
    ['https://[::g]/', 'host or a port'],
    ['https://exa%mple/', 'host or a port'],
    ['https://exa<mple/', 'host or a port'],
    ['https://xn--a.com/', 'host or a port'],
    ['https://./', 'empty part'],
    ['https://a..example/', 'empty part'],
    ['https://.example/', 'empty part'],
    [`https://${'a'.repeat(64)}.example/`, 'more than 63 characters'],
    [`https://${'a.'.repeat(130)}example/`, 'longer than 253'],
    [`${longest}x`, 'longer than 2048'],
  ])('refuses %j: %s', (input, fault) => {
    const result = parseDestination(input, { pathForwarding: false });
    expect(result.ok).toBe(false);
    const message = result.ok ? '' : result.message;
    expect(message).toContain(fault);
    expect(message).toContain('such as https://www.example.com/welcome');
  });
});
