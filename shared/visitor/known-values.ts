/** A possible value of a visitor attribute, with its display name. */
export interface KnownValue {
  readonly value: string;
  readonly label: string;
}

/** All device types that the detection returns. */
export const DEVICE_TYPES: readonly KnownValue[] = [
  { value: 'mobile', label: 'Mobile' },
  { value: 'tablet', label: 'Tablet' },
  { value: 'desktop', label: 'Desktop' },
  { value: 'smarttv', label: 'Smart TV' },
  { value: 'console', label: 'Console' },
  { value: 'wearable', label: 'Wearable' },
  { value: 'embedded', label: 'Embedded' },
];

/** Most frequent brands, with the names of the detection. */
export const DEVICE_BRANDS: readonly KnownValue[] = named([
  ...['Apple', 'Samsung', 'Xiaomi', 'OPPO', 'Vivo', 'Huawei', 'Honor', 'Google', 'Motorola', 'Realme'],
  ...['OnePlus', 'Nokia', 'Sony', 'LG', 'Lenovo', 'ASUS', 'HTC', 'ZTE', 'Infinix', 'TECNO', 'Nothing'],
  ...['Fairphone', 'Sharp', 'Amazon', 'Microsoft', 'Nvidia', 'Nintendo', 'Roku', 'Philips', 'Facebook'],
]);

/** Most frequent browsers, with the names of the detection. In-app browsers come last. */
export const BROWSER_NAMES: readonly KnownValue[] = named([
  ...['Chrome', 'Safari', 'Mobile Safari', 'Edge', 'Firefox', 'Samsung Internet', 'Opera', 'Opera Mini'],
  ...['Brave', 'Vivaldi', 'DuckDuckGo', 'Yandex', 'UCBrowser', 'QQBrowser', 'MIUI Browser', 'Silk'],
  ...['Huawei Browser', 'Vivo Browser', 'HeyTap', 'Android Browser', 'Whale', 'Coc Coc', 'Chromium'],
  ...['Firefox Focus', 'Opera Touch', 'IE', 'IEMobile', 'Oculus Browser', 'Electron'],
  ...['Chrome WebView', 'WebKit', 'Facebook', 'Instagram', 'TikTok', 'Snapchat', 'Twitter', 'LinkedIn'],
  ...['Line', 'WeChat', 'KAKAOTALK', 'NAVER', 'GSA', 'Klarna'],
]);

/** Most frequent operating systems, with the names of the detection. */
export const OS_NAMES: readonly KnownValue[] = named([
  ...['Android', 'iOS', 'Windows', 'Mac OS', 'Linux', 'Chromium OS', 'HarmonyOS', 'Ubuntu', 'Debian'],
  ...['Fedora', 'FreeBSD', 'Tizen', 'webOS', 'watchOS', 'Chromecast', 'PlayStation', 'Xbox', 'Nintendo'],
  ...['KAIOS', 'Windows Phone', 'BlackBerry', 'Symbian'],
]);

/** ISO 3166-1 alpha-2, and XK, the usual code of Kosovo. */
const COUNTRY_CODES = `
  AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY
  BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK
  FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR
  IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK
  ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM
  PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF
  TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW
`;

/** All countries by their English names. */
export const COUNTRIES: readonly KnownValue[] = displayed('region', COUNTRY_CODES).sort((one, other) =>
  one.label.localeCompare(other.label, 'en'),
);

const LANGUAGE_TAGS = `
  en en-US en-GB es es-419 es-ES fr fr-CA de de-AT de-CH it pt pt-BR pt-PT nl pl ru uk cs sk hu ro bg el tr
  sv nb nn no da fi is et lv lt hr sr sl mk sq bs ga cy ca eu gl ar he fa ur hi bn pa ta te mr gu kn ml ne si
  th vi id ms fil my km lo zh zh-CN zh-TW zh-HK ja ko mn ka hy az kk uz sw am af zu
`;

/** Frequent languages. A primary subtag includes all of its regions. */
export const LANGUAGES: readonly KnownValue[] = displayed('language', LANGUAGE_TAGS);

function named(names: readonly string[]): KnownValue[] {
  return names.map((name) => ({ value: name, label: name }));
}

/** Returns codes (separated by blanks) with their English names. */
function displayed(type: 'region' | 'language', codes: string): KnownValue[] {
  const names = new Intl.DisplayNames(['en'], { type, languageDisplay: 'standard' });
  return codes
    .trim()
    .split(/\s+/)
    .map((value) => ({ value, label: names.of(value) ?? value }));
}
