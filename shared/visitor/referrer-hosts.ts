/** Kind of a known host. The most specific entry decides: `mail.google.com` before `google.com`. */
export type KnownHostType = 'search' | 'social' | 'email' | 'paid' | 'website';

/**
 * Hosts of the services that send most visitors, compiled for this project from the services' own public addresses.
 * Each includes its subdomains.
 */
const HOSTS_BY_TYPE: Readonly<Record<KnownHostType, string>> = {
  search: `
    bing.com duckduckgo.com ecosia.org qwant.com startpage.com search.brave.com kagi.com mojeek.com swisscows.com
    metager.org metager.de gibiru.com presearch.com you.com perplexity.ai yep.com dogpile.com ask.com aol.com
    search.aol.com excite.com lycos.com webcrawler.com info.com baidu.com sogou.com so.com sm.cn haosou.com
    naver.com search.naver.com daum.net zum.com goo.ne.jp seznam.cz search.seznam.cz coccoc.com rambler.ru
    search.marginalia.nu suche.t-online.de suche.web.de suche.gmx.net bing.net andisearch.com petalsearch.com
  `,
  social: `
    facebook.com fb.com fb.me messenger.com instagram.com threads.net threads.com x.com twitter.com t.co
    linkedin.com lnkd.in pinterest.com pinterest.de pinterest.fr pinterest.co.uk pinterest.ca pin.it reddit.com
    redd.it old.reddit.com tiktok.com youtube.com youtu.be snapchat.com whatsapp.com wa.me telegram.org t.me
    discord.com discord.gg tumblr.com quora.com medium.com vk.com ok.ru weibo.com weibo.cn douban.com zhihu.com
    bsky.app mastodon.social mastodon.online mas.to mstdn.social fosstodon.org hachyderm.io lemmy.world
    news.ycombinator.com slashdot.org xing.com nextdoor.com flickr.com twitch.tv vimeo.com dailymotion.com
    line.me kakao.com bereal.com truthsocial.com gab.com mixi.jp hatena.ne.jp viadeo.com deviantart.com
    stumbleupon.com mix.com flipboard.com getpocket.com
  `,
  email: `
    mail.google.com gmail.com inbox.google.com outlook.com outlook.live.com outlook.office.com
    outlook.office365.com outlook.cloud.microsoft hotmail.com mail.live.com mail.yahoo.com mail.yahoo.co.jp
    mail.aol.com mail.proton.me mail.protonmail.com tuta.com app.tuta.com tutanota.com mail.zoho.com mail.zoho.eu
    mail.yandex.ru mail.yandex.com mail.ru e.mail.ru mail.qq.com mail.163.com mail.126.com mail.naver.com
    mail.daum.net mail.gmx.net mail.gmx.com navigator.gmx.net navigator.web.de email.t-online.de email.seznam.cz
    webmail.orange.fr messageriepro.orange.fr fastmail.com app.fastmail.com hey.com app.hey.com icloud.com
    mail.com mailchimp.com list-manage.com campaign-archive.com createsend.com sendinblue.com mailerlite.com
    superhuman.com mail.superhuman.com poczta.onet.pl poczta.wp.pl
  `,
  paid: `
    googleadservices.com googlesyndication.com doubleclick.net adservice.google.com taboola.com outbrain.com
    criteo.com adnxs.com adroll.com amazon-adsystem.com revcontent.com mgid.com media.net
  `,
  website: `
    docs.google.com drive.google.com sites.google.com groups.google.com classroom.google.com calendar.google.com
    chat.google.com meet.google.com accounts.google.com translate.google.com play.google.com support.google.com
    cloud.google.com developers.google.com finance.yahoo.com sports.yahoo.com
  `,
};

/** Names before the public suffix, for search engines with a domain in many countries. */
const SEARCH_NAMES = 'google yahoo yandex';

/** Android applications. They send `android-app://<id>` as their referrer. */
const APPS_BY_TYPE: Readonly<Record<Exclude<KnownHostType, 'website' | 'paid'>, string>> = {
  search: 'com.google.android.googlequicksearchbox com.duckduckgo.mobile.android com.microsoft.bing',
  social: `
    com.facebook.katana com.facebook.orca com.instagram.android com.twitter.android com.linkedin.android
    com.pinterest com.reddit.frontpage com.zhiliaoapp.musically com.google.android.youtube org.telegram.messenger
    com.whatsapp com.snapchat.android com.slack com.discord
  `,
  email: 'com.google.android.gm com.microsoft.office.outlook com.yahoo.mobile.client.android.mail',
};

/** Kinds by host. */
export const KNOWN_HOSTS: ReadonlyMap<string, KnownHostType> = byWord(HOSTS_BY_TYPE);
/** Names before a public suffix. */
export const KNOWN_SEARCH_NAMES: ReadonlySet<string> = words(SEARCH_NAMES);
/** Kinds by id of the Android application. */
export const KNOWN_APPS: ReadonlyMap<string, KnownHostType> = byWord(APPS_BY_TYPE);

function words(text: string): Set<string> {
  return new Set(text.trim().split(/\s+/));
}

function byWord(lists: Readonly<Partial<Record<KnownHostType, string>>>): Map<string, KnownHostType> {
  const types = new Map<string, KnownHostType>();
  for (const [type, list] of Object.entries(lists)) {
    for (const word of words(list)) types.set(word, type as KnownHostType);
  }
  return types;
}
