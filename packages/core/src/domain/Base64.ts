const utf8 = new TextDecoder("utf-8", { fatal: true })

/** The bytes of one standard base64 value; `undefined` for any other text. */
export const fromBase64 = (text: string): Uint8Array | undefined => {
  // `atob` skips white space.
  if (text === "" || /[ \t\n\f\r]/.test(text)) return undefined
  try {
    const binary = atob(text)
    const bytes = new Uint8Array(binary.length)
    for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index)
    return bytes
  } catch {
    return undefined
  }
}

/** The text of bytes in UTF-8; `undefined` for other bytes. */
export const toText = (bytes: Uint8Array): string | undefined => {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}
