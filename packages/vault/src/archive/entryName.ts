import { validateFileName } from "yauzl"

const maxNameBytes = 1_000
const maxSegmentBytes = 255

/** Windows opens a device for these names, whatever follows a dot. */
const device = /^(?:con|prn|aux|nul|clock\$|conin\$|conout\$|(?:com|lpt)[0-9¹²³])[ ]*(?:\.|$)/i

/**
 * Why an entry's name can't be unpacked safely everywhere; `undefined` if it can. Folders end with a slash. Refuses
 * absolute names, `..`, backslashes, drive letters, control characters, names that are too long for file systems, and
 * those that Windows takes for a device or for another name.
 */
export const nameFault = (name: string): string | undefined => {
  if (name === "") return "has no name"
  if (validateFileName(name) !== null)
    return "must be a relative path without .., backslashes and drive letters"
  // eslint-disable-next-line no-control-regex -- the pattern searches for control characters
  if (/[\u0000-\u001f\u007f]/.test(name) || !name.isWellFormed()) return "must not contain control characters"
  const segments = name.replace(/\/$/, "").split("/")
  if (segments.some((segment) => segment === "" || segment === ".")) return "must not have empty parts or ."
  if (segments.some((segment) => /[. ]$/.test(segment))) return "must not end with a dot or a space"
  if (segments.some((segment) => device.test(segment))) return "is the name of a device on Windows"
  if (Buffer.byteLength(name) > maxNameBytes) return "is too long"
  if (segments.some((segment) => Buffer.byteLength(segment) > maxSegmentBytes)) return "is too long"
  return undefined
}

/** The form in which names are compared: some file systems ignore case and Unicode forms. */
export const comparableName = (name: string): string => name.replace(/\/$/, "").normalize("NFC").toLowerCase()
