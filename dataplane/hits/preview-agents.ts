/**
 * Lower-case parts of the user agents of link-preview fetchers. They fetch links that somebody pasted into a chat or a
 * post, so they are not visits. Names that in-app browsers of real visitors also contain (`Instagram`, `Pinterest/`,
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
