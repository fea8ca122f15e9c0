/*
 * What JavaScript writes for a value that isn't there.
 */

/** Whether a whole text is such an accident. */
export const isAccident = (text: string): boolean =>
  /^\s*(?:undefined|null|NaN|\[object \w+\])\s*$/.test(text)

/** Whether an identifier begins or ends with one, or is one behind the name of a route: `zinc:null`. */
export const hasAccident = (text: string): boolean => {
  const name = text.replace(/^[\w-]+:(?!\/\/)/, "")
  return isAccident(name) || /undefined$|^undefined(?!\p{L})|\[object \w+\]$/u.test(name)
}

/** The one that an address has as its host, or as a part of its path. */
export const accidentIn = (url: string): string | undefined =>
  /\/undefined(?=[/:]|$)|\/\/null(?=[/:?#]|$)/.exec(url)?.[0].replaceAll("/", "")
