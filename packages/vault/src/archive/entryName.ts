import { validateFileName } from "yauzl"

const maxNameBytes = 1_000
const maxSegmentBytes = 255

/** Windows opens a device for these names, whatever follows a dot. */
const device = /^(?:con|prn|aux|nul|clock\$|conin\$|conout\$|(?:com|lpt)[0-9¹²³])[ ]*(?:\.|$)/i

/** What Windows can't have in a name; a colon names a stream of another file. */
const forbidden = /[:<>"|?*]/

/**
 * Why an entry's name can't be unpacked safely everywhere; `undefined` if it can. Folders end with a slash. Refuses
 * absolute names, `..`, backslashes, drive letters, control characters, names that are too long for file systems, and
 * those that Windows can't have, or takes for a device or for another name.
 */
export const nameFault = (name: string): string | undefined => {
  if (name === "") return "has no name"
  if (validateFileName(name) !== null)
    return "must be a relative path without .., backslashes and drive letters"
  // eslint-disable-next-line no-control-regex -- the pattern searches for control characters
  if (/[\u0000-\u001f\u007f]/.test(name) || !name.isWellFormed()) return "must not contain control characters"
  if (/\p{Bidi_Control}/u.test(name))
    return "must not contain characters that turn the direction of text, behind which another ending hides"
  const segments = name.replace(/\/$/, "").split("/")
  if (segments.some((segment) => segment === "" || segment === ".")) return "must not have empty parts or ."
  if (segments.some((segment) => /[. ]$/.test(segment))) return "must not end with a dot or a space"
  if (segments.some((segment) => device.test(segment))) return "is the name of a device on Windows"
  if (forbidden.test(name)) return "has a character that Windows doesn't allow in a name"
  // Stands for bytes that are no UTF-8, which programs read differently.
  if (name.includes("\ufffd")) return "is no text in UTF-8"
  if (Buffer.byteLength(name) > maxNameBytes) return "is too long"
  if (segments.some((segment) => Buffer.byteLength(segment) > maxSegmentBytes)) return "is too long"
  return undefined
}

/** The form in which names are compared: some file systems ignore case and Unicode forms. */
export const comparableName = (name: string): string => name.replace(/\/$/, "").normalize("NFC").toLowerCase()

/** The letters of a name that no program replaces where a name can't have all of Unicode: others become `?`, `_` or `#U00fc`. */
const kept = (name: string): string => name.replaceAll(/#[UL][0-9a-f]{4,8}|[?_]|[^\u0020-\u007e]/gi, "")

/** Whether two names of an entry may be one, of which the other is what a program without Unicode reads. */
export const isSameName = (name: string, plain: string): boolean => kept(name) === kept(plain)
