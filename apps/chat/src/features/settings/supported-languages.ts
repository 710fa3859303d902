/** Codes of the languages that a user can choose. */
export const languageCodes = (
  'ar bg bqi ca cs cy da de el en en-gb es fa fi fr gl gu hi hu id it ja ko lt ml mn nl pl pt pt-br pt-pt ro ru si sr ' +
  'sv ta tl tr uk vi zh-hans zh-hant zh-tw'
).split(' ');

/** Returns the name of a language in that language, for example `Deutsch`. */
export function getNativeLanguageName(code: string): string {
  return new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code;
}
