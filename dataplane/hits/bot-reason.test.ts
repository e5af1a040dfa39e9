import { describe, expect, it } from 'vitest';
import { createBotDetection } from './bot-reason.js';

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36';
const IPHONE_INSTAGRAM =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Instagram 334.0.4.32.98';
const PINTEREST_APP =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [Pinterest/iOS]';

describe('the bot detection', () => {
  it.each([
    ['a browser', 'GET', '', CHROME, ''],
    ['a browser that posts', 'POST', '', CHROME, ''],
    ['the browser within an app', 'GET', '', IPHONE_INSTAGRAM, ''],
    ['the browser within another app', 'GET', '', PINTEREST_APP, ''],
    ['a HEAD request', 'HEAD', '', CHROME, 'head'],
    ['a prefetch', 'GET', 'prefetch', CHROME, 'prefetch'],
    ['a prefetch through a proxy', 'GET', 'prefetch;anonymous-client-ip', CHROME, 'prefetch'],
    ['a prerender', 'GET', 'prefetch;prerender', CHROME, 'prefetch'],
    ['an old prefetch', 'GET', 'Prefetch', CHROME, 'prefetch'],
    ['another purpose', 'GET', 'something', CHROME, ''],
    ['a preview for Facebook', 'GET', '', 'facebookexternalhit/1.1', 'preview'],
    ['a preview for X', 'GET', '', 'Twitterbot/1.0', 'preview'],
    [
      'a preview for Slack',
      'GET',
      '',
      'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
      'preview',
    ],
    ['a preview for Discord', 'GET', '', 'Mozilla/5.0 (compatible; Discordbot/2.0)', 'preview'],
    ['a preview for WhatsApp', 'GET', '', 'WhatsApp/2.23.20.0', 'preview'],
    ['a preview for Telegram', 'GET', '', 'TelegramBot (like TwitterBot)', 'preview'],
    ['a preview for LinkedIn', 'GET', '', 'LinkedInBot/1.0 (compatible; Mozilla/5.0)', 'preview'],
    ['a preview for Teams', 'GET', '', 'Mozilla/5.0 (Windows NT 6.1) SkypeUriPreview Preview/0.5', 'preview'],
    ['a preview for Mastodon', 'GET', '', 'http.rb/5.1.1 (Mastodon/4.2.0; +https://m.example/)', 'preview'],
    ['a crawler', 'GET', '', 'Mozilla/5.0 (compatible; Googlebot/2.1)', 'user-agent'],
    ['curl', 'GET', '', 'curl/8.5.0', 'user-agent'],
    ['no user agent', 'GET', '', '', 'user-agent'],
    ['HEAD before everything else', 'HEAD', 'prefetch', 'Twitterbot/1.0', 'head'],
    ['a prefetch before the user agent', 'GET', 'prefetch', 'Twitterbot/1.0', 'prefetch'],
  ])('says of %s: %s %j %j is %j', (_name, method, purpose, userAgent, reason) => {
    const { reasonOfRequest, reasonOfAgent, isPerson } = createBotDetection();
    const found = () => reasonOfRequest(method, purpose) || reasonOfAgent(userAgent);
    expect(found()).toBe(reason);
    expect(found(), 'the second time, from the cache').toBe(reason);
    expect(isPerson(method, purpose, userAgent)).toBe(reason === '');
  });

  it('takes a method in any case, as hits show it', () => {
    expect(createBotDetection().isPerson('head', '', CHROME)).toBe(false);
  });

  it('judges a user agent by its first 512 characters, however long it is', () => {
    const { reasonOfAgent } = createBotDetection();
    const padded = CHROME.padEnd(512, ' ');
    expect(reasonOfAgent(`${padded} Googlebot/2.1`)).toBe('');
    expect(reasonOfAgent(`${padded.slice(0, 490)} Googlebot/2.1`)).toBe('user-agent');
  });
});
