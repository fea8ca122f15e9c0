/*
 * What JavaScript writes for a value that isn't there.
 */

/** Whether a whole text is such an accident. */
export const isAccident = (text: string): boolean =>
  /^\s*(?:undefined|null|NaN|\[object \w+\])\s*$/.test(text)

/** Whether a text that was put together has one in it, where an identifier begins or ends. */
export const hasAccident = (text: string): boolean =>
  isAccident(text) || /undefined$|^undefined(?!\p{L})|\[object \w+\]$/u.test(text)

/** The one that an address has as its host, or as a part of its path. */
export const accidentIn = (url: string): string | undefined =>
  /\/undefined(?=[/:]|$)|\/\/null(?=[/:?#]|$)/.exec(url)?.[0].replaceAll("/", "")
