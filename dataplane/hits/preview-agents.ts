/**
 * What the user agents of link-preview fetchers hold, lower-case: they fetch what somebody pasted into a chat or
 * a post, and are no visit. Names that in-app browsers of real visitors hold as well (`Instagram`, `Pinterest/`,
 * `Snapchat`) do not belong here.
 */
export const PREVIEW_AGENTS: readonly string[] = [
  'bingpreview',
  'cardyb', // Bluesky
  'discordbot',
  'embedly',
  'facebookexternalhit',
  'facebot',
  'google-pagerenderer',
  'iframely',
  'kakaotalk-scrap',
  'linkedinbot',
  '(mastodon/',
  'meta-externalfetcher',
  'microsoftpreview',
  'pinterestbot',
  'redditbot',
  'skypeuripreview', // Microsoft Teams too
  'slack-imgproxy',
  'slackbot',
  'snap url preview',
  'synapse (bot', // Matrix
  'telegrambot',
  'twitterbot',
  'vkshare',
  'whatsapp/',
  'xing-contenttabreceiver',
];
